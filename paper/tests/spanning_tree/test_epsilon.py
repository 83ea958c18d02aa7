"""`tree-epsilon`: the paper's gaps beside ours, gaps by the bound, conclusions by the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems import SpanningTree
from colayer_paper.frame.config import paper_table
from colayer_paper.spanning_tree import learners as tree
from colayer_paper.spanning_tree.epsilon import conclusions, learnings
from tiny_experiments import TinyRun, column, tiny


def test_every_gap_of_the_paper_stands_beside_ours(tiny_run: TinyRun) -> None:
    (sheet,) = tiny_run.outcome("tree-epsilon").sheets
    paper = paper_table("spanning_tree_epsilon")
    assert [row[0].value for row in sheet.rows] == [float(line["epsilon"]) for line in paper]
    assert [row[1].paper for row in sheet.rows] == [float(line["gap_percent"]) for line in paper]


def test_gaps_are_those_of_the_learned_weights_to_the_lagrangian_bound(tiny_run: TinyRun) -> None:
    """Without perturbation, computed again from the kept weights, one instance after the other."""
    (sheet,) = tiny_run.outcome("tree-epsilon").sheets
    config = tiny("tree-epsilon")
    problem, run = SpanningTree(config["features"]), tiny_run.run
    before = run.made
    weights = tree.by_experience(config, 0.0).learn(run).linear().raw()
    validation = tree.held(config, "validation")
    bounds = [row["bound"] for row in tree.bounded(run, validation)]
    assert run.made == before
    costs = [
        problem.cost(problem.decode(problem.layer(problem.features(x) @ weights, x), x), x) for x in validation.values
    ]
    expected = [100 * (c - b) / abs(b) for c, b in zip(costs, bounds, strict=True)]
    assert column(sheet, "mean gap")[0].value == pytest.approx(np.mean(expected))
    assert column(sheet, "worst gap")[0].value == pytest.approx(max(expected))


def seeded(means: dict[float, float], count: int = 3) -> dict[float, np.ndarray]:
    """Gaps of 30 instances, the same for all ε up to the mean; of seeds that differ by a thousandth."""
    base = np.random.default_rng(0).uniform(0.5, 1.5, 30)
    base /= base.mean()
    seeds = 1 + 1e-3 * np.arange(count)[:, None]
    return {e: (mean * base * seeds if e > 0 else mean * base[None, :]) for e, mean in means.items()}


def test_conclusions_follow_the_gaps() -> None:
    """The paper finds no difference up to ε = 0.01, and ruin at 0.3; other gaps say the opposite."""
    as_in_paper = {0.0: 1.0, 1e-3: 1.02, 1e-2: 1.05, 1e-1: 1.4, 3e-1: 5.0}
    assert [c.holds for c in conclusions(seeded(as_in_paper))] == [True, True, True]
    assert "1.0000 % to 1.0511 %" in conclusions(seeded(as_in_paper))[0].numbers
    turned = {0.0: 1.0, 1e-3: 1.5, 1e-2: 1.05, 1e-1: 1.0, 3e-1: 0.9}
    assert [c.holds for c in conclusions(seeded(turned))] == [False, False, False]
    assert [c.holds for c in conclusions(seeded(as_in_paper, 2))] == [None, None, None]  # two seeds are too few
    assert len(conclusions(seeded({0.0: 1.0}))) == 1  # a run without the strong one says nothing of it


def test_a_model_is_learned_for_every_strength(tiny_run: TinyRun) -> None:
    """In the order of the table, some with several seeds, each told apart by its words."""
    config = tiny("tree-epsilon")
    what = "tree, by experience, ε ="
    found = [learning.what for learning in learnings(tiny_run.run, config)]
    assert [words for words in found if "seed" not in words] == [f"{what} {e:g}" for e in config["epsilons"]]
    assert [words for words in found if "seed" in words] == [f"{what} {e:g}, seed 1" for e in config["seeded"]]
