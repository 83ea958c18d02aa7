"""`vsp-data`: the paper's counts beside ours, and what the instances are like."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems import VehicleScheduling
from colayer_paper.frame.config import read_config
from colayer_paper.vehicle_scheduling.data import held_out, instance_at
from colayer_paper.vehicle_scheduling.datasets import paper_set
from tiny_experiments import TinyRun, column, tiny


def test_all_counts_of_the_paper_stand_beside_ours(tiny_run: TinyRun) -> None:
    counts = tiny_run.outcome("vsp-data").sheets[0]
    assert sum(cell.paper for cell in column(counts, "test")) == 296  # type: ignore[misc]
    # ours are those of the tiny sets: 50 and 200 tasks, two of each
    ours = zip(column(counts, "tasks"), column(counts, "test"), strict=True)
    assert {tasks.value: cell.value for tasks, cell in ours if cell.value} == {50: 2, 200: 2}


def test_the_files_of_the_experiment(tiny_run: TinyRun) -> None:
    tiny_run.outcome("vsp-data")
    files = {path.name for path in (tiny_run.folder / "vsp-data").iterdir()}
    assert files == {"outcome.json", "counts.csv", "measured.csv"}


def test_measures_are_those_of_the_instances(tiny_run: TinyRun) -> None:
    """One instance per cell is measured: of 50 tasks, by hand."""
    measured = tiny_run.outcome("vsp-data").sheets[1]
    row = {c.name: cell.value for c, cell in zip(measured.columns, measured.rows[0], strict=True)}
    instance, problem = instance_at((50, 50, 0)), VehicleScheduling("23")
    assert (row["size"], row["tasks"], row["instances"]) == ("moderate", 50, 1)
    assert row["arcs"] == len(instance.arcs[1])
    assert row["share of the pairs"] == pytest.approx(len(instance.arcs[1]) / (50 * 49 / 2))
    safe = problem.layer(problem.features(instance) @ np.array(problem.safe_weights), instance)
    assert row["vehicles"] == (safe < 0).sum()
    assert row["cost per task, safe weights"] == pytest.approx(problem.cost(safe, instance) / 50)
    assert row["bound per task"] == pytest.approx(problem.bound(instance) / 50)
    shipped, bound = row["cost per task, shipped weights"], row["bound per task"]
    assert row["gap"] == pytest.approx(100 * (shipped / bound - 1))


def test_held_out_instances_are_those_of_the_test_set() -> None:
    """Cells are named to be resumed one by one: they must be the instances of the set, in its order."""
    config = tiny("vsp-test")
    whole = list(paper_set("test", **config["sets"]["test"]))
    cells = held_out(config)
    assert len(cells) == len(whole)
    for cell, instance in zip(cells, whole, strict=True):
        np.testing.assert_array_equal(instance_at(cell).begin, instance.begin)


def test_cells_at_paper_scale() -> None:
    """Eight of each, as in the paper, but for the largest, which have 50 scenarios alone and may be fewer."""
    config = read_config("vsp-test", "paper")
    cells = held_out(config)
    assert {scenarios for tasks, scenarios, _ in cells if tasks >= 2000} == {50}
    assert {k for *_, k in cells} == set(range(8))
    largest = [k for tasks, _, k in cells if tasks == 5000]
    assert largest == list(range(config["largest"]))
    assert len(cells) == 36 * 8 + len(largest)
    assert held_out(config, 99) == cells  # no more than the scale has
    assert {k for *_, k in held_out(config, 1)} == {0}
