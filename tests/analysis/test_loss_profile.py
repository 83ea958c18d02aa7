"""The loss of a model along a line: by the pipeline itself, by name and by vector, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import LossAlong, Pipeline
from colayer.analysis.loss_profile import model_along
from colayer.errors import InputError, OptionError
from colayer.models import LinearModel, NeuralModel
from colayer.problems import SingleMachine
from support.pick_problem import Pick

PROBLEM = SingleMachine("27")
DATA = [PROBLEM.generate(seed, jobs=10) for seed in range(3)]
WEIGHTS = np.random.default_rng(0).normal(size=27)
SCALE = np.linspace(0.5, 2.0, 27)
MODEL = LinearModel(PROBLEM.feature_names, WEIGHTS, SCALE, PROBLEM.name, PROBLEM.options)


def pipeline() -> Pipeline[Any, Any, Any]:
    return Pipeline.from_model(PROBLEM, MODEL, safe=False)


def mean_loss(weights: Any) -> float:
    """Of weights in model units, by solving."""
    solved = Pipeline(PROBLEM, weights / SCALE, safe=False).solve_many(DATA)
    return float(np.mean([s.cost / PROBLEM.scale(x) for s, x in zip(solved, DATA, strict=True)]))


@pytest.mark.parametrize("workers", [None, 2])
def test_a_feature_by_its_name(workers: int | None) -> None:
    """t is what is added to its weight, as far as the norm of the weights."""
    name = PROBLEM.feature_names[4]
    line = pipeline().loss_along(DATA, name, workers=workers)
    assert isinstance(line, LossAlong)
    assert line.exact
    assert line.high == -line.low == pytest.approx(np.linalg.norm(WEIGHTS))
    for t in (-1.3, 0.0, 0.7):
        assert float(line.at(t)) == pytest.approx(mean_loss(WEIGHTS + t * np.eye(27)[4]))


def test_a_direction_of_ones_own() -> None:
    direction = np.random.default_rng(1).normal(size=27)
    line = pipeline().loss_along(DATA, direction.tolist(), reach=0.5)
    assert (line.low, line.high) == (-0.5, 0.5)
    for t in (-0.31, 0.0, 0.44):
        assert float(line.at(t)) == pytest.approx(mean_loss(WEIGHTS + t * direction))


def test_a_problem_that_cannot_follow_its_layer_gets_a_grid() -> None:
    data = [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(3)]
    line = Pipeline(Pick(), [1.0, 0.0]).loss_along(data, "noise", points=11)
    assert not line.exact
    assert (len(line.losses), line.high) == (11, 1.0)


def test_weights_that_are_zero_have_a_line_of_length_one() -> None:
    line = Pipeline(PROBLEM, np.zeros(27)).loss_along(DATA, "rank_release")
    assert (line.low, line.high) == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"direction": "rank_releas"}, "direction: no feature 'rank_releas', expected rank_release "),
        ({"direction": np.zeros(27)}, "direction: expected the name of a feature, or 27 numbers"),
        ({"direction": [1.0]}, "direction: expected"),
        ({"direction": {}}, "direction: expected"),
        ({"direction": np.full(27, np.nan)}, "direction: expected"),
        ({"reach": 0.0}, "reach=0.0 is out of range"),
        ({"reach": float("inf")}, "reach=inf is out of range"),
        ({"points": 0}, "points=0 is out of range"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}"):
        pipeline().loss_along(DATA, **{"direction": "rank_release", **given})


def test_no_instances_and_networks_are_refused() -> None:
    with pytest.raises(InputError, match="no instances"):
        pipeline().loss_along([], "rank_release")
    network = NeuralModel(
        ("a",), np.ones(1), np.ones(1), "toy", center=np.zeros(1), layers=((np.zeros((2, 1)), np.zeros(2)),)
    )
    with pytest.raises(InputError, match="model: a network, expected a linear model"):
        model_along(network, PROBLEM, DATA, "rank_release")
