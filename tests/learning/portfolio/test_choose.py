"""Portfolios: greedy by hand and by its guarantee, pools that repeat themselves, losses computed once."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colayer import Pipeline
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.journal import Record
from colayer.learning.portfolio.choose import Remembering, choose_portfolio, greedy
from colayer.learning.portfolio.sigma import SHARES
from colayer.problem.bind import bind
from support.selection_problem import Selection


def test_greedy_by_hand() -> None:
    """After row 0 the least mean is with row 2 (0 on the third), then with row 1; row 3 never helps."""
    losses = np.array([[1.0, 1.0, 1.0], [0.8, 0.9, 2.0], [2.0, 2.0, 0.0], [1.0, 1.0, 1.0]])
    assert greedy(losses, 0, 4) == [0, 2, 1]
    assert greedy(losses, 0, 2) == [0, 2]
    assert greedy(losses, 0, 1) == [0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_greedy_keeps_its_share_of_the_best_gain(seed: int, count: int) -> None:
    """1 − (1 − 1/k)^k ≥ 1 − 1/e of the gain over the first member of the best k more, by brute force."""
    losses = np.random.default_rng(seed).exponential(size=(8, 5))
    base = losses[0].mean()
    gain = base - losses[greedy(losses, 0, count)].min(axis=0).mean()
    k = count - 1
    best = max(base - losses[[0, *rows]].min(axis=0).mean() for rows in itertools.combinations(range(1, 8), k))
    assert gain >= (1 - (1 - 1 / k) ** k) * best - 1e-12
    assert gain >= (1 - 1 / math.e) * best - 1e-12


def test_what_was_asked_for_is_not_computed_again() -> None:
    problem = Selection()
    data = [problem.generate(seed) for seed in range(3)]
    inner, rows = LocalEvaluator(bind(problem), data), []
    plain = inner.losses

    def counted(weights: Any) -> Any:
        rows.append(len(weights))
        return plain(weights)

    inner.losses = counted  # type: ignore[method-assign]
    evaluator = Remembering(inner)
    W = np.random.default_rng(0).normal(size=(4, 3))
    assert np.array_equal(evaluator.losses(W[:3]), plain(W[:3]))
    assert np.array_equal(evaluator.losses(W[[3, 0]]), plain(W[[3, 0]]))
    assert np.array_equal(evaluator.losses(W[1:3]), plain(W[1:3]))
    assert rows == [3, 1]


@pytest.mark.parametrize(("spent", "draws", "near"), [(1, 1, 1), (119, 1, 1), (180, 3, 1), (450, 7, 3), (6000, 24, 40)])
def test_draws_are_a_share_of_what_the_search_spent(spent: int, draws: int, near: int) -> None:
    """1/60 of it around the rule at each σ, at least 1 and at most 24; and 1/150 around what is chosen first."""
    asked: list[int] = []

    class Counting:
        def losses(self, weights: Any) -> Any:
            asked.append(len(weights))
            return np.ones((len(weights), 3))

    visited = [Record(1, [1.0, 2.0], 1.0, None, cost=spent)]
    chosen = choose_portfolio([Counting()], visited, np.array([1.0, 2.0]), np.ones(2), seed=0, count=4)  # type: ignore[list-item]
    assert asked == [2 + len(SHARES) * draws + 2, 3 * near]  # the weights, the rule; the visited, twice
    assert chosen[0].tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("method", ["auto", "srl", "cma-es"])
def test_fit_ends_with_a_portfolio_that_is_better_with_every_member(method: str) -> None:
    problem = Selection()
    data = [problem.generate(seed) for seed in range(20)]
    model = Pipeline(problem).fit(data, method=method, evaluations=200, portfolio=6).model
    assert 2 <= len(model.portfolio) <= 6
    assert np.array_equal(model.portfolio[0], model.weights)
    losses = LocalEvaluator(bind(problem), data).losses(model.raw(model.portfolio))
    means = np.minimum.accumulate(losses, axis=0).mean(axis=1)
    assert (np.diff(means) < 0).all()


def test_one_member_is_none() -> None:
    problem = Selection()
    data = [problem.generate(seed) for seed in range(6)]
    options: dict[str, Any] = {"evaluations": 60, "seed": 1}
    alone, many = (Pipeline(problem).fit(data, portfolio=count, **options) for count in (1, 8))
    assert len(alone.model.portfolio) == 0
    assert alone.weights_.tobytes() == many.weights_.tobytes()
