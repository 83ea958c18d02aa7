"""Small models by HiGHS, and constraint programs as mixed-integer ones: against every solution there is."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from colayer.problem.check.linear import as_mixed_integer, broken, minimised
from colayer.problem.programs import LARGEST_INT, CompactModel, ConstraintProgram, Rows


def program(cost: Any, lower: Any, upper: Any, **more: Any) -> ConstraintProgram:
    return ConstraintProgram(
        cost=np.array(cost), lower=np.array(lower), upper=np.array(upper), reported=len(cost),
        solution=lambda values: values, hint=lambda solution: solution, **more,
    )  # fmt: skip


def two_rows(conditions: list[int]) -> ConstraintProgram:
    """x + y ≥ 3 and x − y ≥ 1, each maybe under a condition; the literals are columns 2 and 3, one of which is true."""
    rows = Rows()
    rows.add([3], LARGEST_INT, (0, [0, 1], 1))
    rows.add([1], LARGEST_INT, (0, [0, 1], [1, -1]))
    return program(
        [2, 3, 5, 1], [0, 0, 0, 0], [4, 4, 1, 1],
        rows=rows, conditions=[np.array([k]) for k in conditions], exactly_one=[[2, 3]],
    )  # fmt: skip


def intervals(seed: int, size: int) -> ConstraintProgram:
    """Three intervals that do not overlap, least weighted sum of starts; times up to `size`."""
    rng = np.random.default_rng(seed)
    lower, length = rng.integers(0, 3 * size, 3), rng.integers(1, 2 * size, 3)
    return program(rng.integers(1, 4, 3), lower, np.full(3, 20 * size), no_overlap=[list(enumerate(length.tolist()))])


@pytest.mark.parametrize("conditions", [[-1, -1], [2, -1], [2, 3], [3, 3]], ids=str)
def test_conditions_and_exactly_one_hold_as_they_are_said(conditions: list[int]) -> None:
    given = two_rows(conditions)
    every = [np.array(x) for x in itertools.product(range(5), range(5), (0, 1), (0, 1))]
    least = min(int(given.cost @ x) for x in every if broken(given, x) is None)
    model = as_mixed_integer(given)
    found = minimised(model)
    assert found is not None
    assert found.proved
    assert found.value == pytest.approx(least)
    assert broken(given, np.rint(model.solution(found.values)).astype(np.int64)) is None


@pytest.mark.parametrize("size", [3, 10_000_000])
@pytest.mark.parametrize("seed", range(4))
def test_intervals_do_not_overlap_whatever_their_size(seed: int, size: int) -> None:
    given = intervals(seed, size)
    lengths = dict(given.no_overlap[0])
    least = np.inf
    for order in itertools.permutations(range(3)):
        end, value = 0, 0
        for i in order:
            start = max(end, int(given.lower[i]))
            end, value = start + lengths[i], value + int(given.cost[i]) * start
        least = min(least, value)
    found = minimised(as_mixed_integer(given))
    assert found is not None
    assert found.value == pytest.approx(least, rel=1e-5)


@pytest.mark.parametrize(("values", "said"), [
    ([5, 0, 1, 0], "column 0 is 5, beyond 0..4"),
    ([1, 1, 1, 0], "row 0 is 2, beyond 3.."),
    ([4, 0, 1, 1], r"2 of the literals \[2, 3\] are true"),
])  # fmt: skip
def test_what_is_broken_is_said(values: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        raise ValueError(broken(two_rows([-1, -1]), np.array(values)))
    assert broken(two_rows([-1, -1]), np.array([3, 0, 1, 0])) is None
    assert broken(two_rows([3, -1]), np.array([1, 0, 1, 0])) is None  # its condition does not hold


def test_intervals_that_overlap_are_said() -> None:
    given = program([1, 1], [0, 0], [9, 9], no_overlap=[[(0, 3), (1, 2)]])
    assert broken(given, np.array([0, 3])) is None
    assert broken(given, np.array([2, 0])) is None
    assert broken(given, np.array([0, 2])) == "the intervals that begin at the columns 0 and 1 overlap"


def test_a_model_without_rows_and_an_infeasible_one() -> None:
    model = CompactModel(
        np.array([1.0, -2.0]), Rows(), np.zeros(2), np.full(2, 3.5), np.array([False, True]), lambda x: x
    )
    found = minimised(model)
    assert found is not None
    assert found.value == pytest.approx(-6.0)
    rows = Rows()
    rows.add([9.0], 9.0, (0, [0, 1], 1.0))
    with pytest.raises(ValueError, match="HiGHS says: The problem is infeasible"):
        minimised(CompactModel(model.cost, rows, model.lower, model.upper, model.integral, model.solution))
