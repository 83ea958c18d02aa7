"""Numbers and arrays from files: taken exactly, or refused by the place of the entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.io.validate import WHOLE, named, names, number, numbers, refuse, table, unnamed, whole


def refusal(function: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        function(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3.0)])
def test_one_number(value: Any) -> None:
    found = number(value, "price")
    assert (found, type(found)) == (3.0, float)


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (True, {}, "price: True is not a number"),
        (np.bool_(False), {}, "price: np.False_ is not a number"),
        ("3", {}, "price: '3' is not a number"),
        (None, {}, "price: None is not a number"),
        (10**400, {}, "price: a number too large for a float"),
        (float("nan"), {}, "price: nan is not finite, expected a number"),
        (-float("inf"), {}, "price: -inf is not finite, expected a number"),
        (-11, {"largest": 10.0}, "price: -11 is out of range, expected at most 10"),
    ],
)
def test_what_is_no_number_is_refused(value: Any, options: dict[str, Any], message: str) -> None:
    assert refusal(number, value, "price", **options) == message


def test_one_whole_number() -> None:
    assert (whole(np.int32(4), "nodes", least=4), whole(0, "nodes")) == (4, 0)
    assert refusal(whole, 3, "nodes", least=4) == "nodes: 3 is out of range, expected at least 4"
    assert refusal(whole, 4.0, "nodes") == "nodes: 4.0 is not a whole number"
    assert refusal(whole, True, "nodes") == "nodes: True is not a whole number"


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
    ("values", "shape", "message"),
    [
        ("ab", (None,), "cost: 'ab' is not a list of numbers"),
        (3, (None, None), "cost: 3 is not a list of lists of numbers"),
        ([1, 2], (3,), "cost: 2 entries, expected 3"),
        ([[1, 2], [3]], (None, 2), "cost[1]: 1 entries, expected 2"),
        ([[1, 2], [3]], (None, None), "cost: rows of different lengths"),
        ([[1, 2], 3], (None, None), "cost[1]: 3 is not a list of numbers"),
        ([1, True], (None,), "cost[1]: True is not a number"),
        ([1, None], (None,), "cost[1]: None is not a number"),
        ([[1.0, "x"]], (None, 2), "cost[0][1]: 'x' is not a number"),
        ([], (None,), "cost: empty, expected at least one entry"),
        ([1, 10**400], (None,), "cost: a number too large for a float"),
        ([1.0, float("inf")], (None,), "cost[1]: inf is not finite, expected a number"),
        (np.ones(2), (3,), "cost: an array of shape (2,), expected 3 numbers"),
        (np.ones(2), (None, 2), "cost: an array of 1 dimension, expected (any, 2)"),
        (np.ones((2, 2)), (None,), "cost: an array of 2 dimensions, expected a list of numbers"),
        (np.ones((2, 3)), (None, 2), "cost: an array of shape (2, 3), expected (any, 2)"),
        (np.array(["a"]), (None,), "cost: an array of <U1, expected numbers"),
        (np.array([True]), (None,), "cost: an array of bool, expected numbers"),
        (np.array([[0.0, np.nan]]), (None, 2), "cost[0][1]: nan is not finite, expected a number"),
    ],
)
def test_what_is_no_table_is_refused_by_place(values: Any, shape: tuple[int | None, ...], message: str) -> None:
    assert refusal(table, values, "cost", shape) == message


def test_entries_beyond_the_largest_are_refused() -> None:
    assert table([-5.0, 5.0], "cost", (None,), largest=5.0).tolist() == [-5.0, 5.0]
    said = refusal(table, [0.0, -6.0], "cost", (None,), largest=5.0)
    assert said == "cost[1]: -6 is out of range, expected -5 to 5"


def test_gaps_are_nan() -> None:
    """null in a list, NaN in an array; an infinity is still no number."""
    for values in ([1.0, None], np.array([1.0, np.nan])):
        assert np.array_equal(table(values, "cost", (2,), gaps=True), [1.0, np.nan], equal_nan=True)
    assert refusal(table, np.array([np.nan, np.inf]), "cost", (2,), gaps=True).startswith("cost[1]: inf is not finite")


def test_the_first_bad_entry_is_named() -> None:
    values = np.array([[1.0, -2.0], [-3.0, 4.0]])
    refuse(values < -9, values, "cost", "is negative")
    assert refusal(refuse, values < 0, values, "cost", "is negative") == "cost[0][1]: -2 is negative"


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
    assert refusal(unnamed, ["c", "x"], ("a", "b", "c"), "route") == "route[1]: 'x' is not a name of the instance"


def test_names_are_all_words_or_all_whole_numbers() -> None:
    assert names([3, np.int64(4)], "names", 2) == (3, 4)
    assert names(["a", 4], "names", 2) == ("a", "4")
    assert names(None, "names", 2) is None
