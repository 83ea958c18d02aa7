"""How tight the Lagrangian bound is, and how fast: `python benchmarks/certify_spanning_tree.py`.

On the paper's test distribution (6 widths × 5 K × 4 numbers of scenarios × PER_CELL grids): the gap between bound and
heuristic within 1000 iterations, the time to a gap of 0.01 % and to the end, and what branch and bound makes of the
gaps that are left. Each instance is a line of the log (default: runs/certify_spanning_tree.jsonl); started again, the
benchmark goes on where it was. Writes benchmarks/results/certify_spanning_tree.json and
docs/images/spanning_tree_bound.svg.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from measure import machine

from colayer import __version__
from colayer._runtime.text import counted
from colayer.display.charts import FAINT, GRID, INK, save
from colayer.display.tables import duration, percent, table
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.instance import PAPER_SCENARIOS, PAPER_SECOND_MAX, PAPER_WIDTHS, Instance, generate
from colayer.problems.spanning_tree.lagrangian import Lagrangian, lagrangian, relative_gap
from colayer.problems.spanning_tree.solvers import BASELINES, exact
from colayer_paper.spanning_tree.datasets import paper_set

ROOT = Path(__file__).parent.parent
ITERATIONS = 1000
TARGET = 1e-4
PAPER_SIZE = 600
ROUNDING = 1e-9  # a relative gap that cannot be told from 0


def certify(instance: Instance) -> dict:
    quick = lagrangian(instance, iterations=ITERATIONS, tolerance=TARGET)
    full = lagrangian(instance, iterations=ITERATIONS, tolerance=0.0)
    record = {
        "cost": full.cost,
        "bound": full.bound,
        "gap": full.gap,
        "iterations": full.iterations,
        "seconds": full.seconds,
        "target_iterations": quick.iterations,
        "target_seconds": quick.seconds,
        "target_gap": quick.gap,
    }
    began = time.perf_counter()
    solution, bound, proved = (
        exact(instance, start=full.solution) if full.gap > 0 else (full.solution, full.bound, True)
    )
    record |= {
        "exact_cost": cost(solution, instance),
        "exact_gap": relative_gap(cost(solution, instance), bound),
        "exact_seconds": time.perf_counter() - began if full.gap > 0 else full.seconds,
        "proved": proved,
    }
    for rule in ("approximation", "no first stage"):
        record[rule] = relative_gap(cost(BASELINES[rule](instance), instance), bound)
    return record


def cells(per_cell: int) -> list[dict]:
    """What `paper_set` goes through, in its order."""
    return [
        {"width": width, "second_max": second_max, "scenarios": scenarios, "number": k}
        for width in PAPER_WIDTHS
        for second_max in PAPER_SECOND_MAX
        for scenarios in PAPER_SCENARIOS
        for k in range(per_cell)
    ]


def run(per_cell: int, log: Path) -> list[dict]:
    known = {}
    if log.exists():
        for line in log.read_bytes().splitlines():
            record = msgspec.json.decode(line)
            known[tuple(record[key] for key in ("width", "second_max", "scenarios", "number"))] = record
    certify(generate(0, width=4, scenarios=3))  # compile
    log.parent.mkdir(parents=True, exist_ok=True)
    records = []
    with log.open("ab") as file:
        for cell, instance in zip(cells(per_cell), paper_set("test", per_cell), strict=True):
            key = tuple(cell.values())
            if key not in known:
                known[key] = cell | certify(instance)
                file.write(msgspec.json.encode(known[key]) + b"\n")
                file.flush()
            records.append(known[key])
            if len(records) % 20 == 0:
                sys.stderr.write(f"{len(records)} instances\n")
    return records


def summary(records: list[dict]) -> dict:
    def values(key: str) -> np.ndarray:
        return np.array([record[key] for record in records], dtype=float)

    gap = values("gap")
    return {
        "instances": len(records),
        "gap_share_within_0.01_percent": float(np.mean(gap <= TARGET)),
        "gap_share_zero": float(np.mean(gap == 0)),
        "gap_mean": float(gap.mean()),
        "gap_worst": float(gap.max()),
        "iterations_mean": float(values("iterations").mean()),
        "iterations_worst": int(values("iterations").max()),
        "seconds_mean": float(values("seconds").mean()),
        "milliseconds_per_iteration": float(1e3 * values("seconds").sum() / values("iterations").sum()),
        "target_iterations_mean": float(values("target_iterations").mean()),
        "target_iterations_worst": int(values("target_iterations").max()),
        "target_seconds_mean": float(values("target_seconds").mean()),
        "target_seconds_worst": float(values("target_seconds").max()),
        "exact_gap_share_zero": float(np.mean(values("exact_gap") == 0)),
        "exact_gap_worst": float(values("exact_gap").max()),
        "exact_seconds_mean": float(values("exact_seconds").mean()),
        "approximation_gap_mean": float(values("approximation").mean()),
        "no_first_stage_gap_mean": float(values("no first stage").mean()),
    }


def convergence(found: Lagrangian) -> Axes:
    """Lower bound and best cost by iteration, on the range they move in once the first steps are made."""
    ax = Figure(figsize=(6.4, 3.8), layout="constrained").subplots()
    iteration = np.arange(1, found.iterations + 1)
    for values, colour, label in ((found.costs, "#E69F00", "best cost"), (found.bounds, "#0072B2", "lower bound")):
        ax.step(iteration, values, where="post", color=colour, lw=1.8, label=label)
    ax.fill_between(iteration, found.bounds, found.costs, step="post", color=FAINT, alpha=0.15, lw=0)
    settled = min(found.iterations // 10, 10)
    low, high = float(found.bounds[settled]), float(found.costs[settled])
    pad = max(0.08 * (high - low), 1e-6 * abs(high)) or 1.0
    ax.set_ylim(low - pad, high + pad)
    ax.margins(x=0.02)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(color=FAINT, labelcolor=INK, labelsize=9)
    ax.grid(visible=True, color=GRID, lw=0.7)
    ax.set_axisbelow(True)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.8g}"))
    gap = f"gap {100 * found.gap:.2g} %" if found.gap > ROUNDING else "bound and cost meet, the solution is optimal"
    ax.set_title(f"After {counted(found.iterations, 'iteration')}: {gap}", fontsize=11, color=INK)
    ax.set_xlabel("iteration", color=INK)
    ax.set_ylabel("cost", color=INK)
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=2, help="instances per (width, K, scenarios); 5 is the paper's")
    parser.add_argument("--log", type=Path, default=ROOT / "runs" / "certify_spanning_tree.jsonl")
    arguments = parser.parse_args()
    records = run(arguments.per_cell, arguments.log)
    by_width = {width: summary([r for r in records if r["width"] == width]) for width in PAPER_WIDTHS}
    whole = summary(records)
    times = PAPER_SIZE / len(records)
    document = {
        "command": f"python benchmarks/certify_spanning_tree.py --per-cell {arguments.per_cell}",
        "colayer": __version__,
        "machine": machine(),
        "set": "test",
        "iterations_allowed": ITERATIONS,
        "seconds_for_600_instances": {
            "to a gap of 0.01 %": times * sum(r["target_seconds"] for r in records),
            "to the end of the ascent": times * sum(r["seconds"] for r in records),
            "with branch and bound": times * sum(r["exact_seconds"] for r in records),
        },
        "all": whole,
        "by_width": by_width,
    }
    output = ROOT / "benchmarks" / "results" / "certify_spanning_tree.json"
    output.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    headers = ["width", "gap <= 0.01 %", "gap = 0", "worst gap", "iterations", "an iteration", "to 0.01 %", "optimal"]
    rows = [
        [
            str(name),
            percent(part["gap_share_within_0.01_percent"]),
            percent(part["gap_share_zero"]),
            percent(part["gap_worst"]),
            f"{part['iterations_mean']:.0f}",
            duration(part["milliseconds_per_iteration"] / 1e3),
            duration(part["target_seconds_mean"]),
            percent(part["exact_gap_share_zero"]),
        ]
        for name, part in [*by_width.items(), ("all", whole)]
    ]
    drawn = lagrangian(generate(3, width=40, scenarios=20), tolerance=0.0)
    save(convergence(drawn), ROOT / "docs" / "images" / "spanning_tree_bound.svg")
    print(table(headers, rows).text())
    for what, seconds in document["seconds_for_600_instances"].items():
        print(f"{PAPER_SIZE} instances {what}: {duration(seconds)}")


if __name__ == "__main__":
    main()
