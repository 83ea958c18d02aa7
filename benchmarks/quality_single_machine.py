"""Solution quality of the shipped weights on the paper's test distribution: `make quality`.

For each decoder: mean and worst gap to the SRPT bound over 12 sizes × 10 ρ × PER_CELL test instances (none of which was
learned on), as a ratio to the plain rule that the decoder has to beat on the same instances. Writes
benchmarks/results/quality_single_machine.json, which `docs/_site/figures.py` draws.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec
from measure import machine

from colayer import Pipeline, __version__, evaluate
from colayer.comparison.contender import Contender, contenders_named, pipeline_contender
from colayer.display.tables import duration, percent, table
from colayer.problems import SingleMachine
from colayer_paper.single_machine.datasets import paper_set

ROOT = Path(__file__).parent.parent
SAMPLES = 150


def contenders() -> list[Contender]:
    plain = SingleMachine()
    chosen: dict = {rule: lambda x, rule=rule: plain.baseline(rule, x) for rule in plain.baselines}
    for decoder in plain.decoders:
        for safe in (False, True):
            chosen[f"learned, {decoder}" + ", safe" * safe] = Pipeline(SingleMachine(decoder=decoder), safe=safe)
    chosen["learned, 27 features, none"] = Pipeline(SingleMachine("27", "none"), safe=False)
    # the same weights through ls: rdi may never be worse
    chosen["rdi weights through ls"] = Pipeline.from_model(
        SingleMachine(decoder="ls"), chosen["learned, rdi"].model, safe=False
    )
    perturbed = [
        pipeline_contender(f"{name.replace('rdi', f'rdi, {SAMPLES} samples')}", chosen[name], samples=SAMPLES, seed=0)
        for name in ("learned, rdi", "learned, rdi, safe")
    ]
    return [*contenders_named(chosen), *perturbed]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=20, help="instances per (size, rho); 20 gives the paper's 2400")
    arguments = parser.parse_args()
    instances = paper_set("test", arguments.per_cell)

    def progress(done: int, total: int) -> None:
        if done % 5000 == 0:
            sys.stderr.write(f"{done} of {total}\n")

    comparison = evaluate(SingleMachine(), instances, contenders(), progress=progress)
    width = len(comparison.contenders)
    at = {name: k for k, name in enumerate(comparison.contenders)}
    worse = sum(
        comparison.results[i * width + at["learned, rdi"]].cost
        > comparison.results[i * width + at["rdi weights through ls"]].cost
        for i in range(len(instances))
    )
    rows = []
    for row in comparison.summary():
        reference = "srpt-midpoint" if "none" in row.contender else "release+ls"
        rows.append(
            {
                "contender": row.contender,
                "mean_gap": row.mean_gap,
                "worst_gap": row.worst_gap,
                "ratio": comparison.ratio(row.contender, reference),
                "ratio_to": reference,
                "mean_seconds": row.mean_seconds,
            }
        )
    by_size: dict[str, dict[int, float | None]] = {}
    for row in comparison.by("jobs"):
        by_size.setdefault(row.contender, {})[int(row.group["jobs"])] = row.mean_gap
    document = {
        "command": f"python benchmarks/quality_single_machine.py --per-cell {arguments.per_cell}",
        "colayer": __version__,
        "machine": machine(),
        "instances": len(instances),
        "rdi_above_ls": worse,
        "rows": rows,
        "mean_gap_by_size": by_size,
    }
    output = ROOT / "benchmarks" / "results" / "quality_single_machine.json"
    output.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    headers = ["contender", "mean gap", "worst gap", "ratio", "to", "time"]
    cells = [
        [
            row["contender"],
            percent(row["mean_gap"]),
            percent(row["worst_gap"]),
            f"{row['ratio']:.3f}",
            row["ratio_to"],
            duration(row["mean_seconds"]),
        ]
        for row in rows
    ]
    print(table(headers, cells).text())
    print(f"rdi above ls for the same weights on {worse} of {len(instances)} instances")


if __name__ == "__main__":
    main()
