"""Instances and solutions, made, read and written by the methods of a problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import InputError
from colayer.io.documents import (
    generated,
    instance_document,
    instance_of,
    solution_document,
    solution_of,
)
from colayer.problem.faults import own_fault
from support.errors import rejects
from support.pick_problem import Pick
from support.selection_problem import Selection


def able(**methods: Any) -> Any:
    """`Pick` with methods that return these values."""
    return type("Able", (Pick,), {name: lambda self, *a, value=v, **k: value for name, v in methods.items()})()


def test_there_and_back() -> None:
    problem = Selection()
    made = generated(problem, 3, projects=4)
    again = instance_of(problem, instance_document(problem, made))
    assert again.price.tolist() == made.price.tolist()
    document = solution_document(problem, np.array([0, 2]), made)
    assert solution_of(problem, document, made).tolist() == [0, 2]


CALLS = {
    "generate": lambda problem: generated(problem, 0),
    "read": lambda problem: instance_of(problem, {}),
    "read_solution": lambda problem: solution_of(problem, {}, None),
    "write": lambda problem: instance_document(problem, None),
    "write_solution": lambda problem: solution_document(problem, None, None),
}


@pytest.mark.parametrize("method", CALLS)
def test_no_answer_is_refused_by_the_name_of_the_method(method: str) -> None:
    with rejects(InputError, method, "pick"):
        CALLS[method](able(**{method: None}))


@pytest.mark.parametrize("method", CALLS)
def test_a_method_that_is_missing_is_named(method: str) -> None:
    with rejects(InputError, "pick"):
        CALLS[method](Pick())


@pytest.mark.parametrize("method", [method for method in CALLS if method != "read"])
def test_what_a_method_raises_carries_its_name(method: str) -> None:
    problem = type("Raises", (Pick,), {method: lambda self, *_, **__: {}["gone"]})()
    with pytest.raises(KeyError) as caught:
        CALLS[method](problem)
    assert (own_fault(caught.value) or "").startswith(f"{method} of pick raised KeyError: 'gone' (test_documents.py, ")


def test_a_reader_that_raises_says_that_it_is_no_instance() -> None:
    """As readers do with a file that is not theirs; an error with a place keeps it."""

    class Reads(Pick):
        def read(self, document: Any) -> Any:
            if "rows" in document:
                raise InputError("too few", where="rows")
            return document["values"]

    with rejects(InputError, "values"):
        instance_of(Reads(), {})
    with rejects(InputError, where="rows"):
        instance_of(Reads(), {"rows": 1})


def test_a_solution_that_has_no_json_form_is_refused_before_it_is_written() -> None:
    with rejects(InputError, "write_solution", "pick"):
        solution_document(able(write_solution={"tour": [1, 2j]}), None, None)
