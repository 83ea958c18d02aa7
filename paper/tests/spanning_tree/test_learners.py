"""What the spanning tree experiments share: data by seed, bounds, labels, and learning that is done once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from colayer.learning.search.direct import Direct
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer_paper.frame.config import read_config
from colayer_paper.frame.store import Run
from colayer_paper.spanning_tree.datasets import paper_set
from colayer_paper.spanning_tree.learners import (
    bounded,
    by_default,
    by_demonstration,
    by_experience,
    held,
    labels,
    training,
)
from tiny_experiments import TinyRun, tiny

CONFIG = tiny("tree-gap")


def test_sets_are_the_papers_and_made_once() -> None:
    assert training(CONFIG) is training(CONFIG)
    assert training(CONFIG).identity == {"set": "training", "per_cell": 1, "widths": (4, 5)}
    assert held(CONFIG, "test").identity["set"] == "test"
    expected = paper_set("validation", 1, (4, 5))
    found = held(CONFIG, "validation").values
    assert [x.second.tobytes() for x in found] == [x.second.tobytes() for x in expected]


def test_a_learner_may_have_more_instances_than_the_others() -> None:
    """At paper scale all take the five per cell; where a scale says more or less of one learner, it has them."""
    config = read_config("tree-gap", "paper")
    assert training(config, "demonstration_per_cell") is training(config)
    assert training(config).identity["per_cell"] == 5
    assert training(CONFIG, "demonstration_per_cell").identity["per_cell"] == 1
    more = replace(CONFIG, parameters={**CONFIG.parameters, "demonstration_per_cell": 3})
    assert training(more, "demonstration_per_cell").identity["per_cell"] == 3
    assert training(more).identity["per_cell"] == 1


def test_the_learners_are_the_papers_and_ours(tmp_path: Path) -> None:
    """By experience the ball and the budget of the config, DIRECT without random numbers; by default a split."""
    run = Run(tmp_path / "run", "smoke")
    run.open()
    experience, default = by_experience(CONFIG, 1e-3), by_default(CONFIG)
    assert experience.identity["method_options"] == Direct().options()
    assert (experience.settings["radius"], experience.settings["sigma"]) == (CONFIG["radius"], 1e-3)
    assert (experience.evaluations, default.evaluations) == (CONFIG["evaluations"], CONFIG["auto_evaluations"])
    assert default.settings["validation"] == 0.2
    demonstration = by_demonstration(run, CONFIG)
    assert demonstration.solutions is not None
    assert demonstration.evaluations == CONFIG["passes"]
    assert len({learning.place(run) for learning in (experience, default, demonstration)}) == 3
    assert run.made == 0  # nothing is labelled before it is learned


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
    plain, perturbed = (by_experience(config, epsilon).learn(tiny_run.run) for epsilon in (0.0, 1e-3))
    assert tiny_run.run.made == before
    assert (plain.model["provenance"]["sigma"], plain.model["provenance"]["samples"]) == (0.0, 0)
    assert (perturbed.model["provenance"]["sigma"], perturbed.model["provenance"]["samples"]) == (1e-3, 2)
    assert len(plain.losses) == config["evaluations"]
