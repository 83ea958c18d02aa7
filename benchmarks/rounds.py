"""Rounds against the reference by hand, plain rules and local search: stochastic vehicle scheduling.

`python benchmarks/rounds.py`: weights for the features `rounds` are learned by METHOD over ROUNDS rounds on TRAIN
instances of 200 tasks; then every contender solves HELD_OUT other instances of each size. Costs are changes against the
safe weights on the same instances; differences to the reference feature alone and to `ls` after the safe weights are
paired, with standard errors. Seconds are CPU seconds, features included. `--learn-only` ends after learning. Journal
and model are kept in `runs/`. Writes experiments/results/rounds.json.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from measure import machine

from colayer import Pipeline, __version__
from colayer.files import write_atomic
from colayer.problems import VehicleScheduling
from colayer.report.tables import table

ROOT = Path(__file__).parent.parent
#: Seeds of the instances to learn on, and to measure on.
LEARN, MEASURE = 5000, 1000
SAFE, REFERENCE, SEARCH = "safe weights", "reference feature alone", "safe weights, ls"


def learned(arguments: argparse.Namespace) -> Pipeline:
    """The pipeline of the weights learned over rounds, from its journal where it was learned before."""
    problem = VehicleScheduling("rounds")
    data = [problem.generate(seed=LEARN + k, tasks=200) for k in range(arguments.train)]
    runs = ROOT / "runs"
    runs.mkdir(exist_ok=True)
    name = f"rounds-{arguments.method}-{arguments.train}-{arguments.evaluations}-{arguments.rounds}"
    if not (runs / f"{name}.json").exists():
        pipeline = Pipeline(problem, safe=False).fit(
            data, method=arguments.method, evaluations=arguments.evaluations, rounds=arguments.rounds,
            journal=runs / f"{name}.journal", workers=arguments.workers,
        )  # fmt: skip
        pipeline.save(runs / f"{name}.json")
    return Pipeline.load(runs / f"{name}.json", safe=False)


def contenders(learned: Pipeline) -> dict[str, Callable[[Any], Any]]:
    """name → a function from an instance to a solution."""
    plain, extended = VehicleScheduling("23"), VehicleScheduling("extended")
    search = VehicleScheduling("23", "ls")
    alone = [-1.0 if name == "reference_arc" else 0.0 for name in extended.feature_names]
    safe = Pipeline(plain, plain.safe_weights, safe=False)
    found: dict[str, Callable[[Any], Any]] = {
        SAFE: lambda x: safe.solve(x).solution,
        "delay x3": lambda x: plain.baseline("delay x3", x),
        REFERENCE: lambda x: Pipeline(extended, alone, safe=False).solve(x).solution,
        SEARCH: lambda x: search.decode(safe.solve(x).solution, x),
        "reference, ls": lambda x: search.decode(Pipeline(extended, alone, safe=False).solve(x).solution, x),
    }
    for rounds in (5, 20):
        for candidates in (1, 2):
            name = f"{rounds} rounds" + ", 2 candidates" * (candidates == 2)
            found[name] = partial(_solution, learned, rounds=rounds, candidates=candidates)
    found["20 rounds, 2 candidates, then ls"] = lambda x: search.decode(
        learned.solve(x, rounds=20, candidates=2).solution, x
    )
    every = Pipeline.from_model(VehicleScheduling("rounds", "ls"), learned.model, safe=False)
    found["3 rounds, ls in each"] = partial(_solution, every, rounds=3)
    return found


def _solution(pipeline: Pipeline, instance: Any, **options: Any) -> Any:
    return pipeline.solve(instance, **options).solution


def difference(costs: np.ndarray, to: np.ndarray, safe: np.ndarray) -> dict[str, float]:
    """Of percent changes against the safe weights: mean and standard error over the instances."""
    each = 100.0 * (costs - to) / safe
    return {"mean": float(each.mean()), "standard_error": float(each.std(ddof=1) / np.sqrt(len(each)))}


def measured(works: dict[str, Callable[[Any], Any]], tasks: int, count: int) -> dict[str, Any]:
    """All contenders on `count` instances of one size."""
    problem = VehicleScheduling("23")
    costs: dict[str, list[float]] = {name: [] for name in works}
    seconds = dict.fromkeys(works, 0.0)
    for k in range(count):
        for name, work in works.items():
            instance = problem.generate(seed=MEASURE + k, tasks=tasks)  # nothing is known of it yet
            begin = time.process_time()
            solution = work(instance)
            seconds[name] += (time.process_time() - begin) / count
            costs[name].append(problem.cost(solution, instance))
    all_costs = {name: np.array(values) for name, values in costs.items()}
    rows = {}
    for name, mine in all_costs.items():
        rows[name] = {
            "change": float((100.0 * (mine / all_costs[SAFE] - 1.0)).mean()),
            "to_reference": difference(mine, all_costs[REFERENCE], all_costs[SAFE]),
            "to_search": difference(mine, all_costs[SEARCH], all_costs[SAFE]),
            "cpu_seconds": seconds[name],
        }
    return {"tasks": tasks, "instances": count, "contenders": rows}


def shown(cell: dict[str, Any]) -> str:
    """One size as a table."""
    word = lambda d: f"{d['mean']:+.2f} ± {d['standard_error']:.2f}"  # noqa: E731
    rows = [
        (name, f"{row['change']:.2f}", word(row["to_reference"]), word(row["to_search"]), f"{row['cpu_seconds']:.3f}")
        for name, row in cell["contenders"].items()
    ]
    head = f"{cell['tasks']} tasks, {cell['instances']} instances, percent of the cost of the safe weights\n\n"
    return head + table(("contender", "change", "to the reference", "to ls", "CPU seconds"), rows).text()


def main() -> None:
    """Learn, measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--train", type=int, default=12)
    parser.add_argument("--evaluations", type=int, default=250)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--tasks", type=int, nargs="+", default=[200, 500, 1000])
    parser.add_argument("--held-out", type=int, nargs="+", default=[16, 8, 4])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--learn-only", action="store_true")
    arguments = parser.parse_args()
    pipeline = learned(arguments)
    if arguments.learn_only:
        return
    works = contenders(pipeline)
    for work in works.values():
        work(VehicleScheduling().generate(seed=0, tasks=30, scenarios=5))  # compile
    cells = []
    for tasks, count in zip(arguments.tasks, arguments.held_out, strict=True):
        cells.append(measured(works, tasks, count))
        print(shown(cells[-1]), flush=True)
    document = {
        "colayer": __version__,
        "machine": machine(),
        "method": arguments.method,
        "train": arguments.train,
        "evaluations": arguments.evaluations,
        "rounds": arguments.rounds,
        "weights": pipeline.model.document(),
        "cells": cells,
    }
    write_atomic(ROOT / "experiments" / "results" / "rounds.json", msgspec.json.format(msgspec.json.encode(document)))


if __name__ == "__main__":
    main()
