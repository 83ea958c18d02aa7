"""x → θ → y → z → cost, and what is checked on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import InputError, compose
from colayer.compose import best_of, cost_of, costs, decoded, features_of, gap, scale_of, theta_blocks
from colayer.models import thetas
from support.pick_problem import Pick

X = np.array([[4.0, 0.0], [2.0, 8.0], [3.0, 1.0], [9.0, 2.0]])


def changed(**members: Any) -> Any:
    return type("Changed", (Pick,), members)()


def test_from_theta_to_the_cost() -> None:
    """Half of the items, those of least θ: 2 and 3 by value, 4 and 3 by noise."""
    solution, cost = decoded(Pick(), X[:, 0], X)
    assert (solution.tolist(), cost) == ([1, 2], 105.0)
    assert costs(Pick(), X, np.array([[1.0, 0.0], [0.0, 1.0]]), X).tolist() == [105.0, 107.0]


def test_the_decoder_is_between_layer_and_cost() -> None:
    problem = changed(decode=lambda self, y, x: y[:1])
    assert decoded(problem, X[:, 0], X)[1] == 102.0


def test_the_best_of_many_is_the_first_at_equal_cost() -> None:
    value, noise = X[:, 0], X[:, 1]
    row, solution, cost = best_of(Pick(), np.array([noise, value, 2 * value]), X)
    assert (row, solution.tolist(), cost) == (1, [1, 2], 105.0)


def test_the_best_of_many_may_be_the_problems_own() -> None:
    """Where many θ share work, or parts of several solutions are put together: row −1."""
    seen: list[Any] = []
    own = changed(best=lambda self, many, x, seed: (seen.append((len(many), seed)), (-1, "mixed", 1.0))[1])
    assert best_of(own, np.ones((3, 4)), X, seed=5) == (-1, "mixed", 1.0)
    assert seen == [(3, 5)]


def test_features_are_taken_in_both_precisions() -> None:
    for dtype in (np.float32, np.float64):
        assert features_of(changed(features=lambda self, x, t=dtype: x.astype(t)), X).dtype == dtype
    assert features_of(changed(features=lambda self, x: x.tolist()), X).tolist() == X.tolist()


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (np.ones((4, 1)), r"features of pick have shape \(4, 1\), expected \(rows, 2\)"),
        (np.ones(2), r"features of pick have shape \(2,\), expected \(rows, 2\)"),
        (np.ones((4, 2), dtype=int), "features of pick are int64, expected float64 or float32"),
        (np.where(X == 8.0, np.nan, X), "feature 'noise' of pick is not finite in row 1"),
        (np.where(X == 9.0, np.inf, X), "feature 'value' of pick is not finite in row 3"),
    ],
)
def test_features_that_are_none_are_refused(features: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        features_of(changed(features=lambda self, x: features), X)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.0, "the scale of pick is 0.0, expected a number > 0"),
        (-1, "the scale of pick is -1.0, expected a number > 0"),
        (np.inf, "the scale of pick is inf, expected a number > 0"),
        (np.nan, "the scale of pick is nan, expected a number > 0"),
        (None, "the scale of pick is None, expected a number > 0"),
    ],
)
def test_a_scale_that_is_none_is_refused(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        scale_of(changed(scale=lambda self, x: value), X)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "the cost of a solution of pick is nan, expected a number"),
        (-np.inf, "the cost of a solution of pick is -inf, expected a number"),
        ("high", "the cost of a solution of pick is 'high', expected a number"),
        ([1.0, 2.0], r"the cost of a solution of pick is \[1.0, 2.0\], expected a number"),
    ],
)
def test_a_cost_that_is_none_is_refused(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        cost_of(changed(cost=lambda self, z, x: value), None, X)


def test_costs_and_scales_are_plain_floats() -> None:
    problem = changed(cost=lambda self, z, x: np.float32(2.5), scale=lambda self, x: np.int64(3))
    assert (type(cost_of(problem, None, X)), cost_of(problem, None, X)) == (float, 2.5)
    assert (type(scale_of(problem, X)), scale_of(problem, X)) == (float, 3.0)


@pytest.mark.parametrize(("most", "firsts"), [(1 << 25, [0]), (8, [0, 2, 4]), (1, [0, 1, 2, 3, 4])])
def test_theta_by_parts_is_theta_all_at_once(most: int, firsts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """As many rows of four numbers as memory allows, at least one."""
    monkeypatch.setattr(compose, "_MOST_NUMBERS", most)
    weights = np.random.default_rng(0).normal(size=(5, 2))
    blocks = list(theta_blocks(X, weights))
    assert [first for first, _ in blocks] == firsts
    assert np.array_equal(np.vstack([block for _, block in blocks]), thetas(X, weights))


def test_a_correction_is_added_to_every_theta() -> None:
    ((_, block),) = theta_blocks(X, np.ones((3, 2)), np.arange(4.0))
    assert np.array_equal(block, thetas(X, np.ones((3, 2))) + np.arange(4.0))


@pytest.mark.parametrize(
    ("cost", "bound", "expected"),
    [
        (110.0, 100.0, 0.1),
        (-90.0, -100.0, 0.1),  # a maximisation: the gap is still positive
        (0.0, 0.0, 0.0),
        (1.0, 0.0, None),
        (-100.0, -100.0, 0.0),
        (1.0, None, None),
        (90.0, 100.0, -0.1),  # a wrong bound shows, it is not clipped
    ],
)
def test_gap(cost: float, bound: float | None, expected: float | None) -> None:
    assert gap(cost, bound) == (None if expected is None else pytest.approx(expected))
