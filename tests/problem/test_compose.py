"""x → θ → y → z → cost, and what is checked on the way."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from colayer import InputError
from colayer.models import thetas
from colayer.models.thetas import theta_blocks
from colayer.problem import compose
from colayer.problem.compose import best_of, cost_of, costs, decoded, features_of, scale_of, solve_exactly
from colayer.problem.faults import own_fault
from colayer.problem.gap import gap
from support.errors import rejects
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
    own = changed(best=lambda self, many, x, seed: (seen.append((len(many), seed)), (-1, [1, 2], 105.0))[1])
    assert best_of(own, np.ones((3, 4)), X, seed=5) == (-1, [1, 2], 105.0)
    assert seen == [(3, 5)]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        (0, [1, 2]),
        (3, [1, 2], 105.0),
        (True, [1, 2], 105.0),
        (0, None, 105.0),
        (0, [1, 2], None),
        (0, [1, 2], 90.0),
    ],
)
def test_a_best_that_is_none_is_refused(answer: Any) -> None:
    """Nor is one believed that costs less than its solution does."""
    with rejects(InputError, "best", "pick"):
        best_of(changed(best=lambda self, many, x, seed: answer), np.ones((3, 4)), X)


@pytest.mark.parametrize("method", ["layer", "decode"])
def test_no_answer_of_an_arrow_is_refused_by_its_name(method: str) -> None:
    with rejects(InputError, method, "pick"):
        decoded(changed(**{method: lambda self, *_: None}), X[:, 0], X)


@pytest.mark.parametrize(
    "answer",
    [
        (None, 105.0, True),
        ([1, 2], np.nan, True),
        ([1, 2], 106.0, True),
        ([1, 2], np.inf, True),
    ],
)
def test_an_exact_answer_that_contradicts_itself_is_refused(answer: Any) -> None:
    with rejects(InputError, "exact", "pick"):
        solve_exactly(changed(exact=lambda self, x, **_: answer), X)


def test_what_is_proved_is_measured() -> None:
    """Whatever the solver says, and up to what rounding may leave."""
    for bound, said, proved in ((105.0, False, True), (104.0, True, False), (105.0 + 1e-9, False, True)):
        problem = changed(exact=lambda self, x, b=bound, s=said, **_: ([1, 2], b, s))
        assert solve_exactly(problem, X) == ([1, 2], bound, proved)


def test_what_an_arrow_raises_is_known_by_its_name() -> None:
    """One that means something else further up is refused at once; others pass, and carry a note."""
    with rejects(InputError, "scale", "pick"):
        scale_of(changed(scale=lambda self, x: sys.exit(3)), X)
    with pytest.raises(ZeroDivisionError) as caught:
        scale_of(changed(scale=lambda self, x: 1 / 0), X)
    assert "scale of pick raised ZeroDivisionError" in (own_fault(caught.value) or "")


def test_features_are_taken_in_both_precisions() -> None:
    for dtype in (np.float32, np.float64):
        assert features_of(changed(features=lambda self, x, t=dtype: x.astype(t)), X).dtype == dtype
    assert features_of(changed(features=lambda self, x: x.tolist()), X).tolist() == X.tolist()


@pytest.mark.parametrize(
    ("features", "names"),
    [
        (np.ones((4, 1)), ("features", "pick")),
        (np.ones(2), ("features", "pick")),
        (np.ones((4, 2), dtype=int), ("features", "pick")),
        (None, ("features", "pick")),
        ("wide", ("features", "pick")),
        ([[1.0], [1.0, 2.0]], ("features", "pick")),
        (X + 0j, ("features", "pick")),
        (np.ones((0, 2)), ("features", "pick")),
        (np.where(X == 8.0, np.nan, X), ("noise",)),
        (np.where(X == 9.0, np.inf, X), ("value",)),
    ],
)
def test_features_that_are_none_are_refused(features: Any, names: tuple[str, ...]) -> None:
    with rejects(InputError, *names):
        features_of(changed(features=lambda self, x: features), X)


@pytest.mark.parametrize(
    "value",
    [
        0.0,
        -1,
        np.inf,
        np.nan,
        None,
    ],
)
def test_a_scale_that_is_none_is_refused(value: Any) -> None:
    with rejects(InputError, "scale", "pick"):
        scale_of(changed(scale=lambda self, x: value), X)


@pytest.mark.parametrize(
    "value",
    [
        np.nan,
        -np.inf,
        "high",
        [1.0, 2.0],
    ],
)
def test_a_cost_that_is_none_is_refused(value: Any) -> None:
    with rejects(InputError, "cost", "pick"):
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
