"""The pictures of results: `python docs/_site/figures.py` draws what `benchmarks/results/` holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from colayer.comparison.charts import dots, lines_by
from colayer.comparison.contender import Kind
from colayer.comparison.table import Summary
from colayer.display.charts import save

ROOT = Path(__file__).parent.parent.parent
IMAGES = ROOT / "docs" / "images"

#: What is drawn, of what was measured: its name there, here, and what it stands for.
Shown = dict[str, tuple[str, Kind]]
JOBS: Shown = {
    "learned, rdi, 150 samples": ("learned, rdi, 150 samples", "learned"),
    "learned, rdi": ("learned, rdi", "learned"),
    "aprtf+rdi": ("aprtf, then rdi", "rule"),
    "learned, none": ("learned (it is look-ahead)", "learned"),
    "look-ahead": ("look-ahead", "rule"),
    "aprtf": ("aprtf", "rule"),
    "release+ls": ("release order, then ls", "rule"),
    "srpt-midpoint": ("srpt midpoint", "rule"),
}
TREES: Shown = {
    "no first stage": ("nothing bought now", "rule"),
    "approximation": ("approximation algorithm", "rule"),
    "learned, cost": ("learned", "learned"),
    "learned, indicator": ("learned, the paper's features", "learned"),
    "certified": ("certified, 5 times the time", "solver"),
}
VEHICLES: Shown = {
    "deterministic": ("blind to delays", "rule"),
    "safe weights": ("safe weights", "safe"),
    "learned, 23": ("learned, 23 features", "learned"),
    "learned, extended": ("learned, extended", "learned"),
}


def result(name: str) -> dict[str, Any]:
    """What was measured."""
    found: dict[str, Any] = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text("utf-8"))
    return found


def jobs() -> None:
    """Mean and worst gap of rules and learned pipelines."""
    rows = {row["contender"]: row for row in result("quality_single_machine")["rows"]}
    summary = [
        Summary(name, {}, 1, 1, rows[key]["mean_gap"], rows[key]["worst_gap"], 0.0, 0.0, rows[key]["mean_seconds"])
        for key, (name, _) in JOBS.items()
    ]
    save(dots(summary, [kind for _, kind in JOBS.values()], "gap"), IMAGES / "gaps.svg")


def by_size(shown: Shown, key: str, found: dict[str, dict[str, Any]], file: str) -> None:
    """Mean gap of each, by size; `found` by contender and size."""
    sizes = [int(size) for size in found[next(iter(shown))]]
    series = {name: np.array([100.0 * found[k][str(s)]["mean_gap"] for s in sizes]) for k, (name, _) in shown.items()}
    save(lines_by(key, sizes, series, [kind for _, kind in shown.values()]), IMAGES / file)


if __name__ == "__main__":
    jobs()
    by_size(TREES, "nodes", result("quality_spanning_tree")["by_nodes"], "spanning_tree_gaps.svg")
    tasks = result("quality_vehicle_scheduling")["by_tasks"]
    turned = {name: {size: rows[name] for size, rows in tasks.items()} for name in VEHICLES}
    by_size(VEHICLES, "tasks", turned, "vehicle_scheduling_cost_by_size.svg")
