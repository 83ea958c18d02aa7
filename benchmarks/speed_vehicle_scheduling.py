"""Speed of stochastic vehicle scheduling: `python benchmarks/speed_vehicle_scheduling.py [--learn SET…]`.

The whole pipeline by size, 50 scenarios, with its parts; the peak memory of one solve of 5000 tasks, in a process of
its own; one loss evaluation over each training set; with --learn, 1000 evaluations of DIRECT on the sets named. The
paper's times stand beside. The output, with the machine, also goes to
experiments/results/speed_vehicle_scheduling.json.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
from measure import best_of, machine

from colayer import Direct, Pipeline, __version__
from colayer.compose import features_of
from colayer.models import thetas
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.datasets import paper_set
from colayer.report.tables import duration, table

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "speed_vehicle_scheduling.json"
SETS = ("small", "moderate", "all")
#: Seconds of 1000 iterations of DIRECT on 16 threads (paper, section 5.2).
PAPER_LEARNING = {"small": 80, "moderate": 10 * 60 + 56, "all": 2 * 3600 + 56 * 60 + 40}
FEATURES = ("23", "extended")


def pipeline_times(features: str, sizes: tuple[int, ...]) -> dict[int, dict[str, float]]:
    """Seconds of each arrow and of the whole, 50 scenarios."""
    problem = VehicleScheduling(features)
    pipeline = Pipeline(problem, safe=False)
    pipeline.solve(problem.generate(seed=0, tasks=30, scenarios=5))  # compile
    rows = {}
    for tasks in sizes:
        rounds = 3 if tasks <= 1000 else 2
        instance = problem.generate(seed=7, tasks=tasks, scenarios=50)
        # an instance keeps its arcs and delays: each round has one of its own
        fresh = [problem.read(problem.write(instance)) for _ in range(rounds)]
        times = [time_of(problem.features, x) for x in fresh]
        features_ = features_of(problem, instance)
        raw = pipeline.model.raw()[None, :]
        theta = thetas(features_, raw)[0]
        successor = problem.layer(theta, instance)
        rows[tasks] = {
            "arcs": len(instance.arcs[1]),
            "features": min(times),
            "theta": best_of(lambda f=features_, w=raw: thetas(f, w), rounds),
            "layer": best_of(lambda t=theta, x=instance: problem.layer(t, x), rounds),
            "cost": best_of(lambda s=successor, x=instance: problem.cost(s, x), rounds),
        }
        del features_, theta
        rows[tasks]["whole"] = min(pipeline.solve(problem.read(problem.write(instance))).seconds for _ in range(rounds))
    return rows


def time_of(work: Callable[[object], object], argument: object) -> float:
    begin = time.perf_counter()
    work(argument)
    return time.perf_counter() - begin


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


def learning_times(features: str, names: list[str]) -> dict[str, dict[str, float]]:
    """Seconds of the features, of one evaluation, and with --learn of 1000 evaluations of DIRECT, by training set."""
    problem = VehicleScheduling(features)
    rows: dict[str, dict[str, float]] = {}
    for name in SETS:
        instances = list(paper_set(f"train-{name}"))
        begin = time.perf_counter()
        evaluator = problem.evaluator(instances)
        rows[name] = {"instances": len(instances), "features": time.perf_counter() - begin}
        weights = np.random.default_rng(0).normal(size=(1, len(problem.feature_names)))
        weights[0] = problem.safe_weights
        rows[name]["one evaluation, safe weights"] = best_of(lambda e=evaluator, w=weights: e.losses(w), 3)
        evaluator.close()
        if name in names:
            begin = time.perf_counter()
            start = Pipeline(problem, problem.safe_weights)
            start.fit(instances, method=Direct(), evaluations=1000, validation=0.0)
            rows[name]["direct, 1000 evaluations, features included"] = time.perf_counter() - begin
            rows[name]["paper, 16 threads"] = PAPER_LEARNING[name]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learn", nargs="*", default=[], choices=SETS, help="also 1000 evaluations of DIRECT on these")
    parser.add_argument("--tasks", type=int, nargs="*", default=(200, 1000, 2000, 5000))
    arguments = parser.parse_args()
    document: dict[str, object] = {
        "command": " ".join(["python benchmarks/speed_vehicle_scheduling.py", *sys.argv[1:]]),
        "colayer": __version__,
        "machine": machine(),
    }
    for features in FEATURES:
        rows = pipeline_times(features, tuple(arguments.tasks))
        largest = max(arguments.tasks)
        memory = peak_memory(features, largest)
        document[f"pipeline_{features}"] = {"seconds_by_tasks": rows, f"peak_gb_{largest}_tasks": memory}
        headers = [f"tasks, {features} features, 50 scenarios", *rows[largest]]
        cells = [
            [tasks, row["arcs"], *(duration(t) for k, t in row.items() if k != "arcs")] for tasks, row in rows.items()
        ]
        print(table(headers, cells).text())
        print(f"peak memory at {largest} tasks: {memory:.2f} GB\n")
    document["learning_23"] = learning = learning_times("23", arguments.learn)
    for name, row in learning.items():
        print(name, ", ".join(f"{k}: {v if k == 'instances' else duration(v)}" for k, v in row.items()))
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")


if __name__ == "__main__":
    main()
