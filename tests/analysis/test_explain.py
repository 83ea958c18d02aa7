"""What the weights of a linear model do: contributions by hand, groups, and the pipeline without them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import colayer
from colayer import BaseProblem, InputError, Pipeline
from colayer.analysis.explain import explain, feature_groups
from colayer.evaluators.base import Backend
from colayer.models import LinearModel
from colayer.pretrained import pretrained_network
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick


class Row(BaseProblem):
    """Take the row of least θ; its first entry is the cost. Bounds are there where they are asked for."""

    name = "row"
    feature_names = ("cost", "noise", "flat")

    def __init__(self, bounded: bool = True) -> None:
        self.bounded = bounded

    def features(self, instance: Any) -> Any:
        return np.array(instance)

    def layer(self, theta: Any, instance: Any) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: Any) -> float:
        return float(instance[solution][0])

    def scale(self, instance: Any) -> float:
        return 2.0

    def bound(self, instance: Any) -> float | None:
        return float(min(row[0] for row in instance)) if self.bounded else None


#: Of least cost: the first row, and the second. Of least noise: the other one.
DATA = [[[4.0, 3.0, 5.0], [6.0, 1.0, 5.0]], [[8.0, 1.0, 5.0], [2.0, 3.0, 5.0]]]


def model(*weights: float, scale: Any = (1.0, 1.0, 1.0), problem: str = "row") -> LinearModel:
    return LinearModel(("cost", "noise", "flat"), np.array(weights), np.array(scale), problem)


def test_without_data_the_weight_is_the_contribution() -> None:
    """In model units a feature has spread 1 over the training rows; the largest comes first."""
    found = explain(model(1.0, -3.0, 0.0, scale=(2.0, 1.0, 4.0)), Row())
    assert [(row.feature, row.contribution, row.share) for row in found.features] == [
        ("noise", 3.0, 0.75),
        ("cost", 1.0, 0.25),
        ("flat", 0.0, 0.0),
    ]
    assert (found.features[1].weight, found.features[1].raw_weight, found.features[1].spread) == (1.0, 0.5, 2.0)
    assert found.instances is found.loss is found.gap is found.groups is None


def test_with_data_the_spread_is_that_of_the_data() -> None:
    """|w/s| × standard deviation over all rows: (4, 6, 8, 2) has √5, (3, 1, 1, 3) has 1; a constant adds nothing."""
    found = explain(model(1.0, -3.0, 100.0, scale=(2.0, 1.0, 4.0)), Row(), DATA)
    contributions = {row.feature: row.contribution for row in found.features}
    assert contributions == pytest.approx({"cost": 0.5 * np.sqrt(5.0), "noise": 3.0, "flat": 0.0})
    assert sum(row.share for row in found.features) == pytest.approx(1.0)


def test_ablation_by_hand() -> None:
    """With cost and noise the best rows are found; noise alone finds the others, without both it is the first row."""
    found = explain(model(1.0, 0.5, 0.0), Row(), DATA)
    assert (found.instances, found.loss, found.gap) == (2, (4.0 + 2.0) / 2 / 2, 0.0)
    assert found.groups is not None
    rows = {row.group: row for row in found.groups}
    # losses are costs over 2; gaps are over the bounds 4 and 2
    assert (rows["cost"].loss_without, rows["cost"].gap_without) == ((6.0 + 8.0) / 2 / 2, (0.5 + 3.0) / 2)
    assert (rows["cost"].loss_alone, rows["cost"].gap_alone) == (1.5, 0.0)
    assert (rows["noise"].loss_without, rows["noise"].loss_alone) == (1.5, 3.5)
    assert (rows["flat"].loss_without, rows["flat"].loss_alone) == (1.5, (4.0 + 8.0) / 2 / 2)  # θ = 0: the first row
    assert [row.group for row in found.groups] == ["cost", "noise", "flat"]  # what costs most without it comes first
    assert rows["cost"].share == pytest.approx(np.sqrt(5.0) / (np.sqrt(5.0) + 0.5))
    assert [row.features for row in found.groups] == [1, 1, 1]


def test_without_bounds_there_are_losses_and_no_gaps() -> None:
    found = explain(model(1.0, 0.5, 0.0), Row(bounded=False), DATA)
    assert found.groups is not None
    assert (found.loss, found.gap) == (1.5, None)
    assert {(row.gap_without, row.gap_alone) for row in found.groups} == {(None, None)}


def test_all_weights_zero() -> None:
    found = explain(model(0.0, 0.0, 0.0), Row(), DATA)
    assert found.groups is not None
    assert {row.share for row in found.features} == {0.0}
    assert {row.loss_without for row in found.groups} == {found.loss}


@pytest.mark.parametrize("workers", [1, 2])
def test_ablation_is_the_pipeline_with_weights_at_zero(workers: int) -> None:
    problem = SingleMachine("27")
    data = [problem.generate(seed, jobs=12) for seed in range(4)]
    weights = np.random.default_rng(0).normal(size=27)
    linear = LinearModel(problem.feature_names, weights, np.linspace(0.5, 2.0, 27), problem.name, problem.options)
    found = colayer.explain(linear, problem, data, backend=Backend(workers))

    def mean(raw: Any) -> float:
        solved = Pipeline(problem, raw, safe=False).solve_many(data)
        return float(np.mean([s.cost / problem.scale(x) for s, x in zip(solved, data, strict=True)]))

    assert found.loss == pytest.approx(mean(linear.raw()))
    assert found.groups is not None
    groups = feature_groups(bind(problem))
    assert {row.group: row.features for row in found.groups} == {name: len(group) for name, group in groups.items()}
    for row in found.groups:
        inside = np.isin(problem.feature_names, groups[row.group])
        assert row.loss_without == pytest.approx(mean(np.where(inside, 0.0, linear.raw())))
        assert row.loss_alone == pytest.approx(mean(np.where(inside, linear.raw(), 0.0)))
    lost = [row.loss_without for row in found.groups]
    assert lost == sorted(lost, reverse=True)


def test_the_document_is_json() -> None:
    document = json.loads(json.dumps(explain(model(1.0, 0.5, 0.0), Row(), DATA).to_document()))
    assert list(document) == ["instances", "loss", "gap", "features", "groups"]
    assert document["features"][0]["feature"] == "cost"
    assert document["groups"][0]["gap_without"] == 1.75
    assert explain(model(1.0, 0.5, 0.0), Row()).to_document()["groups"] is None


def test_a_network_is_refused() -> None:
    """Its linear weights say half of what it does."""
    network = pretrained_network(SingleMachine("27"))
    with pytest.raises(InputError, match=r"^model: a network, expected a linear model$"):
        explain(network, Row())


def named(names: tuple[str, ...], groups: Any = None) -> Any:
    return type("Named", (Pick,), {"feature_names": names, "feature_groups": groups})()


def test_groups_by_name() -> None:
    """Quantiles of one thing belong together; where that leaves too many groups, first words tell them apart."""
    assert feature_groups(bind(named(("cost_q0", "cost_q10", "slack_at_50", "slack_mean", "late")))) == {
        "cost": ("cost_q0", "cost_q10"),
        "slack_at": ("slack_at_50",),
        "slack_mean": ("slack_mean",),
        "late": ("late",),
    }
    many = named(tuple(f"{kind}_{letter}" for kind in ("near", "far") for letter in "abcdefgh"))
    assert {name: len(group) for name, group in feature_groups(bind(many)).items()} == {"near": 8, "far": 8}


def test_groups_by_the_problem() -> None:
    assert feature_groups(bind(named(("a", "b"), {"x": ("b",), "y": ("a",)}))) == {"x": ("b",), "y": ("a",)}
    for wrong in ({"x": ("b",)}, {"x": ("a", "b"), "y": ("a",)}, {"x": ("a", "b", "c")}):
        with rejects(InputError, "feature_groups", "pick"):
            feature_groups(bind(named(("a", "b"), wrong)))
