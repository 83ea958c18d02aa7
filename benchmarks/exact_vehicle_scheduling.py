"""How often column generation proves the optimum, and how far the pipelines are from it.

`python benchmarks/exact_vehicle_scheduling.py`: 50 tasks (and 75, 100 with --more) at 50 to 1000 scenarios. Nothing may
ever be below the optimum. Writes benchmarks/results/exact_vehicle_scheduling.json.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from measure import machine

from colayer import __version__
from colayer.display.tables import duration, percent, table
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.decoder import decode
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta

RESULTS = Path(__file__).parent / "results" / "exact_vehicle_scheduling.json"
SCENARIOS = (50, 100, 200, 500, 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=10, help="instances per number of scenarios")
    parser.add_argument("--time-limit", type=float, default=600.0, help="per instance, in seconds")
    parser.add_argument("--more", action="store_true", help="75 and 100 tasks as well")
    arguments = parser.parse_args()
    problem = VehicleScheduling()
    problem.exact(problem.generate(0, tasks=10, scenarios=150))  # compiles
    sizes = [(n, s) for n in ((50, 75, 100) if arguments.more else (50,)) for s in SCENARIOS]
    rows = [measure(problem, n, s, arguments.per_cell, arguments.time_limit) for n, s in sizes]
    document = {
        "command": f"python benchmarks/exact_vehicle_scheduling.py --per-cell {arguments.per_cell}"
        f" --time-limit {arguments.time_limit:g}{' --more' * arguments.more}",
        "colayer": __version__,
        "machine": machine(),
        "rows": rows,
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    headers = ["tasks", "scenarios", "proved", "mean", "slowest", "layer bound", "ls", "safe", "deterministic", "below"]
    cells = [
        [
            row["tasks"],
            row["scenarios"],
            f"{row['proved']} of {row['instances']}",
            duration(row["mean_seconds"]),
            duration(row["slowest"]),
            *(percent(row["gaps"][name]) for name in ("layer bound", "ls", "safe", "deterministic")),
            row["below"],
        ]
        for row in rows
    ]
    print(table(headers, cells).text())


def measure(problem: VehicleScheduling, tasks: int, scenarios: int, count: int, time_limit: float) -> dict[str, Any]:
    """One row: times of the proof (of the processor, too: other work on the machine does not count), mean gaps."""
    seconds, processor, proved, below = [], [], 0, 0
    gaps: dict[str, list[float]] = {"layer bound": [], "ls": [], "safe": [], "deterministic": [], "unproved": []}
    for k in range(count):
        instance = problem.generate(np.random.SeedSequence([4, tasks, scenarios, k]), tasks=tasks, scenarios=scenarios)
        safe = layer(safe_theta(instance), instance)
        begin, used = time.perf_counter(), time.process_time()
        solution, bound, done = problem.exact(instance, time_limit=time_limit)
        seconds.append(time.perf_counter() - begin)
        processor.append(time.process_time() - used)
        best = problem.cost(solution, instance)
        proved += done
        gaps["unproved"].append((best - bound) / bound)
        gaps["layer bound"].append((best - problem.bound(instance)) / problem.bound(instance))
        found = {
            "safe": safe,
            "ls": decode(safe, instance, "ls"),
            "deterministic": problem.baseline("deterministic", instance),
        }
        for name, other in found.items():
            cost = problem.cost(other, instance)
            gaps[name].append((cost - best) / best)
            below += cost < best * (1.0 - 1e-9)
        print(tasks, scenarios, k, done, f"{seconds[-1]:.1f} s", flush=True)
    return {
        "tasks": tasks,
        "scenarios": scenarios,
        "instances": count,
        "proved": proved,
        "mean_seconds": float(np.mean(seconds)),
        "slowest": max(seconds),
        "mean_processor_seconds": float(np.mean(processor)),
        "gaps": {name: float(np.mean(values)) for name, values in gaps.items()},
        "below": below,
    }


if __name__ == "__main__":
    main()
