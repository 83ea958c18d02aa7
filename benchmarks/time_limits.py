"""What `solve(time_limit=t)` takes: `python benchmarks/time_limits.py [--quick] [--force]`.

CPU milliseconds of one thread, the worst of the rounds, each on a fresh copy of the instance, bound included. A limit
holds where that is at most 1.2·t + 5 ms; what goes beyond is marked. Beside it, when the first solution was there.
"""

from __future__ import annotations

import argparse
import pickle
import time
from typing import Any

from measure import Bench, add_force

from colayer import Pipeline
from colayer._runtime.threads import limited
from colayer.display.tables import table
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling

LIMITS = (0.001, 0.01, 0.1, 1.0)
#: title → problem, sizes of its instance.
CASES: dict[str, tuple[Any, dict[str, int]]] = {
    "1000 jobs": (SingleMachine(), {"jobs": 1000}),
    "3000 jobs": (SingleMachine(), {"jobs": 3000}),
    "900 nodes": (SpanningTree(), {"width": 30}),
    "3600 nodes": (SpanningTree(), {"width": 60}),
    "1000 tasks, 23 features": (VehicleScheduling("23"), {"tasks": 1000, "scenarios": 50}),
    "5000 tasks, 23 features": (VehicleScheduling("23"), {"tasks": 5000, "scenarios": 50}),
    "5000 tasks, extended": (VehicleScheduling("extended"), {"tasks": 5000, "scenarios": 50}),
    "5000 tasks, rounds": (VehicleScheduling("rounds"), {"tasks": 5000, "scenarios": 50}),
}


def allowed(limit: float) -> float:
    """The seconds at which a limit still holds."""
    return 1.2 * limit + 0.005


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="no more than 3600 nodes and 1000 tasks")
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("time_limits", arguments.force)
    rows, cells = {}, []
    for title, (problem, sizes) in CASES.items():
        if arguments.quick and sizes.get("tasks", 0) > 1000:
            continue
        pipeline = Pipeline(problem)
        instance = problem.generate(seed=1, **sizes)
        with limited(1):
            pipeline.solve(problem.generate(seed=1, **{**sizes, **dict.fromkeys(list(sizes)[:1], 20)}), time_limit=0.5)
            rows[title] = {limit: _worst(pipeline, instance, limit, arguments.rounds) for limit in LIMITS}
        cells.append([title, *(_cell(limit, *rows[title][limit]) for limit in LIMITS)])
        print(*cells[-1], sep="\t", flush=True)
    print(table(["CPU ms at a limit of", *(f"{1000 * limit:g} ms" for limit in LIMITS)], cells).text())
    bench.write({"command": f"python benchmarks/time_limits.py --rounds {arguments.rounds}", "cpu_and_first": rows})


def _worst(pipeline: Pipeline[Any, Any, Any], instance: Any, limit: float, rounds: int) -> tuple[float, float | None]:
    """CPU seconds of the slowest solve, and the latest first solution."""
    found = []
    for _ in range(rounds):
        fresh = pickle.loads(pickle.dumps(instance))  # nothing cached
        begin = time.process_time()
        solved = pipeline.solve(fresh, time_limit=limit)
        found.append((time.process_time() - begin, getattr(solved, "first_seconds", None) or 0.0))
    return max(cpu for cpu, _ in found), max(first for _, first in found)


def _cell(limit: float, cpu: float, first: float) -> str:
    return f"{1000 * cpu:.1f}{'' if cpu <= allowed(limit) else ' !'} ({1000 * first:.1f})"


if __name__ == "__main__":
    main()
