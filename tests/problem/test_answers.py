"""What the methods of a problem return: taken where it will do, else refused by the name of the method."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from colayer import InputError
from colayer.problem import answers
from support.errors import rejects

WHAT = "cost of crews"


async def later() -> float:
    return 1.0


class Wordless:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1.0), (True, 1.0), (2.5, 2.5), (np.float32(0.5), 0.5), (np.int8(-3), -3.0), (np.array(4.0), 4.0),
     (-math.inf, -math.inf), (10**300, 1e300)],
)  # fmt: skip
def test_what_is_a_number(value: Any, number: float) -> None:
    found = answers.real(value, WHAT)
    assert (found, type(found)) == (number, float)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "3",
        b"3",
        np.str_("3"),
        1j,
        np.complex128(2),
        (1.0, 2.0),
        [1.0],
        np.ones(1),
        np.ones((2, 1), np.int32),
        math.nan,
        np.array(np.nan),
        10**400,
        object(),
        Wordless(),
        len,
    ],
)
def test_what_is_none(value: Any) -> None:
    """The value is told in a few words, also where it is long or cannot tell itself."""
    with rejects(InputError, "cost", "crews"):
        answers.real(value, WHAT)


def test_a_coroutine_is_closed_as_it_is_refused() -> None:
    """Else Python warns, later and elsewhere, that it was never awaited."""
    for check in (answers.real, lambda value, what: answers.given(value, what, "a number")):
        coroutine = later()
        with rejects(InputError, "cost", "crews"):
            check(coroutine, WHAT)
        with pytest.raises(RuntimeError, match="cannot reuse"):
            coroutine.send(None)


def test_what_is_finite() -> None:
    assert answers.finite(np.float32(2.0), WHAT) == 2.0
    for value in (math.inf, -math.inf, math.nan, "x", None):
        with rejects(InputError, "cost", "crews"):
            answers.finite(value, WHAT)


def test_what_is_given_is_returned_as_it_is() -> None:
    solution = [1, 2]
    assert answers.given(solution, WHAT, "a solution") is solution
    assert answers.given(0, WHAT, "a solution") == 0
    with rejects(InputError, "cost", "crews"):
        answers.given(None, WHAT, "a solution")


@pytest.mark.parametrize(
    ("check", "value"),
    [(answers.real, "low"), (answers.finite, math.inf), (lambda v, w, part: answers.given(v, w, "it", part), None)],
)
def test_a_part_of_an_answer_is_named(check: Callable[..., Any], value: Any) -> None:
    with rejects(InputError, "exact", "crews"):
        check(value, "exact of crews", part="bound")


def test_arrays_keep_their_type_and_lists_become_arrays() -> None:
    for dtype in (np.float32, np.float64, np.int16, np.bool_):
        assert answers.array(np.ones(3, dtype), WHAT, "numbers").dtype == dtype
    assert answers.array([[1, 2.5], [3, 4]], WHAT, "numbers").tolist() == [[1.0, 2.5], [3.0, 4.0]]
    assert answers.array([1, 10**30], WHAT, "numbers").tolist() == [1.0, 1e30]  # no integer type holds it


@pytest.mark.parametrize(
    "value", [None, "abc", ["a", "b"], [[1.0], [1.0, 2.0]], [1j], {"a": 1}, [None], object(), [10**400], b"12"]
)
def test_what_is_no_array_of_numbers(value: Any) -> None:
    with rejects(InputError, "features", "crews"):
        answers.array(value, "features of crews", "an array of numbers")


def test_vectors_have_one_finite_number_per_row() -> None:
    found = answers.vector([1, 2], 2, "embed of crews")
    assert (found.dtype, found.tolist()) == (np.float64, [1.0, 2.0])
    for wrong in ([1.0], [[1.0, 2.0]], 1.0, None, "ab"):
        with rejects(InputError, "embed", "crews"):
            answers.vector(wrong, 2, "embed of crews")
    with rejects(InputError, "embed", "crews"):
        answers.vector([1.0, np.inf], 2, "embed of crews")


def test_parts_are_those_of_a_tuple() -> None:
    assert answers.parts((1, None, "x"), 3, WHAT, "(a, b, c)") == (1, None, "x")
    for wrong in ((1, 2), [1, 2, 3], "abc", None, np.ones(3)):
        with rejects(InputError, "cost", "crews"):
            answers.parts(wrong, 3, WHAT, "(a, b, c)")


def test_documents_have_words_as_keys() -> None:
    given = MappingProxyType({"a": 1})
    found = answers.document(given, "write of crews")
    assert (type(found), found) == (dict, {"a": 1})
    with rejects(InputError, "write", "crews"):
        answers.document([1], "write of crews")
    with rejects(InputError, "write", "crews"):
        answers.document({"a": 1, 3: 2}, "write of crews")


def test_json_text_takes_numpy_values_and_may_be_in_order() -> None:
    given = {"b": np.float32(0.5), "a": np.array([1, 2])}
    assert answers.json_text(given, "write of crews") == b'{"b":0.5,"a":[1,2]}'
    assert answers.json_text(given, "write of crews", ordered=True) == b'{"a":[1,2],"b":0.5}'


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"a": object()}, "a"),
        ({"a": [1, {"b": 2j}]}, "a[1].b"),
        ({"rows": (1, 2, [3, len])}, "rows[2][1]"),
        ({"a\nb": 1j}, r"a\nb"),
        (1j, ""),
    ],
)
def test_what_has_no_json_form_is_named_by_its_place(document: Any, place: str) -> None:
    with rejects(InputError, "write", "crews", place):
        answers.json_text(document, "write of crews")


def test_a_document_that_holds_itself_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["again"] = circle
    with rejects(InputError, "write", "crews"):
        answers.json_text(circle, "write of crews")
