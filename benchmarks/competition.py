"""Dynamic routing on official runs of the EURO Meets NeurIPS 2022 competition: `python benchmarks/competition.py DIR`.

DIR holds train.zip, test.zip and leaderboard.csv, made of the public files of ortec/euro-neurips-vrp-2022-quickstart
(CC BY-NC 4.0). Each contender plays the 50 runs of test.zip; the costs go to benchmarks/results/competition.json after
each run, so that the script goes on where it was. Learning, tuning and validation use days of train.zip alone: every
other file, by name, is for learning, the others are for validation. The tables of docs/dynamic_routing.md are by
`python docs/_site/measured.py docs/dynamic_routing.md`.

    --learn SEED      learn weights, benchmarks/results/competition/SEED.json, with a journal beside it; with
                      --method imitation, srl or network by that, METHOD.json
    --workers N       that learn side by side; the weights are the same for any number
    --ship SEED       put these weights into the package
    --validate        what each step brings, and hindsight, on days of the validation files
    --only NAME …     play these contenders alone
    --picture FILE    draw a day of our own generator under the shipped weights, without DIR
"""

from __future__ import annotations

import argparse
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from competition_results import line, official, recorded, stored, summary
from measure import RESULTS

import colayer.pretrained
from colayer import Pipeline
from colayer.learning.search.cma_es import CmaEs
from colayer.problem.bind import bind
from colayer.problems import DynamicRouting
from colayer.problems.dynamic_routing import RoutingDay, RoutingState

MODELS = RESULTS / "competition"
#: Days for learning, one of each file in turn; the start, then a population of 12, five times.
LEARNING_DAYS, EVALUATIONS, STEP, POPULATION = 32, 61, 0.2, 12
LEARNING_BUDGET = {"iterations": 10_000, "futures": 10, "future_iterations": 1000}
#: Other learners, on as many days; the stored ones were learned with an earlier, slower search.
OTHERS: dict[str, dict[str, Any]] = {
    "imitation": {"method": "imitation", "solutions": "hindsight", "evaluations": 10},
    "srl": {"method": "srl", "evaluations": 165},
    "network": {"method": "neural", "evaluations": 165},
}
VALIDATION_DAYS = 12
#: Iterations of hindsight, which has all requests of the day.
HINDSIGHT = 100_000
#: The seed whose weights are shipped: the best on days of the validation files.
SHIPPED = "0"


def files(folder: Path, archive: str) -> list[str]:
    """The static files of an archive."""
    with zipfile.ZipFile(folder / archive) as held:
        return sorted(str(folder / archive / name) for name in held.namelist() if name.endswith(".txt"))


def days(folder: Path, part: int, count: int, first_seed: int) -> list[RoutingDay]:
    """Days of every other file of train.zip: part 0 for learning, part 1 for validation."""
    chosen = files(folder, "train.zip")[part::2]
    problem = DynamicRouting()
    return [problem.day(chosen[k % len(chosen)], first_seed + k) for k in range(count)]


def learn(folder: Path, seed: int, other: str | None, workers: int) -> None:
    """Learn weights, or a network, from the costs of days alone; `imitation` from hindsight."""
    MODELS.mkdir(exist_ok=True)
    problem, path = DynamicRouting(**LEARNING_BUDGET), MODELS / f"{other or seed}.json"
    by_costs = {"method": CmaEs(step=STEP, population=POPULATION), "evaluations": EVALUATIONS, "portfolio": 1}
    begin = time.perf_counter()
    pipeline = Pipeline(problem, safe=False).fit(
        days(folder, 0, LEARNING_DAYS, 1000 * (seed + 1)),
        **(OTHERS[other] if other else by_costs),
        seed=seed,
        journal=Path(f"{path}.journal"),
        workers=workers,
    )
    pipeline.save(path)
    spent = time.perf_counter() - begin
    with recorded() as results:
        results["seconds"][f"learning, {path.stem}"] = [round(spent), workers]
    print(f"{path.stem}: loss {pipeline.loss_:.4f}, {spent:.0f} s by the clock, {workers} workers")


def ship(seed: int) -> None:
    """Write the weights of a seed into the package: they hold for every budget."""
    model = Pipeline.load(MODELS / f"{seed}.json").model
    said = {"command": f"python benchmarks/competition.py DIR --learn {seed}", **model.provenance}
    shipped = replace(model, options={"decoder": DynamicRouting().decoder}, provenance=said)
    Pipeline.from_model(DynamicRouting(), shipped).save(
        Path(colayer.pretrained.__file__).parent / "dynamic-routing-wait.json"
    )


def model_weights(seed: int) -> np.ndarray:
    """Weights that --learn has written, in raw units."""
    return np.asarray(Pipeline.load(MODELS / f"{seed}.json").model.raw())


#: Budgets by name; by iterations, so that costs come back bit for bit. CPU seconds per epoch are in the results.
BUDGETS: dict[str, dict[str, Any]] = {
    "short": {"iterations": 10_000, "futures": 8, "future_iterations": 1000},
    "2 s": {"iterations": 450_000, "futures": 24, "future_iterations": 1000},
    "10 s": {"iterations": 2_000_000, "futures": 48, "future_iterations": 2000},
    "60 s": {"iterations": 12_000_000, "futures": 200, "future_iterations": 3000},
}
#: Runs at 60 s: every tenth.
FEW_RUNS = 10


def by_rule(rule: str, budget: str, **options: Any) -> Callable[[RoutingState], Any]:
    """A rule as a policy."""
    return partial(DynamicRouting(**BUDGETS[budget], **options).baseline, rule)


def by_weights(weights: np.ndarray, budget: str, **options: Any) -> Callable[[RoutingState], Any]:
    """Weights as a policy."""
    return bind(DynamicRouting(**BUDGETS[budget], **options)).policy(weights)


def by_model(name: str) -> Callable[[RoutingState], Any]:
    """What another learner learned as a policy, at the budget `short`."""
    learned = Pipeline.load(MODELS / f"{name}.json")
    problem = DynamicRouting(**BUDGETS["short"])
    return Pipeline.from_model(problem, replace(learned.model, options=problem.options)).decide


def contenders() -> dict[str, Callable[[], Callable[[RoutingState], Any]]]:
    """Policies by name, those that matter most first; what was learned so far is played."""
    safe = DynamicRouting().safe_weights
    learned = {path.stem: model_weights(int(path.stem)) for path in sorted(MODELS.glob("?.json"))}
    found: dict[str, Callable[[], Callable[[RoutingState], Any]]] = {}
    for budget in ("2 s", "short", "10 s", "60 s"):
        found[f"learned, seed {SHIPPED}, {budget}"] = partial(by_weights, learned[SHIPPED], budget)
        if budget in ("short", "2 s"):
            found[f"prize × vote, {budget}"] = partial(by_weights, safe, budget)
        if budget == "short":
            for rule in ("greedy", "lazy", "prize", "look-ahead"):
                found[f"{rule}, {budget}"] = partial(by_rule, rule, budget)
            for seed, weights in learned.items():
                found[f"learned, seed {seed}, {budget}"] = partial(by_weights, weights, budget)
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


def play_all(folder: Path, only: list[str]) -> None:
    """Play the runs that have not been played."""
    problem, rows = DynamicRouting(), official(folder)
    for name, make in contenders().items():
        if only and name not in only:
            continue
        decide, chosen = make(), rows[::FEW_RUNS] if name.endswith(" 60 s") else rows
        for row in chosen:
            if row["run"] in stored()["runs"].get(name, {}):
                continue
            day = problem.day(folder / "test.zip" / row["instance"], int(row["seed"]))
            cost, seconds = played(decide, day)
            mean = round(sum(seconds) / len(seconds), 3)
            with recorded() as results:
                results["runs"].setdefault(name, {})[row["run"]] = cost
                results["seconds"].setdefault(name, {})[row["run"]] = [mean, round(max(seconds), 3)]
                results["table"] = summary(results, rows)
        print(line(name, stored()["table"][name]), flush=True)


def validate(folder: Path) -> None:
    """What each step brings, on days of the validation files, and what hindsight finds."""
    safe, shipped = DynamicRouting().safe_weights, model_weights(int(SHIPPED))
    short = BUDGETS["short"]
    rows: dict[str, Callable[[RoutingState], Any]] = {
        "greedy": by_rule("greedy", "short"),
        "prize × vote": by_weights(safe, "short"),
        "prize, no waiting": by_rule("prize", "short", decoder="none"),
        "prize": by_rule("prize", "short"),
        "look-ahead": by_rule("look-ahead", "short"),
        "prize × vote, no waiting": by_weights(safe, "short", decoder="none"),
        "prize × vote, layer of 50,000": bind(DynamicRouting(**short | {"iterations": 50_000})).policy(safe),
        "prize × vote, futures of 5000": bind(DynamicRouting(**short | {"future_iterations": 5000})).policy(safe),
        "learned": by_weights(shipped, "short"),
        "prize × vote, 2 s": by_weights(safe, "2 s"),
        "learned, 2 s": by_weights(shipped, "2 s"),
    }
    rows |= {f"learned by {name}": by_model(name) for name in OTHERS if (MODELS / f"{name}.json").exists()}
    for name, decide in rows.items():
        steps(name, lambda day, decide=decide: played(decide, day)[0], folder)
    problem = bind(DynamicRouting(iterations=HINDSIGHT // 10))
    steps("hindsight", lambda day: problem.cost(problem.hindsight_decisions(day), day), folder)


def steps(name: str, cost: Callable[[RoutingDay], float], folder: Path) -> None:
    """Cost the validation days that have not been costed, one by one."""
    for k, day in enumerate(days(folder, 1, VALIDATION_DAYS, 50_000)):
        if k < len(stored()["validation"].get(name, [])):
            continue
        begin, found = time.process_time(), cost(day)
        seconds = time.process_time() - begin
        with recorded() as results:
            results["validation"].setdefault(name, []).append(found)
            spent = results["seconds"].get(f"validation, {name}", 0.0)
            results["seconds"][f"validation, {name}"] = (k * spent + seconds) / (k + 1)


def picture(path: Path) -> None:
    """Draw a day of our own generator under the shipped weights."""
    from matplotlib.figure import Figure

    from colayer.display.charts import save

    problem = DynamicRouting()
    day = problem.generate(7, customers=120, per_epoch=12)
    figure = Figure(figsize=(4.4, 3.4), layout="constrained")
    problem.plot(Pipeline(problem).solve(day, bound=False).decisions, day, figure.subplots())
    save(figure, path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=Path, nargs="?", default=Path())
    parser.add_argument("--learn", type=int)
    parser.add_argument("--method", choices=tuple(OTHERS))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--ship", type=int)
    parser.add_argument("--validate", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    if arguments.learn is not None:
        learn(arguments.folder, arguments.learn, arguments.method, arguments.workers)
    elif arguments.ship is not None:
        ship(arguments.ship)
    elif arguments.validate:
        validate(arguments.folder)
    elif arguments.picture is not None:
        picture(arguments.picture)
    else:
        play_all(arguments.folder, arguments.only)
