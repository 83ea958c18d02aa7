"""How often the pipelines find an optimal schedule: `python benchmarks/optimality_single_machine.py`.

n = 5..12, 20, 25, 30, 50, 75 and 100 against branch and bound, at each of the ten ρ. None
may ever be below the optimum. Writes benchmarks/results/optimality_single_machine.json.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import msgspec
import numpy as np
from measure import machine

from colayer import Pipeline, __version__
from colayer.display.tables import duration, percent, table
from colayer.problems import SingleMachine
from colayer.problems.single_machine import PAPER_RHO

RESULTS = Path(__file__).parent / "results" / "optimality_single_machine.json"
SOLVERS = ("none", "ls", "rdi", "perturbed rdi")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=10, help="instances per (n, rho)")
    parser.add_argument("--time-limit", type=float, default=60.0, help="of branch and bound, per instance")
    arguments = parser.parse_args()
    problems = {d: SingleMachine(decoder=d) for d in SingleMachine.decoders}
    pipelines = {d: Pipeline(p, safe=False) for d, p in problems.items()}
    problem = problems["none"]
    rows = []
    for n in (5, 6, 7, 8, 9, 10, 11, 12, 20, 25, 30, 50, 75, 100):
        found: dict[str, list[float]] = {name: [] for name in SOLVERS}
        optima, seconds, unproved = [], [], 0
        for rho in PAPER_RHO:
            for k in range(arguments.per_cell):
                instance = problem.generate(np.random.SeedSequence([3, n, round(100 * rho), k]), jobs=n, rho=rho)
                begin = time.perf_counter()
                sequence, _, proved = problem.exact(instance, time_limit=arguments.time_limit)
                if not proved:
                    unproved += 1
                    continue
                seconds.append(time.perf_counter() - begin)
                optima.append(problem.cost(sequence, instance))
                for name in SOLVERS:
                    decoder, samples = ("rdi", 150) if name.startswith("perturbed") else (name, 0)
                    found[name].append(pipelines[decoder].solve(instance, samples=samples).cost)
        best = np.array(optima)
        row: dict[str, object] = {"jobs": n, "proved": len(best), "unproved": unproved, "slowest": max(seconds)}
        for name in SOLVERS:
            costs = np.array(found[name])
            row[name] = {
                "below": int((costs < best).sum()),
                "met": float((costs == best).mean()),
                "mean_gap": float(((costs - best) / best).mean()),
            }
        rows.append(row)
        print(n, "done", flush=True)
    document = {
        "command": f"python benchmarks/optimality_single_machine.py --per-cell {arguments.per_cell}",
        "colayer": __version__,
        "machine": machine(),
        "rows": rows,
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    headers = ["jobs", "proved", "slowest", *(f"{name}: met" for name in SOLVERS), "gap, perturbed", "below"]
    cells = [
        [
            row["jobs"],
            f"{row['proved']} of {row['proved'] + row['unproved']}",
            duration(row["slowest"]),
            *(percent(row[name]["met"]) for name in SOLVERS),
            percent(row["perturbed rdi"]["mean_gap"]),
            sum(row[name]["below"] for name in SOLVERS),
        ]
        for row in rows
    ]
    print(table(headers, cells).text())


if __name__ == "__main__":
    main()
