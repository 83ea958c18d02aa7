"""Speed of stochastic vehicle scheduling: `python benchmarks/speed_vehicle_scheduling.py [--learn SET…]`.

The whole pipeline by size, 50 scenarios, bound included: CPU and wall time and peak memory of a process that has its
kernels compiled and does nothing else. With the 23 features, large cities are solved on the arcs near in time; beside
it, on all arcs, which must cost the same. Then one loss evaluation over each training set; with --learn, 1000
evaluations of DIRECT on the sets named, the paper's times beside them. The output, with the machine, also goes to
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

import msgspec
import numpy as np
from measure import Bench, Time, add_force

from colayer import Direct, Pipeline, __version__
from colayer.display.tables import duration, table
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling import near
from colayer_paper.vehicle_scheduling.datasets import paper_set

#: Of one evaluation.
ROUNDS = 3
SETS = ("small", "moderate", "all")
#: Seconds of 1000 iterations of DIRECT on 16 threads (paper, section 5.2).
PAPER_LEARNING = {"small": 80, "moderate": 10 * 60 + 56, "all": 2 * 3600 + 56 * 60 + 40}
#: Ways to solve: features, and whether on all arcs; and the most tasks that they are measured with.
WAYS = {"23 features": ("23", False, 20_000), "23, all arcs": ("23", True, 5000), "extended": ("extended", True, 5000)}


def in_own_process(features: str, everything: bool, tasks: int) -> dict[str, float]:
    """What `solve_one` prints."""
    code = f"import speed_vehicle_scheduling as speed; speed.solve_one({features!r}, {everything}, {tasks})"
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, text=True, check=True)
    return msgspec.json.decode(done.stdout, type=dict[str, float])


def solve_one(features: str, everything: bool, tasks: int) -> None:
    """Solve one instance; print CPU and wall seconds, peak memory of this process in GB, cost and bound."""
    few, near.FEWEST = near.FEWEST, 30
    problem = VehicleScheduling(features)
    pipeline = Pipeline(problem)
    for _ in range(2):  # both ways are compiled
        pipeline.solve(problem.generate(seed=0, tasks=600, scenarios=5))
        near.FEWEST = 10**9 if everything else few
    instance = problem.generate(seed=7, tasks=tasks, scenarios=50)
    cpu, wall = time.process_time(), time.perf_counter()
    solved = pipeline.solve(instance)
    row = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    row |= {"gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, "cost": solved.cost}
    print(msgspec.json.encode({**row, "bound": solved.bound}).decode())


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
    parser.add_argument("--tasks", type=int, nargs="*", default=(1000, 2000, 5000, 20_000))
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS, help="the training sets to evaluate")
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("speed_vehicle_scheduling", arguments.force)
    document: dict[str, object] = {
        "command": " ".join(["python benchmarks/speed_vehicle_scheduling.py", *sys.argv[1:]]),
        "colayer": __version__,
    }
    for title, (features, everything, most) in WAYS.items():
        sizes = [tasks for tasks in arguments.tasks if tasks <= most]
        rows = {tasks: in_own_process(features, everything, tasks) for tasks in sizes}
        document[title] = rows
        headers = [title, "cpu", "wall", "GB", "cost", "bound"]
        cells = [
            [tasks, duration(row["cpu"]), duration(row["wall"]), f"{row['gb']:.2f}", row["cost"], row["bound"]]
            for tasks, row in rows.items()
        ]
        print(table(headers, cells).text(), flush=True)
    document["learning_23"] = learning = learning_times(bench, "23", arguments.sets, arguments.learn)
    for name, row in learning.items():
        said = {k: duration(v.wall) if isinstance(v, Time) else v for k, v in row.items()}
        print(name, ", ".join(f"{k}: {v}" for k, v in said.items()))
    bench.write(document)


if __name__ == "__main__":
    main()
