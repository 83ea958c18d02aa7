"""Speed of stochastic vehicle scheduling: `python benchmarks/speed_vehicle_scheduling.py [--learn SET…]`.

The whole pipeline by size, 50 scenarios, with its parts; the peak memory of one solve of 5000 tasks, in a process of
its own; one loss evaluation over each training set; with --learn, 1000 evaluations of DIRECT on the sets named. The
paper's times stand beside. Tables show wall times. The output, with CPU times and the machine, also goes to
benchmarks/results/speed_vehicle_scheduling.json, if the machine was quiet or with --force.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import Bench, Time, add_force

from colayer import Direct, Pipeline, __version__
from colayer.display.tables import duration, table
from colayer.models import thetas
from colayer.problems import VehicleScheduling
from colayer_paper.vehicle_scheduling.datasets import paper_set

#: Of the pipeline and of each of its parts.
ROUNDS = 3
SETS = ("small", "moderate", "all")
#: Seconds of 1000 iterations of DIRECT on 16 threads (paper, section 5.2).
PAPER_LEARNING = {"small": 80, "moderate": 10 * 60 + 56, "all": 2 * 3600 + 56 * 60 + 40}
FEATURES = ("23", "extended")


def pipeline_times(bench: Bench, features: str, sizes: tuple[int, ...]) -> dict[int, dict[str, Time | int]]:
    """The time of each arrow and of the whole, 50 scenarios."""
    problem = VehicleScheduling(features)
    pipeline = Pipeline(problem, safe=False)
    pipeline.solve(problem.generate(seed=0, tasks=30, scenarios=5))  # compile
    rows = {}
    for tasks in sizes:
        instance = problem.generate(seed=7, tasks=tasks, scenarios=50)
        # an instance keeps its arcs and delays: each round has one of its own
        fresh, again = ([problem.read(problem.write(instance)) for _ in range(ROUNDS)] for _ in range(2))
        features_ = problem.features(instance)
        raw = pipeline.model.raw()[None, :]
        theta = thetas(features_, raw)[0]
        successor = problem.layer(theta, instance)
        rows[tasks] = {
            "arcs": len(instance.arcs[1]),
            "features": bench.best_of(lambda xs=fresh: problem.features(xs.pop()), ROUNDS),
            "theta": bench.best_of(lambda f=features_, w=raw: thetas(f, w), ROUNDS),
            "layer": bench.best_of(lambda t=theta, x=instance: problem.layer(t, x), ROUNDS),
            "cost": bench.best_of(lambda s=successor, x=instance: problem.cost(s, x), ROUNDS),
        }
        del features_, theta
        rows[tasks]["whole"] = bench.best_of(lambda xs=again: pipeline.solve(xs.pop()), ROUNDS)
    return rows


def peak_memory(features: str, tasks: int) -> float:
    """GB of a process that does nothing but solve one instance."""
    code = f"import speed_vehicle_scheduling as speed; speed.solve_one({features!r}, {tasks})"
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, text=True, check=True)
    return float(done.stdout) / 2**20


def solve_one(features: str, tasks: int) -> None:
    """Solve, and print the peak memory of this process in kB."""
    problem = VehicleScheduling(features)
    Pipeline(problem).solve(problem.generate(seed=7, tasks=tasks, scenarios=50))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def learning_times(bench: Bench, features: str, sets: list[str], names: list[str]) -> dict[str, dict[str, Any]]:
    """The time of the features, of one evaluation, and with --learn of 1000 evaluations of DIRECT, by training set."""
    problem = VehicleScheduling(features)
    rows: dict[str, dict[str, Any]] = {}
    for name in sets:
        instances = list(paper_set(f"train-{name}"))
        begin = time.perf_counter(), time.process_time()
        evaluator = problem.evaluator(instances)
        took = Time(time.perf_counter() - begin[0], time.process_time() - begin[1], 1)
        rows[name] = {"instances": len(instances), "features": took}
        weights = np.random.default_rng(0).normal(size=(1, len(problem.feature_names)))
        weights[0] = problem.safe_weights
        rows[name]["one evaluation, safe weights"] = bench.best_of(
            lambda e=evaluator, w=weights: e.losses(w), ROUNDS, alone=False
        )
        evaluator.close()
        if name in names:
            start = Pipeline(problem, problem.safe_weights)
            learn = partial(start.fit, instances, method=Direct(), evaluations=1000, validation=0.0)
            took = bench.best_of(learn, 1, alone=False)
            rows[name]["direct, 1000 evaluations, features included"] = took
            rows[name]["paper, 16 threads"] = PAPER_LEARNING[name]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learn", nargs="*", default=[], choices=SETS, help="also 1000 evaluations of DIRECT on these")
    parser.add_argument("--tasks", type=int, nargs="*", default=(200, 1000, 2000, 5000))
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS, help="the training sets to evaluate")
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("speed_vehicle_scheduling", arguments.force)
    document: dict[str, object] = {
        "command": " ".join(["python benchmarks/speed_vehicle_scheduling.py", *sys.argv[1:]]),
        "colayer": __version__,
    }
    for features in FEATURES:
        rows = pipeline_times(bench, features, tuple(arguments.tasks))
        largest = max(arguments.tasks)
        memory = peak_memory(features, largest)
        document[f"pipeline_{features}"] = {"seconds_by_tasks": rows, f"peak_gb_{largest}_tasks": memory}
        headers = [f"tasks, {features} features, 50 scenarios", *rows[largest]]
        cells = [
            [tasks, row["arcs"], *(duration(t.wall) for k, t in row.items() if k != "arcs")]
            for tasks, row in rows.items()
        ]
        print(table(headers, cells).text())
        print(f"peak memory at {largest} tasks: {memory:.2f} GB\n")
    document["learning_23"] = learning = learning_times(bench, "23", arguments.sets, arguments.learn)
    for name, row in learning.items():
        said = {k: duration(v.wall) if isinstance(v, Time) else v for k, v in row.items()}
        print(name, ", ".join(f"{k}: {v}" for k, v in said.items()))
    bench.write(document)


if __name__ == "__main__":
    main()
