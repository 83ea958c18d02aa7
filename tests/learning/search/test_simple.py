"""Simple answers: which is the best, and when a learned one may take its place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from colayer.learning.search.optimizer import Task
from colayer.learning.search.simple import axes, better, by_errors, simplest


class Known:
    """A search whose loss is the squared distance to a point; losses on the instances are given, or 3 copies of it."""

    def __init__(self, point: Any, each: Any = None, held: Any = None) -> None:
        self.point, self.losses, self.held, self.asked = np.array(point), each, held, 0

    def __call__(self, W: Any) -> Any:
        self.asked += len(W)
        return ((W - self.point) ** 2).sum(axis=1)

    def each(self, weights: Any) -> Any:
        if self.losses is None:
            return np.full(3, ((weights - self.point) ** 2).sum())
        return np.array(self.losses[weights[0]])

    def held_out(self, weights: Any) -> Any:
        return np.array([] if self.held is None else self.held[weights[0]])


@pytest.mark.parametrize(
    ("point", "best"), [([0.0, 0.0, -9.0], [0, 0, -5]), ([3.0, 4.0, 0.0], [3, 4, 0]), ([5.0, 1.0, 0.0], [5, 0, 0])]
)
def test_the_best_of_safe_weights_and_single_features(point: Any, best: Any) -> None:
    """Single features have the norm of the safe weights, 5."""
    search, task = Known(point), Task(3, safe=np.array([3.0, 4.0, 0.0]))
    assert simplest(search, task).tolist() == best  # type: ignore[arg-type]
    assert search.asked == axes(task) == 7


def test_without_safe_weights_a_feature_has_half_the_radius() -> None:
    search, task = Known([0.0, 8.0]), Task(2, radius=6.0)
    assert simplest(search, task).tolist() == [0.0, 3.0]  # type: ignore[arg-type]
    assert search.asked == axes(task) == 4


@pytest.mark.parametrize(
    ("learned", "simple", "taken"),
    [
        ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0], True),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], False),
        ([1.0, 2.0, 4.0], [2.0, 3.0, 3.5], False),  # lower on average, by less than 2.5 standard errors
        ([1.0], [1.5], True),
        ([1.5], [1.0], False),
    ],
)
def test_a_learned_answer_must_be_measurably_better(learned: Any, simple: Any, taken: bool) -> None:
    search: Any = Known([0.0], {1.0: learned, 2.0: simple})
    found = better(search, np.array([1.0]), np.array([2.0]))
    assert found.tolist() == [1.0 if taken else 2.0]


@pytest.mark.parametrize(("held", "taken"), [([1.0, 1.0], True), ([0.9, 1.0], True), ([1.0, 1.1], False)])
def test_instances_held_out_must_not_say_the_contrary(held: Any, taken: bool) -> None:
    search: Any = Known([0.0], {1.0: [1.0, 2.0], 2.0: [2.0, 3.0]}, {1.0: held, 2.0: [1.0, 1.0]})
    assert better(search, np.array([1.0]), np.array([2.0])).tolist() == [1.0 if taken else 2.0]


def test_a_single_feature_does_not_replace_safe_weights_by_noise() -> None:
    """It has the lowest mean, by less than 2.5 standard errors."""
    losses = {3.0: [1.0, 2.0, 3.0], 5.0: [0.5, 2.4, 2.9]}

    class Noisy(Known):
        def __call__(self, W: Any) -> Any:
            return np.array([np.mean(losses.get(row[0], [9.0])) for row in W])

    safe = np.array([3.0, 4.0])
    search: Any = Noisy([0.0, 0.0], losses)
    assert simplest(search, Task(2, safe=safe)).tolist() == safe.tolist()


@pytest.mark.parametrize(
    ("difference", "taken"),
    [
        ([-0.6, 0.2, -0.1, -0.2, 0.5, -0.4, -58.1, -9.6], True),  # vehicles of 50 to 500 tasks: 1.2 standard errors
        ([-0.5, -2.0], True),
        ([-2.0, -0.5, 0.1], True),  # 25 times what is lost
        ([-1.4, -0.5, 0.1], False),  # 19 times
        ([-2.0, 0.0, 0.0], False),  # one alone may be luck
        ([-2.0, -1e-15, 0.0], False),  # what rounding gains is nothing
        ([-0.0, 0.0, 0.0], False),
        ([2.0, 0.5, -0.1], False),
    ],
)
def test_an_instance_that_gains_far_more_than_others_does_not_count_against_what_is_learned(
    difference: Any, taken: bool
) -> None:
    """All of these are within 2.5 standard errors of 0, where the mean is measured by its spread."""
    known, apart = np.linspace(1.0, 2.0, len(difference)), np.array(difference)
    assert apart.mean() >= -2.5 * apart.std(ddof=1) / np.sqrt(len(apart))
    search: Any = Known([0.0], {1.0: known + apart, 2.0: known})
    assert better(search, np.array([1.0]), np.array([2.0])).tolist() == [1.0 if taken else 2.0]


def test_equals_are_rarely_told_apart() -> None:
    """Normal differences of equals, 2000 times: as many false answers as by 2.5 standard errors alone, or few more.

    Where the instances are of very unlike sizes there are more, and the fewer the instances.
    """
    random = np.random.default_rng(0)

    def taken(losses: Any) -> bool:
        search: Any = Known([0.0], {1.0: losses, 2.0: np.zeros(len(losses))})
        return bool(better(search, np.array([1.0]), np.array([2.0]))[0] == 1.0)

    for count, rate in ((5, 0.09), (10, 0.05), (20, 0.035)):
        assert np.mean([taken(row) for row in random.standard_normal((2000, count))]) < rate


@pytest.mark.parametrize(("mean", "found"), [(-0.9, False), (-1.1, True), (1.1, False)])
def test_a_mean_is_measured_by_its_own_error(mean: float, found: bool) -> None:
    """Of 100 numbers of spread 4, the mean has the error 0.4: 2.5 of them are 1."""
    spread = np.tile([-1.0, 1.0], 50) * 4.0 * math.sqrt(99 / 100)
    assert by_errors(spread + mean) is found
