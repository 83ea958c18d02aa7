"""Searches in the paper's set-up: what they ask for, and what tells them apart in a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer._runtime.arrays import Floats
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.direct import Direct
from colayer.learning.search.objective import Objective
from colayer.learning.search.optimizer import Optimizer, Task
from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine
from colayer_paper.frame.searches import Blind, Raw, Without
from support.searching import search, sphere, traced

SCALE = np.array([1.0, 10.0, 0.01])
SAFE = np.array([3.0, 4.0, 5.0])


def asked(method: Optimizer, task: Task, function: Objective = sphere) -> Floats:
    """All weights that a search asks for."""
    function, rows = traced(function)
    search(function, task=task, method=method)
    return np.array(rows)


@pytest.mark.parametrize("method", [Blind(CmaEs()), Raw(CmaEs()), Without(CmaEs(), (1,))])
def test_none_of_them_sees_the_safe_weights(method: Any) -> None:
    """A local search begins in the middle, as without safe weights; alone it begins at them."""
    task = Task(dimension=3, evaluations=5, safe=SAFE, scale=SCALE)
    assert asked(method, task)[0].tolist() == [0.0, 0.0, 0.0]
    assert asked(CmaEs(), task)[0].tolist() == SAFE.tolist()
    assert (method.name, method.options()) != ("cma-es", CmaEs().options())
    assert isinstance(method, Optimizer)


def test_a_blind_search_is_the_methods_own_without_safe_weights() -> None:
    without, with_safe = (Task(dimension=3, evaluations=40, seed=2, safe=safe) for safe in (None, SAFE))
    np.testing.assert_array_equal(asked(Blind(CmaEs()), with_safe), asked(CmaEs(), without))
    assert Blind(CmaEs()).options()["safe"] is False
    assert Blind(CmaEs()).name == "cma-es"


def test_the_raw_ball_is_one_of_weights_times_scale() -> None:
    """Divided by the scale, as the pipeline does, they are in a ball of the radius: DIRECT asks for its thirds."""
    task = Task(dimension=3, radius=3.0, evaluations=7, scale=SCALE)
    raw = asked(Raw(Direct()), task) / SCALE
    thirds = [sign * 2.0 * np.eye(3)[k] for k in range(3) for sign in (-1, 1)]
    np.testing.assert_allclose(sorted(raw[1:].tolist()), sorted(np.array(thirds).tolist()), atol=1e-12)
    longer = asked(Raw(Direct(randomised=True)), Task(3, radius=3.0, evaluations=60, scale=SCALE)) / SCALE
    assert np.abs(longer).max() <= 3.0
    assert Raw(Direct()).options() == {**Direct().options(), "units": "raw", "safe": False}


def test_without_units_the_raw_ball_is_the_ball() -> None:
    task = Task(dimension=3, evaluations=40, seed=1)
    np.testing.assert_array_equal(asked(Raw(Direct()), task), asked(Direct(), task))


def test_without_some_features_their_weights_stay_0() -> None:
    """The others are searched as if these were not there, in their own units."""

    def loss(W: Floats) -> Floats:
        return np.asarray((W[:, 0] - 1.1) ** 2 + (W[:, -1] + 0.7) ** 2)  # of the first weight and of the last

    task = Task(dimension=3, radius=2.0, evaluations=50, seed=4, scale=SCALE)
    found = asked(Without(Direct(randomised=True), (1,)), task, loss)
    assert len(found) == 50
    assert not found[:, 1].any()
    small = Task(dimension=2, radius=2.0, evaluations=50, seed=4)
    np.testing.assert_array_equal(found[:, [0, 2]], asked(Direct(randomised=True), small, loss))
    raw, kept = asked(Without(Raw(Direct()), (1,)), task, loss), SCALE[[0, 2]]
    assert not raw[:, 1].any()
    np.testing.assert_array_equal(raw[:, [0, 2]], kept * asked(Direct(), small, lambda W: loss(W * kept)))
    assert Without(Direct(), (0, 2)).options() == {**Direct().options(), "without": [0, 2]}


def test_a_pipeline_learns_with_them() -> None:
    """Of all 27 features two have no weight; units and all."""
    problem = SingleMachine("27")
    instances = [problem.generate(seed, jobs=8) for seed in range(4)]
    pipeline = Pipeline(problem).fit(instances, method=Without(Direct(), (0, 5)), evaluations=60, portfolio=1)
    weights = pipeline.model.raw()
    assert weights[[0, 5]].tolist() == [0.0, 0.0]
    assert weights.any()
    raw = Pipeline(problem).fit(instances, method=Raw(Direct()), evaluations=60, radius=1.0, portfolio=1)
    assert 0 < np.abs(raw.model.raw()).max() <= 1.0
