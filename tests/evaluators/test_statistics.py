"""Mean and spread of the features, from every kind of evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import MapsFeatures, Moments, moments, row_squares, row_sums
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.pick_problem import Pick


def test_by_hand() -> None:
    """Rows (1, 5), (3, 5) and (5, 5) over two instances: mean (3, 5), spread (√(8/3), 0)."""
    data = [np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([[5.0, 5.0]])]
    found = moments(bind(Pick()), data, LocalEvaluator(bind(Pick()), data))
    assert found.mean.tolist() == [3.0, 5.0]
    assert found.spread.tolist() == [np.sqrt(8 / 3), 0.0]
    assert found.scale.tolist() == [np.sqrt(8 / 3), 1.0]


def test_scale_is_the_standard_deviation_and_1_for_constants() -> None:
    problem = SingleMachine()
    data = [problem.generate(seed=s, jobs=80, rho=1.0) for s in range(5)]
    rows = np.vstack([problem.features(x) for x in data]).astype(np.float64)
    spread = rows.std(axis=0)
    found = moments(bind(problem), data, problem.evaluator(data)).scale
    assert found == pytest.approx(np.where(spread > 0, spread, 1.0), rel=1e-9)
    alone = [problem.generate(seed=0, jobs=1)]
    assert moments(bind(problem), alone, problem.evaluator(alone)).scale.tolist() == [1.0] * 66


def test_what_rounding_leaves_of_a_constant_is_no_spread() -> None:
    """The mean of three times 0.1 is off in its last bits; against the mean that is nothing."""
    data = [np.column_stack([np.full(3, 0.1), np.linspace(0.0, 1e-6, 3)])]
    assert row_squares(data[0].T, row_sums(data[0].T)[1] / 3)[0] > 0.0
    found = moments(bind(Pick()), data, LocalEvaluator(bind(Pick()), data))
    assert found.spread[0] == 0.0
    assert found.spread[1] > 0.0  # small, and real


class Bare:
    """An evaluator with the two methods alone."""

    def losses(self, weights: Any) -> Any:
        raise AssertionError

    def close(self) -> None:
        return None


def test_an_evaluator_that_shows_no_features_has_them_computed_anew() -> None:
    """The same bits, whoever computes them."""
    problem = SingleMachine()
    data = [problem.generate(seed=s, jobs=30) for s in range(3)]
    assert not isinstance(Bare(), MapsFeatures)
    ours, theirs = moments(bind(problem), data, Bare()), moments(bind(problem), data, problem.evaluator(data))
    assert ours.mean.tobytes() == theirs.mean.tobytes()
    assert ours.spread.tobytes() == theirs.spread.tobytes()


def test_sums_over_rows() -> None:
    matrix = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 6.0]], dtype=np.float32)  # (d, rows)
    count, sums = row_sums(matrix)
    assert (count, sums.tolist()) == (3, [6.0, 6.0])
    assert row_squares(matrix, np.array([2.0, 2.0])).tolist() == [2.0, 24.0]


def test_scale_of_moments() -> None:
    assert Moments(np.zeros(2), np.array([0.0, 4.0])).scale.tolist() == [1.0, 4.0]
