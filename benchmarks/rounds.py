"""Rounds and learned weights against the reference by hand, plain rules and local search: vehicle scheduling.

`python benchmarks/rounds.py --workers 16`: the shipped weights of the 23 features and of the features `rounds`, and all
else, solve HELD_OUT instances of each size that nothing was learned or designed on. Costs are changes against the safe
weights on the same instances; differences to the rule `delay x3`, to the reference feature alone and to `ls` after the
safe weights are paired, with standard errors. Seconds are CPU seconds of one thread, features included. `--folder` has
the weights; without it, those of the package. Writes benchmarks/results/rounds.json.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from measure import write_results

from colayer import Pipeline
from colayer._runtime.threads import limited
from colayer.display.tables import table
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.layer import safe_theta
from colayer_paper.pretrain import FOLDER

#: The first seed of the instances: on none of them anything was learned or designed.
MEASURE = 60_000
#: The files of weights that solve once, and in rounds.
NAMES = ("vehicle-scheduling-23-none.json", "vehicle-scheduling-rounds-none.json")
FACTORS = (2.0, 2.5, 3.0, 3.5, 4.0)
SAFE, RULE, REFERENCE, SEARCH = "safe weights", "delay x3", "reference feature alone", "safe weights, ls"
#: name in the results → the contender of whom paired differences are taken.
TO = {"to_rule": RULE, "to_reference": REFERENCE, "to_search": SEARCH}


def contenders(once: Path, rounds: Path) -> dict[str, Callable[[Any], Any]]:
    """name → a function from an instance to a solution."""
    plain, extended = VehicleScheduling("23"), VehicleScheduling("extended")
    search = VehicleScheduling("23", "ls")
    alone = [-1.0 if name == "reference_arc" else 0.0 for name in extended.feature_names]
    safe = Pipeline(plain, plain.safe_weights, safe=False)
    single, in_rounds = Pipeline.load(once, safe=False), Pipeline.load(rounds, safe=False)
    found: dict[str, Callable[[Any], Any]] = {
        SAFE: lambda x: safe.solve(x).solution,
        RULE: lambda x: plain.baseline("delay x3", x),
        "delay x2 to x4, best of 5": lambda x: _best_factor(plain, x),
        REFERENCE: lambda x: Pipeline(extended, alone, safe=False).solve(x).solution,
        SEARCH: lambda x: search.decode(safe.solve(x).solution, x),
        "reference, ls": lambda x: search.decode(Pipeline(extended, alone, safe=False).solve(x).solution, x),
    }
    found["23 features, learned"] = partial(_solution, single)
    for number in (5, 20):
        for candidates in (1, 2):
            name = f"{number} rounds" + f", {candidates} candidates" * (candidates > 1)
            found[name] = partial(_solution, in_rounds, rounds=number, candidates=candidates)
    found["20 rounds, 2 candidates, then ls"] = lambda x: search.decode(
        in_rounds.solve(x, rounds=20, candidates=2).solution, x
    )
    every = Pipeline.from_model(VehicleScheduling("rounds", "ls"), in_rounds.model, safe=False)
    found["3 rounds, ls in each"] = partial(_solution, every, rounds=3)
    return found


def _best_factor(problem: VehicleScheduling, instance: Any) -> Any:
    """The rule with five factors: what five candidates are to be compared with."""
    theta, arcs = safe_theta(instance), len(instance.arcs[1])
    many = np.array([np.concatenate([factor * theta[:arcs], theta[arcs:]]) for factor in FACTORS])
    covers, costs = problem.solved(many, instance)
    return covers[int(np.argmin(costs))]


def _solution(pipeline: Pipeline, instance: Any, **options: Any) -> Any:
    return pipeline.solve(instance, **options).solution


def solved(once: Path, rounds: Path, tasks: int, number: int) -> dict[str, tuple[float, float]]:
    """name → (cost, CPU seconds) of every contender on one instance, by one thread."""
    works, problem = contenders(once, rounds), VehicleScheduling("23")
    found = {}
    with limited(1):
        for work in works.values():
            work(problem.generate(seed=0, tasks=30, scenarios=5))  # compile
        for name, work in works.items():
            instance = problem.generate(seed=MEASURE + number, tasks=tasks)  # nothing is known of it yet
            begin = time.process_time()
            solution = work(instance)
            found[name] = (float(problem.cost(solution, instance)), time.process_time() - begin)
    return found


def difference(costs: np.ndarray, to: np.ndarray, safe: np.ndarray) -> dict[str, float]:
    """Of percent changes against the safe weights: mean and standard error over the instances."""
    each = 100.0 * (costs - to) / safe
    return {"mean": float(each.mean()), "standard_error": float(each.std(ddof=1) / np.sqrt(len(each)))}


def cell(tasks: int, found: list[dict[str, tuple[float, float]]]) -> dict[str, Any]:
    """All contenders on the instances of one size."""
    costs = {name: np.array([one[name][0] for one in found]) for name in found[0]}
    rows = {}
    for name, mine in costs.items():
        rows[name] = {
            "change": float((100.0 * (mine / costs[SAFE] - 1.0)).mean()),
            **{key: difference(mine, costs[to], costs[SAFE]) for key, to in TO.items()},
            "cpu_seconds": float(np.mean([one[name][1] for one in found])),
        }
    return {"tasks": tasks, "instances": len(found), "contenders": rows}


def shown(cell: dict[str, Any]) -> str:
    """One size as a table."""
    word = lambda d: f"{d['mean']:+.2f} ± {d['standard_error']:.2f}"  # noqa: E731
    rows = [
        (name, f"{row['change']:.2f}", *(word(row[key]) for key in TO), f"{row['cpu_seconds']:.3f}")
        for name, row in cell["contenders"].items()
    ]
    head = f"{cell['tasks']} tasks, {cell['instances']} instances, percent of the cost of the safe weights\n\n"
    return head + table(("contender", "change", *(f"to {to}" for to in TO.values()), "CPU seconds"), rows).text()


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the weights are")
    parser.add_argument("--tasks", type=int, nargs="+", default=[200, 500, 1000])
    parser.add_argument("--held-out", type=int, nargs="+", default=[48, 24, 16])
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    models = tuple(arguments.folder / name for name in NAMES)
    cells = []
    with ProcessPoolExecutor(arguments.workers, mp_context=get_context("spawn")) as pool:
        for tasks, count in zip(arguments.tasks, arguments.held_out, strict=True):
            cells.append(cell(tasks, list(pool.map(partial(solved, *models, tasks), range(count)))))
            print(shown(cells[-1]), flush=True)
    write_results("rounds", {"cells": cells})


if __name__ == "__main__":
    main()
