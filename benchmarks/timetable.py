"""A transit agency's timetable, from feed to plan: `python benchmarks/timetable.py FEED.zip --service 1`.

The plan that is published with a GTFS feed (its blocks) beside the fewest vehicles, plain rules, weights learned from
scenarios of the same day, local search and rounds. Learning sees scenarios of seeds 1, 2, 3. Each of ten tests has 40
scenarios of its own to plan with (seeds 101, …) and 100 others to cost the plans by (seeds 1001, …), the same for all;
nobody has learned from either. Differences are paired over the tests, with standard errors; learned weights are of five
seeds of learning, of which each test takes the mean. Seconds are of the processor, with features, without reading. No
safe weights stand by. Writes benchmarks/results/timetable.json; with --plots DIR, pictures of two plans.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from measure import write_results

from colayer import Pipeline
from colayer.comparison.paired import difference
from colayer.display.charts import save
from colayer.display.tables import table
from colayer.io.gtfs import read_day
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling import Instance
from colayer.problems.vehicle_scheduling.delays import DelayModel
from colayer.problems.vehicle_scheduling.gtfs import instance_of, published

EVALUATIONS, LEARNING_SEEDS, TRAINING = 60, 5, 3
REFERENCE = "delay x3"
#: From an instance to a solution.
Planner = Callable[[Instance], Any]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("feed", type=Path)
    parser.add_argument("--date", default="2016-09-20")
    parser.add_argument("--service", action="append")
    parser.add_argument("--tests", type=int, default=10)
    parser.add_argument("--plots", type=Path)
    arguments = parser.parse_args()
    day = read_day(arguments.feed, arguments.date, services=arguments.service)

    def scenarios(seed: int, count: int) -> Instance:
        return instance_of(day, DelayModel(), scenarios=count, seed=seed)

    blocks = published(day, scenarios(0, 1))
    peers, seconds = planners([scenarios(seed, 20) for seed in range(1, TRAINING + 1)])
    rows: dict[str, list[tuple[float, float, float, float]]] = {}
    by_seed: dict[str, list[list[float]]] = {}
    for test in range(1, arguments.tests + 1):
        seen, hidden = scenarios(100 + test, 40), scenarios(1000 + test, 100)
        if blocks is not None:
            rows.setdefault("published blocks", []).append((*figures(blocks.successor, hidden), 0.0))
        for name, several in peers.items():
            found = []
            for plan in several:
                own = replace(seen)
                assert len(own.arcs[1])  # travel times and arcs, which all need, are not timed
                begin = time.process_time()
                solution = plan(own)
                spent = time.process_time() - begin
                found.append((*figures(solution, hidden), spent))
            rows.setdefault(name, []).append(tuple(np.mean(found, axis=0).tolist()))
            by_seed.setdefault(name, []).append([row[2] for row in found])
        print(f"test {test} of {arguments.tests}", flush=True)
    reference = [row[2] for row in rows[REFERENCE]]
    document, cells = [], []
    for name, found in rows.items():
        vehicles, delay, cost, spent = np.mean(found, axis=0).tolist()
        apart = difference([row[2] for row in found], reference, REFERENCE)
        error = float(np.std([row[2] for row in found], ddof=1)) / len(found) ** 0.5
        document.append({
            "plan": name, "vehicles": vehicles, "expected_delay": delay, "cost": cost, "standard_error": error,
            "seconds": spent, "costs": [row[2] for row in found], "difference": msgspec.to_builtins(apart),
        })  # fmt: skip
        words = "reference" if name == REFERENCE else apart.words
        cells.append([name, f"{vehicles:.1f}", f"{delay:,.0f}", f"{cost:,.0f} ± {error:.0f}", words, f"{spent:.2f} s"])
    print(table(["plan", "vehicles", "delay, min", "cost", f"to {REFERENCE}", "time"], cells).text())
    rules, ours = (np.array([row[2] for row in rows[f"{who} + ls"]]) for who in (REFERENCE, "learned"))
    apart = difference(ours.tolist(), rules.tolist(), f"{REFERENCE} + ls")
    print(f"learned + ls to {REFERENCE} + ls: {apart.words}, {apart.verdict}")
    spread = {name: float(np.std(np.mean(by_seed[name], axis=0), ddof=1)) for name in ("learned", "learned + ls")}
    print("spread of costs over the seeds of learning:", {name: f"{value:.1f}" for name, value in spread.items()})
    print(f"learning: {seconds:.0f} s of the processor for each of {LEARNING_SEEDS} seeds")
    write_results(
        "timetable",
        {
            "trips": len(day.trips),
            "learning": seconds,
            "spread_over_learning": spread,
            "rows": document,
            "through_ls": msgspec.to_builtins(apart),
        },
    )
    if arguments.plots is not None and blocks is not None:
        seen = scenarios(101, 40)
        problem = VehicleScheduling()
        save(problem.plot(blocks.successor, seen), arguments.plots / "timetable_published.png")
        save(problem.plot(peers["learned + ls"][0](seen), seen), arguments.plots / "timetable_learned.png")


def planners(training: list[Instance]) -> tuple[dict[str, list[Planner]], float]:
    """The peers by name, learned ones once per seed of learning, and the seconds that learning took on average."""
    plain, ls, rounds = VehicleScheduling(), VehicleScheduling(decoder="ls"), VehicleScheduling(features="rounds")
    shipped = {p: Pipeline(p, safe=False) for p in (plain, rounds)}
    begin = time.process_time()
    learned = [
        Pipeline(plain, safe=False).fit(training, evaluations=EVALUATIONS, seed=s) for s in range(LEARNING_SEEDS)
    ]
    seconds = (time.process_time() - begin) / LEARNING_SEEDS
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        searched = []
        for pipeline in learned:
            pipeline.save(model)
            searched.append(Pipeline.load(model, problem=ls, safe=False))

    def rule(name: str) -> list[Planner]:
        return [lambda x: ls.baseline(name, x)]

    def solve(*pipelines: Any, **options: Any) -> list[Planner]:
        return [lambda x, p=p: p.solve(x, bound=False, **options).solution for p in pipelines]

    return {
        "fewest vehicles": rule("deterministic"),
        REFERENCE: rule(REFERENCE),
        "shipped weights": solve(shipped[plain]),
        "learned": solve(*learned),
        "shipped, 5 rounds": solve(shipped[rounds], rounds=5),
        "shipped, 20 rounds": solve(shipped[rounds], rounds=20),
        "fewest vehicles + ls": rule("deterministic+ls"),
        f"{REFERENCE} + ls": rule(f"{REFERENCE}+ls"),
        "learned + ls": solve(*searched),
    }, seconds


def figures(solution: Any, instance: Instance) -> tuple[float, float, float]:
    """Vehicles, minutes of delay expected, and cost."""
    vehicles = int((np.asarray(solution) < 0).sum())
    cost = float(VehicleScheduling().cost(solution, instance))
    return vehicles, (cost - vehicles * instance.vehicle_cost) / instance.delay_cost, cost


if __name__ == "__main__":
    main()
