"""Solution quality of the shipped weights on the paper's test distribution: `make quality`.

For each decoder: mean and worst gap to the SRPT bound over 12 sizes × 10 ρ × PER_CELL test instances (none of which was
learned on), as a ratio to the plain rule that the decoder has to beat on the same instances. Writes the table to
experiments/results/.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import time
from pathlib import Path

import msgspec
import numpy as np

from colayer import Pipeline, __version__
from colayer.problems import SingleMachine
from colayer.problems.single_machine.datasets import paper_set
from colayer.report.tables import duration, percent, table

RESULTS = Path(__file__).parent.parent / "experiments" / "results"


def gaps_of(costs: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    return (costs - bounds) / bounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=20, help="instances per (size, rho); 20 is the paper's 2400")
    parser.add_argument("--samples", type=int, default=150, help="perturbed weight vectors; 0 leaves them out")
    parser.add_argument("--output", type=Path, default=RESULTS / "quality_single_machine.json")
    arguments = parser.parse_args()
    instances = paper_set("test", arguments.per_cell)
    problems = {decoder: SingleMachine(decoder=decoder) for decoder in SingleMachine.decoders}
    bounds = np.array([problems["none"].bound(instance) for instance in instances])
    costs: dict[str, np.ndarray] = {}
    seconds: dict[str, float] = {}

    def run(name: str, solve) -> None:  # type: ignore[no-untyped-def]
        solve(instances[0])  # compile
        begin = time.perf_counter()
        costs[name] = np.array([solve(instance) for instance in instances])
        seconds[name] = (time.perf_counter() - begin) / len(instances)
        print(f"{name}: {percent(gaps_of(costs[name], bounds).mean())} in {duration(seconds[name])} each", flush=True)

    for rule in SingleMachine.baselines:
        problem = problems["none"]
        run(rule, lambda x, rule=rule, problem=problem: problem.cost(problem.baseline(rule, x), x))
    for decoder, problem in problems.items():
        for safe in (False, True):
            pipeline = Pipeline(problem, safe=safe)
            name = f"learned, {decoder}" + (", safe" if safe else "")
            run(name, lambda x, pipeline=pipeline: pipeline.solve(x).cost)
    # the same weights after ls and after rdi: rdi may never be worse
    same = Pipeline.from_model(problems["ls"], Pipeline(problems["rdi"]).model, safe=False)
    run("rdi weights after ls", lambda x: same.solve(x).cost)
    if arguments.samples:
        for safe in (False, True):
            pipeline = Pipeline(problems["rdi"], safe=safe)
            name = f"learned, perturbed rdi ({arguments.samples})" + (", safe" if safe else "")
            run(name, lambda x, pipeline=pipeline: pipeline.solve(x, samples=arguments.samples, seed=0).cost)

    gaps = {name: gaps_of(cost, bounds) for name, cost in costs.items()}
    rows = []
    for name, gap in gaps.items():
        plain = "srpt-midpoint" if "none" in name else "release+ls"
        rows.append(
            {
                "contender": name,
                "mean_gap": float(gap.mean()),
                "worst_gap": float(gap.max()),
                "ratio": float(gap.mean() / gaps[plain].mean()),
                "ratio_to": plain,
                "mean_seconds": seconds[name],
            }
        )
    worse = int((costs["learned, rdi"] > costs["rdi weights after ls"]).sum())
    sizes = np.array([instance.jobs for instance in instances])
    by_size = {name: {int(n): float(gap[sizes == n].mean()) for n in np.unique(sizes)} for name, gap in gaps.items()}
    document = {
        "command": "python benchmarks/quality_single_machine.py "
        f"--per-cell {arguments.per_cell} --samples {arguments.samples}",
        "colayer": __version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "instances": len(instances),
        "rdi_above_ls": worse,
        "rows": rows,
        "mean_gap_by_size": by_size,
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    headers = ["contender", "mean gap", "worst gap", "ratio", "to", "time"]
    cells = [
        [
            row["contender"],
            percent(row["mean_gap"]),
            percent(row["worst_gap"]),
            f"{row['ratio']:.3f}" if math.isfinite(row["ratio"]) else "",
            row["ratio_to"],
            duration(row["mean_seconds"]),
        ]
        for row in rows
    ]
    print(table(headers, cells).text())
    print(f"rdi above ls for the same weights on {worse} of {len(instances)} instances")


if __name__ == "__main__":
    main()
