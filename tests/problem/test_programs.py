"""Models for general solvers, as plain data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from colayer.problem.programs import LARGEST_INT, MOST, ConstraintProgram, Rows, TooLargeError, check_size, whole
from support.errors import rejects


def test_whole_numbers_stay_as_they_are() -> None:
    values, factor = whole([3.0, -2.0, 0.0])
    assert (values.tolist(), values.dtype, factor) == ([3, -2, 0], np.int64, 1.0)
    assert whole([2.0**40])[1] == 1.0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_others_are_scaled_and_rounded(given: list[float]) -> None:
    """integers ≈ factor · values, with a relative error that no cost would show, and sums that fit 64 bits."""
    values, factor = whole(given)
    assert np.abs(values - factor * np.array(given)).max() <= 0.5
    assert np.abs(values).max() <= 2**40


def test_numbers_that_are_next_to_nothing_count_as_zero() -> None:
    """A factor for them would be infinite."""
    values, factor = whole([5e-324, 0.0])
    assert (values.tolist(), np.isfinite(factor)) == ([0, 0], True)


def test_numbers_too_large_to_add_up_are_scaled_down() -> None:
    values, factor = whole([2.0**50, 2.0**49])
    assert (values.tolist(), factor) == ([2**32, 2**31], 2.0**-18)


def test_rows_are_compressed_in_the_order_of_their_blocks() -> None:
    """x_0 + 2x_1 ≤ 4; then x_0 − x_2 and x_1 − x_2 both at least 0."""
    rows = Rows()
    rows.add(-np.inf, 4.0, ([0, 0], [0, 1], [1.0, 2.0]))
    rows.add([0.0, 0.0], np.inf, ([0, 1], [0, 1], 1.0), ([0, 1], 2, -1.0))
    starts, columns, values, lower, upper = rows.compressed()
    assert rows.count == 3
    assert starts.tolist() == [0, 2, 4, 6]
    assert columns.tolist() == [0, 1, 0, 2, 1, 2]
    assert values.tolist() == [1.0, 2.0, 1.0, -1.0, 1.0, -1.0]
    assert (lower.tolist(), upper.tolist()) == ([-np.inf, 0.0, 0.0], [4.0, np.inf, np.inf])


def test_a_row_without_nonzeros_keeps_its_place() -> None:
    rows = Rows()
    rows.add([0, 0, 0], 1, ([2], [5], [7]))
    starts, columns, values, _, upper = rows.compressed()
    assert (starts.tolist(), columns.tolist(), values.tolist(), upper.tolist()) == ([0, 0, 0, 1], [5], [7], [1, 1, 1])


def program(**parts: Any) -> ConstraintProgram:
    ends = np.zeros(2, np.int64), np.ones(2, np.int64)
    return ConstraintProgram(np.array([1, 2]), *ends, reported=2, solution=list, hint=np.asarray, **parts)


def test_a_constraint_program_is_a_json_document() -> None:
    rows = Rows()
    rows.add([1], [LARGEST_INT], ([0, 0], [0, 1], [1, 1]))
    parts = {"rows": rows, "conditions": [np.array([-1])], "exactly_one": [[0, 1]], "no_overlap": [[(0, 3), (1, 4)]]}
    assert json.loads(json.dumps(program(**parts).document())) == {
        "cost": [1, 2],
        "lower": [0, 0],
        "upper": [1, 1],
        "reported": 2,
        "exactly_one": [[0, 1]],
        "no_overlap": [[[0, 3], [1, 4]]],
        "starts": [0, 2],
        "columns": [0, 1],
        "values": [1, 1],
        "row_lower": [1],
        "row_upper": [LARGEST_INT],
        "conditions": [-1],
    }


def test_without_rows_the_document_has_none() -> None:
    assert set(program().document()) == {"cost", "lower", "upper", "reported", "exactly_one", "no_overlap"}


def test_models_that_are_too_large_are_refused_before_they_are_built() -> None:
    check_size(MOST)
    with rejects(TooLargeError, "2,000,001"):
        check_size(MOST + 1)
