"""Simple answers: which is the best, and when a learned one may take its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.learning.experience.optimizer import Task
from colayer.learning.experience.simple import axes, measured, simplest


class Known:
    """A search whose loss is the squared distance to a point; losses on the instances are given."""

    def __init__(self, point: Any, each: Any = None) -> None:
        self.point, self.losses, self.asked = np.array(point), each, 0

    def __call__(self, W: Any) -> Any:
        self.asked += len(W)
        return ((W - self.point) ** 2).sum(axis=1)

    def each(self, weights: Any) -> Any:
        return np.array(self.losses[weights[0]])


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
        ([1.0, 2.0, 4.0], [2.0, 3.0, 3.5], False),  # lower on average, by less than 2 standard errors
        ([1.0], [1.5], True),
    ],
)
def test_a_learned_answer_must_be_measurably_better(learned: Any, simple: Any, taken: bool) -> None:
    search: Any = Known([0.0], {1.0: learned, 2.0: simple})
    found = measured(search, np.array([1.0]), np.array([2.0]))
    assert found.tolist() == [1.0 if taken else 2.0]
