"""What the spanning tree experiments share: data by seed, bounds, labels, and learning that is done once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from colayer.experiments.frame.config import read_config
from colayer.experiments.frame.store import Run
from colayer.experiments.spanning_tree.learners import bounded, experienced, held, labels, training
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.datasets import paper_set
from colayer.problems.spanning_tree.lagrangian import lagrangian
from support.tiny_experiments import TinyRun, tiny

CONFIG = tiny("tree-gap")


def test_sets_are_the_papers_and_made_once() -> None:
    assert training(CONFIG) is training(CONFIG)
    assert training(CONFIG).identity == {"set": "training", "per_cell": 1, "widths": (4, 5)}
    assert held(CONFIG, "test").identity["set"] == "test"
    expected = paper_set("validation", 1, (4, 5))
    found = held(CONFIG, "validation").values
    assert [x.second.tobytes() for x in found] == [x.second.tobytes() for x in expected]


def test_a_learner_may_have_more_instances_than_the_others() -> None:
    """At paper scale demonstration takes two per cell; where a scale does not say, all take the same."""
    config = read_config("tree-gap", "paper")
    assert training(config, "demonstration_per_cell").identity["per_cell"] == 2
    assert training(config).identity["per_cell"] == 1
    assert training(CONFIG, "demonstration_per_cell").identity["per_cell"] == 1


def test_bounds_and_labels_are_those_of_the_lagrangian_heuristic(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", "smoke", workers=2)
    run.open()
    data = held(CONFIG, "test")
    rows = bounded(run, data)
    found = labels(run, data)
    assert run.made == 1  # labels are made of what the bounds left
    for row, solution, x in zip(rows, found.values, data.values, strict=True):
        expected = lagrangian(x, tolerance=0.0, workers=1)
        assert (row["bound"], row["cost"]) == (expected.bound, expected.cost)
        assert row["bound"] <= row["cost"] + 1e-9
        assert cost(solution, x) == pytest.approx(row["cost"])
        np.testing.assert_array_equal(solution.first_stage, expected.solution.first_stage)
    assert found.identity == {"labels": "lagrangian", "data": data.identity}


def test_without_perturbation_nothing_is_drawn(tiny_run: TinyRun) -> None:
    """ε = 0 learns the plain loss, ε > 0 another one; both are shared by the experiments."""
    config = tiny("tree-epsilon")
    tiny_run.outcome("tree-epsilon")
    before = tiny_run.run.made
    plain, perturbed = (experienced(tiny_run.run, config, epsilon) for epsilon in (0.0, 1e-3))
    assert tiny_run.run.made == before
    assert (plain.model["provenance"]["sigma"], plain.model["provenance"]["samples"]) == (0.0, 0)
    assert (perturbed.model["provenance"]["sigma"], perturbed.model["provenance"]["samples"]) == (1e-3, 2)
    assert len(plain.losses) == config["evaluations"]
