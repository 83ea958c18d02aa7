"""The loss of a model along a line: by the pipeline itself, by name and by vector, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import LossProfile, Pipeline
from colayer.analysis.loss_profile import loss_profile
from colayer.errors import InputError, OptionError
from colayer.models import LinearModel
from colayer.pretrained import pretrained_network
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.errors import rejects
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
    """t is added to its weight, as far as the norm of the weights; t = 0 is in the middle."""
    profile = pipeline().loss_along(DATA, PROBLEM.feature_names[4], workers=workers)
    assert isinstance(profile, LossProfile)
    assert profile.t[-1] == -profile.t[0] == pytest.approx(np.linalg.norm(WEIGHTS))
    assert profile.t[100] == 0.0
    for k in (0, 77, 100, 200):
        assert profile.losses[k] == pytest.approx(mean_loss(WEIGHTS + profile.t[k] * np.eye(27)[4]))


def test_a_direction_of_ones_own() -> None:
    direction = np.random.default_rng(1).normal(size=27)
    profile = pipeline().loss_along(DATA, direction.tolist(), reach=0.5, points=5)
    assert profile.t.tolist() == [-0.5, -0.25, 0.0, 0.25, 0.5]
    for t, loss in zip(profile.t, profile.losses, strict=True):
        assert loss == pytest.approx(mean_loss(WEIGHTS + t * direction))


def test_a_problem_without_an_evaluator_of_its_own() -> None:
    data = [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(3)]
    profile = Pipeline(Pick(), [1.0, 0.0]).loss_along(data, "noise", points=11)
    assert (len(profile.losses), profile.t[-1]) == (11, 1.0)


def test_weights_that_are_zero_have_a_reach_of_one() -> None:
    profile = Pipeline(PROBLEM, np.zeros(27)).loss_along(DATA, "rank_release")
    assert (profile.t[0], profile.t[-1]) == (-1.0, 1.0)


def test_the_picture_shows_all_points() -> None:
    t = np.linspace(-1.0, 1.0, 5)
    (line,) = LossProfile(t, t**2).plot().get_lines()
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == (t.tolist(), (t**2).tolist())


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"direction": "rank_releas"}, "--direction"),
        ({"direction": np.zeros(27)}, "--direction"),
        ({"direction": [1.0]}, "--direction"),
        ({"direction": ["one"] * 27}, "--direction"),
        ({"direction": {}}, "--direction"),
        ({"direction": np.ones((27, 2))}, "--direction"),
        ({"direction": np.full(27, np.nan)}, "--direction"),
        ({"reach": 0.0}, "--reach"),
        ({"reach": float("inf")}, "--reach"),
        ({"points": 1}, "--points"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], where: str) -> None:
    with rejects(OptionError, where=where):
        pipeline().loss_along(DATA, **{"direction": "rank_release", **given})


def test_no_instances_and_networks_are_refused() -> None:
    with rejects(InputError, "instances"):
        pipeline().loss_along([], "rank_release")
    network = pretrained_network(PROBLEM)
    with rejects(InputError, "network", where="model"):
        loss_profile(network, bind(PROBLEM), DATA, "rank_release")
