"""Dynamic routing on official runs of the EURO Meets NeurIPS 2022 competition: `python benchmarks/competition.py DIR`.

DIR holds train.zip, test.zip and leaderboard.csv, made of the public files of ortec/euro-neurips-vrp-2022-quickstart
(CC BY-NC 4.0). Each contender plays the 50 runs of test.zip; the costs go to benchmarks/results/competition.json after
each run, so that the script goes on where it was. Learning, tuning and validation use days of train.zip alone: every
other file, by name, is for learning, the others are for validation.

    --learn SEED      learn weights, benchmarks/results/competition/SEED.json, with a journal beside it
    --ship SEED       put these weights into the package
    --validate        rules, weights and hindsight on days of the validation files
    --only NAME …     play these contenders alone
"""

from __future__ import annotations

import argparse
import csv
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import RESULTS, machine

import colayer.pretrained
from colayer import Pipeline
from colayer.learning.search.cma_es import CmaEs
from colayer.problem.bind import bind
from colayer.problems import DynamicRouting
from colayer.problems.dynamic_routing import RoutingDay, RoutingState

PATH, MODELS = RESULTS / "competition.json", RESULTS / "competition"
#: Days for learning, one of each file in turn; a population of 12, ten times.
LEARNING_DAYS, EVALUATIONS, STEP, POPULATION = 24, 121, 0.2, 12
LEARNING_BUDGET = {"iterations": 1000, "futures": 6, "future_iterations": 200}
VALIDATION_DAYS = 30
#: The seed whose weights are shipped: the best on days of the validation files.
SHIPPED = "1"


def files(folder: Path, archive: str) -> list[str]:
    """The static files of an archive."""
    with zipfile.ZipFile(folder / archive) as held:
        return sorted(str(folder / archive / name) for name in held.namelist() if name.endswith(".txt"))


def days(folder: Path, part: int, count: int, first_seed: int) -> list[RoutingDay]:
    """Days of every other file of train.zip: part 0 for learning, part 1 for validation."""
    chosen = files(folder, "train.zip")[part::2]
    problem = DynamicRouting()
    return [problem.day(chosen[k % len(chosen)], first_seed + k) for k in range(count)]


def learn(folder: Path, seed: int) -> None:
    """Learn weights from the costs of days alone."""
    MODELS.mkdir(exist_ok=True)
    problem = DynamicRouting(**LEARNING_BUDGET)
    begin = time.process_time()
    pipeline = Pipeline(problem, safe=False).fit(
        days(folder, 0, LEARNING_DAYS, 1000 * (seed + 1)),
        method=CmaEs(step=STEP, population=POPULATION),
        evaluations=EVALUATIONS,
        seed=seed,
        portfolio=1,
        journal=MODELS / f"{seed}.json.journal",
    )
    pipeline.save(MODELS / f"{seed}.json")
    print(f"seed {seed}: loss {pipeline.loss_:.4f}, {time.process_time() - begin:.0f} s of CPU")


def ship(seed: int) -> None:
    """Write the weights of a seed into the package: they hold for every budget."""
    model = Pipeline.load(MODELS / f"{seed}.json").model
    said = {"command": f"python benchmarks/competition.py DIR --learn {seed}", **model.provenance}
    problem = DynamicRouting()
    shipped = replace(model, options={"decoder": problem.decoder}, provenance=said)
    Pipeline.from_model(problem, shipped).save(Path(colayer.pretrained.__file__).parent / "dynamic-routing-wait.json")


def model_weights(seed: int) -> np.ndarray:
    """Weights that --learn has written, in raw units."""
    pipeline = Pipeline.load(MODELS / f"{seed}.json")
    return np.asarray(pipeline.model.raw())


#: Budgets by name; by iterations, so that costs come back bit for bit. CPU seconds per epoch are in the results.
BUDGETS: dict[str, dict[str, Any]] = {
    "short": {"iterations": 10_000, "futures": 8, "future_iterations": 1000},
    "2 s": {"iterations": 300_000, "futures": 8, "future_iterations": 5000},
    "10 s": {"iterations": 1_000_000, "futures": 16, "future_iterations": 5000},
    "60 s": {"iterations": 6_000_000, "futures": 32, "future_iterations": 10_000},
}
#: Runs at 60 s: every tenth.
FEW_RUNS = 10


def by_rule(rule: str, budget: str, **options: Any) -> Callable[[RoutingState], Any]:
    """A rule as a policy."""
    return partial(DynamicRouting(**BUDGETS[budget], **options).baseline, rule)


def by_weights(weights: np.ndarray, budget: str, **options: Any) -> Callable[[RoutingState], Any]:
    """Weights as a policy."""
    return bind(DynamicRouting(**BUDGETS[budget], **options)).policy(weights)


def contenders() -> dict[str, Callable[[], Callable[[RoutingState], Any]]]:
    """Policies by name; what was learned so far is played."""
    safe = DynamicRouting().safe_weights
    found: dict[str, Callable[[], Callable[[RoutingState], Any]]] = {}
    for budget in ("short", "2 s"):
        for rule in ("greedy", "lazy", "prize", "look-ahead"):
            found[f"{rule}, {budget}"] = partial(by_rule, rule, budget)
    for budget in BUDGETS:
        found[f"prize × vote, {budget}"] = partial(by_weights, safe, budget)
    for path in sorted(MODELS.glob("?.json")):
        weights = model_weights(int(path.stem))
        for budget in BUDGETS if path.stem == SHIPPED else ("short",):
            found[f"learned, seed {path.stem}, {budget}"] = partial(by_weights, weights, budget)
    return found


def played(decide: Callable[[RoutingState], Any], day: RoutingDay) -> tuple[float, list[float]]:
    """The cost of a day under a policy, and the CPU seconds of each epoch."""
    problem, total, seconds = DynamicRouting(), 0.0, []
    state: RoutingState | None = problem.start(day)
    while state is not None:
        begin = time.process_time()
        decision = decide(state)
        seconds.append(time.process_time() - begin)
        cost, state = problem.step(state, decision)
        total += cost
    return total, seconds


def official(folder: Path) -> list[dict[str, str]]:
    """The rows of leaderboard.csv, by run."""
    with (folder / "leaderboard.csv").open(newline="") as file:
        return sorted(csv.DictReader(file), key=lambda row: int(row["run"]))


def stored() -> dict[str, Any]:
    """What was played so far."""
    return json.loads(PATH.read_text()) if PATH.exists() else {"runs": {}, "seconds": {}, "validation": {}}


def store(results: dict[str, Any]) -> None:
    """Write the results, whole."""
    results["machine"] = machine()
    part = PATH.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    part.replace(PATH)


def play_all(folder: Path, only: list[str]) -> None:
    """Play the runs that have not been played."""
    problem, rows = DynamicRouting(), official(folder)
    for name, make in contenders().items():
        if only and name not in only:
            continue
        decide, chosen = make(), rows[::FEW_RUNS] if name.endswith(" 60 s") else rows
        for row in chosen:
            results = stored()
            costs = results["runs"].setdefault(name, {})
            if row["run"] in costs:
                continue
            day = problem.day(folder / "test.zip" / row["instance"], int(row["seed"]))
            cost, seconds = played(decide, day)
            results = stored()
            results["runs"].setdefault(name, {})[row["run"]] = cost
            results["seconds"].setdefault(name, {})[row["run"]] = [
                round(sum(seconds) / len(seconds), 3),
                round(max(seconds), 3),
            ]
            store(results)
        print_row(name, stored(), rows)


def print_row(name: str, results: dict[str, Any], rows: list[dict[str, str]]) -> None:
    """Print mean, paired difference to the second and the winner, and CPU time per epoch."""
    costs = results["runs"][name]
    played_rows = [row for row in rows if row["run"] in costs]
    ours = np.array([costs[row["run"]] for row in played_rows])
    words = [f"{name:32s} {len(ours):3d} runs {ours.mean():10,.0f}"]
    for team in ("Kleopatra", "Team_sb", "baseline_greedy"):
        theirs = np.array([float(row[team]) for row in played_rows])
        difference = 100.0 * (ours / theirs - 1.0)
        words.append(f"{team} {difference.mean():+.2f} ± {difference.std(ddof=1) / len(ours) ** 0.5:.2f} %")
    seconds = np.array([results["seconds"][name][row["run"]] for row in played_rows])
    print(*words, f"{seconds[:, 0].mean():.2f} s per epoch, at most {seconds[:, 1].max():.1f}", sep="  ", flush=True)


def validate(folder: Path) -> None:
    """What each step brings, on days of the validation files."""
    held_out = days(folder, 1, VALIDATION_DAYS, 50_000)
    safe = DynamicRouting().safe_weights
    rows: dict[str, Callable[[RoutingState], Any]] = {
        "greedy": by_rule("greedy", "short"),
        "lazy": by_rule("lazy", "short"),
        "prize, no waiting": by_rule("prize", "short", decoder="none"),
        "prize": by_rule("prize", "short"),
        "look-ahead": by_rule("look-ahead", "short"),
        "prize × vote": by_weights(safe, "short"),
        "prize × vote, PyVRP 300 iterations": bind(
            DynamicRouting(**(BUDGETS["short"] | {"iterations": 300, "solver": "pyvrp"}))
        ).policy(safe),
        "prize × vote, 2 s": by_weights(safe, "2 s"),
    }
    for path in sorted(MODELS.glob("?.json")):
        rows[f"learned, seed {path.stem}"] = by_weights(model_weights(int(path.stem)), "short")
    results = stored()
    kept = results["validation"]
    for name, decide in rows.items():
        if len(kept.get(name, [])) != len(held_out):
            begin = time.process_time()
            kept[name] = [played(decide, day)[0] for day in held_out]
            results["seconds"][f"validation, {name}"] = round((time.process_time() - begin) / len(held_out), 2)
            store(results)
        print_difference(name, kept)
    if "hindsight" not in kept:
        problem = bind(DynamicRouting(iterations=30_000))
        kept["hindsight"] = [problem.cost(problem.hindsight_decisions(day), day) for day in held_out]
        store(results)
    print_difference("hindsight", kept)


def print_difference(name: str, kept: dict[str, list[float]]) -> None:
    """Print the mean difference to greedy and to the rule prize × vote."""
    words = [f"{name:36s}"]
    for other in ("greedy", "prize × vote"):
        if other in kept:
            difference = 100.0 * (np.array(kept[name]) / np.array(kept[other]) - 1.0)
            words.append(f"{other} {difference.mean():+.2f} ± {difference.std(ddof=1) / len(difference) ** 0.5:.2f} %")
    print(*words, sep="  ", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--learn", type=int)
    parser.add_argument("--ship", type=int)
    parser.add_argument("--validate", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    arguments = parser.parse_args()
    if arguments.learn is not None:
        learn(arguments.folder, arguments.learn)
    elif arguments.ship is not None:
        ship(arguments.ship)
    elif arguments.validate:
        validate(arguments.folder)
    else:
        play_all(arguments.folder, arguments.only)
