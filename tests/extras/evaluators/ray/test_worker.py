"""What runs on a node, in this process: answers for a shard, and exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from ray import cloudpickle

import colayer
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.ray.worker import Worker, versions
from colayer.evaluators.statistics import row_squares
from colayer.evaluators.visit import LoadedInstance
from colayer.problem.bind import bind
from support.ray_problems import Faulty, Lowest, ThirteenError, compiled


def holding(problem: Any, instances: list[Any], threads: int = 1) -> Worker:
    return Worker(cloudpickle.dumps(problem), cloudpickle.dumps(instances), 1, threads, versions(), {})


@pytest.mark.parametrize("threads", [1, 2])
def test_losses_are_those_of_the_local_evaluator(threads: int) -> None:
    for problem, data in ((Lowest(), [0, 1, 7]), compiled()):
        weights = np.random.default_rng(0).normal(size=(6, len(problem.feature_names)))
        weights.flags.writeable = False  # as Ray hands it over
        found = holding(problem, data, threads).ask("losses", weights)
        assert np.array_equal(found, LocalEvaluator(bind(problem), data).losses(weights))


def test_features_stay_here_and_functions_look_at_them() -> None:
    work = partial(row_squares, center=np.array([0.5, 0.0, -0.5]))
    found = holding(Lowest(), [7, 0]).ask("map_features", work)
    assert np.array_equal(found, LocalEvaluator(bind(Lowest()), [7, 0]).map_features(work))


def number_and_instance(loaded: LoadedInstance[Any, Any, Any]) -> tuple[int, Any]:
    return loaded.number, loaded.instance


def test_instances_are_visited_under_their_numbers_in_the_data_set() -> None:
    assert holding(Lowest(), [3, 4, 5]).ask("visit", (number_and_instance, {0: 10, 2: 30})) == [(10, 3), (30, 5)]


class Bare:
    """An evaluator that does not show its features."""

    def __init__(self, problem: Any, instances: Sequence[Any]) -> None:
        self._local = LocalEvaluator(bind(problem), instances)

    def losses(self, weights: Any) -> Any:
        return self._local.losses(weights) + 1.0

    def close(self) -> None:
        """Nothing to give back."""


class WithBare(Lowest):
    def evaluator(self, instances: Sequence[Any]) -> Bare:
        return Bare(self, instances)


def test_features_that_an_evaluator_does_not_show_are_computed_anew() -> None:
    worker, weights = holding(WithBare(), [0, 1, 7]), np.ones((2, 3))
    expected = LocalEvaluator(bind(Lowest()), [0, 1, 7]).losses(weights) + 1.0
    assert np.array_equal(worker.ask("losses", weights), expected)
    assert worker.ask("map_features", np.shape) == [(3, 20), (3, 21), (3, 27)]
    assert worker.ask("visit", (number_and_instance, {1: 4})) == [(4, 1)]


class Stubborn(Exception):  # noqa: N818 - the name is in the message
    def __reduce__(self) -> Any:
        raise TypeError("no pickles")


class Broken(Lowest):
    def features(self, instance: Any) -> Any:
        raise Stubborn("the reason")


def test_exceptions_travel_back_as_answers() -> None:
    """As they are where they can be pickled, else in words."""
    error = holding(Faulty(), [1, 13]).ask("losses", np.ones((1, 3)))
    assert type(error).__name__ == ThirteenError.__name__
    assert str(error) == "thirteen"
    said = holding(Broken(), [1]).ask("losses", np.ones((1, 3)))
    assert isinstance(said, colayer.ColayerError)
    assert str(said) == "on a node of the cluster: Stubborn: the reason"


def test_versions_that_differ_are_refused() -> None:
    worker = Worker(b"", b"", 1, 1, {**versions(), "numba": "0.1"}, {})
    said = worker.ask("losses", np.ones((1, 3)))
    assert isinstance(said, colayer.ColayerError)
    assert "and 0.1 here" in str(said)
