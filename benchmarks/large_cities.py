"""Large cities, 23 features, 50 scenarios: `python benchmarks/large_cities.py [--tasks N …] [--whole N …]`.

CPU seconds and peak memory of one solve, bound included, each in a process of its own, one thread: by the arcs near in
time with a proof by the duals, and, up to `--whole` tasks, on all arcs; costs and bounds must be equal. Then the
seconds by the clock of another with two threads, which mean something where nothing else runs.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

from measure import write_results

from colayer import Pipeline
from colayer._runtime.threads import limited
from colayer.display.tables import table
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling import near


def solve_one(tasks: int, whole: bool) -> dict[str, Any]:
    """One solve in this process, after one that compiles."""
    problem = VehicleScheduling("23")
    pipeline = Pipeline(problem)
    pipeline.solve(problem.generate(seed=1, tasks=near.FEWEST, scenarios=2))
    if whole:
        near.FEWEST = tasks + 1
        pipeline.solve(problem.generate(seed=1, tasks=20, scenarios=2))
    instance = problem.generate(seed=7, tasks=tasks, scenarios=50)
    with limited(1):
        begin = time.process_time()
        solved = pipeline.solve(instance)
        seconds = time.process_time() - begin
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    arcs = len(instance.arcs[1]) if whole else len(vars(instance)["near"].heads)
    found = {"cpu": seconds, "gb": gigabytes, "arcs": arcs, "cost": solved.cost, "bound": solved.bound}
    del instance, solved
    instance = problem.generate(seed=7, tasks=tasks, scenarios=50)
    with limited(2):
        begin = time.perf_counter()
        pipeline.solve(instance)
        found["clock"] = time.perf_counter() - begin
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, nargs="*", default=(2000, 5000, 10000, 20000))
    parser.add_argument("--whole", type=int, nargs="*", default=(2000, 5000), help="sizes solved on all arcs too")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(solve_one(*json.loads(arguments.one))))
        return
    rows = {}
    for tasks in arguments.tasks:
        for whole in (False, True) if tasks in arguments.whole else (False,):
            command = [sys.executable, __file__, "--one", json.dumps([tasks, whole])]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows[f"{tasks} tasks, {'all arcs' if whole else 'near arcs'}"] = found = json.loads(done.stdout)
            print(tasks, whole, found, flush=True)
        if tasks in arguments.whole:
            one, other = rows[f"{tasks} tasks, near arcs"], rows[f"{tasks} tasks, all arcs"]
            assert one["cost"] == other["cost"]
            assert abs(one["bound"] - other["bound"]) <= 1e-9 * other["bound"]
    headers = ["50 scenarios, 23 features", "CPU s", "s, two threads", "GB", "arcs", "cost"]
    cells = [
        [name, *(f"{r[key]:.2f}" for key in ("cpu", "clock", "gb")), r["arcs"], f"{r['cost']:.1f}"]
        for name, r in rows.items()
    ]
    print(table(headers, cells).text())
    write_results("large_cities", {"solves": rows})


if __name__ == "__main__":
    main()
