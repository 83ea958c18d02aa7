"""The generic evaluator: costs over scales, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.pick_problem import Pick

DATA = [np.array([[1.0, 0.0], [5.0, 9.0]]), np.array([[4.0, 0.0], [2.0, 8.0], [3.0, 1.0], [9.0, 2.0]])]


def test_losses_by_hand() -> None:
    """`Pick` takes the half of least θ and pays 100 + its values, over the number of items."""
    losses = LocalEvaluator(bind(Pick()), DATA).losses(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]))
    assert losses.tolist() == [
        [101.0 / 2, 105.0 / 4],  # by value: 1; 2 + 3
        [105.0 / 2, 113.0 / 4],  # by value, the largest: 5; 4 + 9
        [101.0 / 2, 107.0 / 4],  # by noise: 1; 4 + 3
    ]
    assert losses.flags.c_contiguous


def test_features_are_computed_once() -> None:
    class Counting(Pick):
        calls = 0

        def features(self, instance: Any) -> Any:
            type(self).calls += 1
            return super().features(instance)

    evaluator = LocalEvaluator(bind(Counting()), DATA)
    for _ in range(3):
        evaluator.losses(np.ones((2, 2)))
    assert evaluator.map_features(np.shape) == [(2, 2), (2, 4)]  # one row a feature
    assert Counting.calls == 2


def test_weights_that_overflow_are_refused_by_every_evaluator() -> None:
    problem = SingleMachine(decoder="ls")
    data = [problem.generate(seed=s, jobs=20) for s in range(3)]
    with np.errstate(over="ignore"):
        for evaluator in (problem.evaluator(data), LocalEvaluator(bind(problem), data)):
            with pytest.raises(InputError, match=r"^(theta: not|θ is not) finite"):
                evaluator.losses(np.full((1, 66), 1e308))
            evaluator.close()


def test_bad_features_are_named() -> None:
    class Broken(Pick):
        def features(self, instance: Any) -> Any:
            return np.where(np.array(instance) == 9.0, np.nan, instance)

    with pytest.raises(InputError, match="features of pick: feature 'noise' is nan in row 1"):
        LocalEvaluator(bind(Broken()), DATA)
