"""Numbers and arrays from files: taken exactly, or refused by the place of the entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.io.validate import WHOLE, named, names, number, numbers, refuse, table, unnamed, whole
from support.errors import rejects


def refusal(function: Any, *arguments: Any, **options: Any) -> str | None:
    """The place that is named."""
    with rejects(InputError) as caught:
        function(*arguments, **options)
    return caught.value.where


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3.0)])
def test_one_number(value: Any) -> None:
    found = number(value, "price")
    assert (found, type(found)) == (3.0, float)


@pytest.mark.parametrize(
    ("value", "options"),
    [
        (True, {}),
        (np.bool_(False), {}),
        ("3", {}),
        (None, {}),
        (10**400, {}),
        (float("nan"), {}),
        (-float("inf"), {}),
        (-11, {"largest": 10.0}),
    ],
)
def test_what_is_no_number_is_refused(value: Any, options: dict[str, Any]) -> None:
    assert refusal(number, value, "price", **options) == "price"


def test_one_whole_number() -> None:
    assert (whole(np.int32(4), "nodes", least=4), whole(0, "nodes")) == (4, 0)
    assert refusal(whole, 3, "nodes", least=4) == "nodes"
    assert refusal(whole, 4.0, "nodes") == "nodes"
    assert refusal(whole, True, "nodes") == "nodes"


@pytest.mark.parametrize("values", [[[1, 2.5], [3, 4]], ((1, 2.5), (3, 4)), np.array([[1, 2.5], [3, 4]], np.float32)])
def test_a_table(values: Any) -> None:
    found = table(values, "cost", (None, 2))
    assert found.tolist() == [[1.0, 2.5], [3.0, 4.0]]
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert not found.flags.writeable
    assert table(values, "cost", (2, 2), read_only=False).flags.writeable


def test_a_table_is_a_copy() -> None:
    given = np.ones(3)
    assert not np.shares_memory(table(given, "cost", (3,)), given)


@pytest.mark.parametrize(
    ("values", "shape", "where"),
    [
        ("ab", (None,), "cost"),
        (3, (None, None), "cost"),
        ([1, 2], (3,), "cost"),
        ([[1, 2], [3]], (None, 2), "cost[1]"),
        ([[1, 2], [3]], (None, None), "cost"),
        ([[1, 2], 3], (None, None), "cost[1]"),
        ([1, True], (None,), "cost[1]"),
        ([1, None], (None,), "cost[1]"),
        ([[1.0, "x"]], (None, 2), "cost[0][1]"),
        ([], (None,), "cost"),
        ([1, 10**400], (None,), "cost"),
        ([1.0, float("inf")], (None,), "cost[1]"),
        (np.ones(2), (3,), "cost"),
        (np.ones(2), (None, 2), "cost"),
        (np.ones((2, 2)), (None,), "cost"),
        (np.ones((2, 3)), (None, 2), "cost"),
        (np.array(["a"]), (None,), "cost"),
        (np.array([True]), (None,), "cost"),
        (np.array([[0.0, np.nan]]), (None, 2), "cost[0][1]"),
    ],
)
def test_what_is_no_table_is_refused_by_place(values: Any, shape: tuple[int | None, ...], where: str) -> None:
    assert refusal(table, values, "cost", shape) == where


def test_entries_beyond_the_largest_are_refused() -> None:
    assert table([-5.0, 5.0], "cost", (None,), largest=5.0).tolist() == [-5.0, 5.0]
    assert refusal(table, [0.0, -6.0], "cost", (None,), largest=5.0) == "cost[1]"


def test_gaps_are_nan() -> None:
    """null in a list, NaN in an array; an infinity is still no number."""
    for values in ([1.0, None], np.array([1.0, np.nan])):
        assert np.array_equal(table(values, "cost", (2,), gaps=True), [1.0, np.nan], equal_nan=True)
    assert refusal(table, np.array([np.nan, np.inf]), "cost", (2,), gaps=True) == "cost[1]"


def test_the_first_bad_entry_is_named() -> None:
    values = np.array([[1.0, -2.0], [-3.0, 4.0]])
    refuse(values < -9, values, "cost", "is negative")
    assert refusal(refuse, values < 0, values, "cost", "is negative") == "cost[0][1]"


def test_whole_numbers_are_listed_as_integers() -> None:
    """Where all of them are whole and exact."""
    assert [type(value) for value in numbers(np.array([1.0, -2.0]))] == [int, int]
    assert [type(value) for value in numbers(np.array([1.0, 2.5]))] == [float, float]
    assert [type(value) for value in numbers(np.array([WHOLE]))] == [float]
    assert numbers(np.array([[1.0], [2.0]])) == [[1], [2]]


def test_indices_by_name_and_back() -> None:
    assert named(np.array([2, 0]), ("a", "b", "c")) == ["c", "a"]
    assert named([2, 0], None) == [2, 0]
    assert unnamed(["c", "a"], ("a", "b", "c"), "route") == [2, 0]
    assert unnamed([2, 0], None, "route") == [2, 0]
    assert refusal(unnamed, ["c", "x"], ("a", "b", "c"), "route") == "route[1]"


def test_names_are_all_words_or_all_whole_numbers() -> None:
    assert names([3, np.int64(4)], "names", 2) == (3, 4)
    assert names(["a", 4], "names", 2) == ("a", "4")
    assert names(None, "names", 2) is None
