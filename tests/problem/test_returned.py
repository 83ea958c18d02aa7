"""What the methods of a problem return is checked, and refused by the name of the method."""

from __future__ import annotations

from typing import Any

import pytest

from colayer import InputError
from colayer.problem.bind import bind
from colayer.problem.guard import own_fault
from support.pick_problem import Pick


def able(**methods: Any) -> Any:
    """`Pick` with methods that return these values."""
    return type("Able", (Pick,), {name: lambda self, *a, value=v, **k: value for name, v in methods.items()})()


CALLS = {
    "generate": ((0,), "an instance"),
    "instance": (({},), "an instance"),
    "read": (({},), "an instance"),
    "read_solution": (({}, None), "a solution"),
    "write": ((None,), "a dict with words as keys"),
    "write_solution": ((None, None), "a dict with words as keys"),
    "table": ((None, None), "a dict of columns of one length"),
}


def call(problem: Any, method: str) -> Any:
    return bind(problem).need(method)(*CALLS[method][0])


@pytest.mark.parametrize("method", CALLS)
def test_no_answer_is_refused_by_the_name_of_the_method(method: str) -> None:
    with pytest.raises(InputError, match=f"^{method} of pick returned None, expected {CALLS[method][1]}$"):
        call(able(**{method: None}), method)


@pytest.mark.parametrize("method", CALLS)
def test_a_method_that_is_missing_is_named(method: str) -> None:
    with pytest.raises(InputError, match=r"^pick has no (instance|file format|solution format|table)"):
        call(Pick(), method)


@pytest.mark.parametrize("method", CALLS)
def test_what_a_method_raises_carries_its_name(method: str) -> None:
    problem = type("Raises", (Pick,), {method: lambda self, *_, **__: {}["gone"]})()
    with pytest.raises(KeyError) as caught:
        call(problem, method)
    assert (own_fault(caught.value) or "").startswith(f"{method} of pick raised KeyError: 'gone' (test_returned.py, ")


def test_a_solution_that_has_no_json_form_is_refused_before_it_is_written() -> None:
    with pytest.raises(InputError, match=r"^write_solution of pick: tour\[1\] cannot be written as JSON: TypeError"):
        call(able(write_solution={"tour": [1, 2j]}), "write_solution")


def test_columns_are_lists_of_one_length() -> None:
    columns = call(able(table={"item": ("a", "b"), "cost": range(2)}), "table")
    assert columns == {"item": ["a", "b"], "cost": [0, 1]}


@pytest.mark.parametrize("answer", [[1, 2], {"a": 1}, {1: [2]}, {"a": [1], "b": [1, 2]}])
def test_what_is_no_table_is_refused_by_the_name_of_the_method(answer: Any) -> None:
    with pytest.raises(InputError, match=r"^table of pick returned .*, expected a dict of columns of one length"):
        call(able(table=answer), "table")
