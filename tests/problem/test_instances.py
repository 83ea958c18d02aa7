"""What is no instance is refused in a sentence that says how to make one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from colayer import InputError, Pipeline
from colayer.problem.bind import bind
from colayer.problem.instances import make_instance
from colayer.problems import SingleMachine, SpanningTree
from support.pick_problem import Pick


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1, 2], r"\[1, 2\]"),
        (None, "None"),
        (pd.DataFrame({"release": [0], "processing": [1]}), "a DataFrame"),
        (SpanningTree().generate(0, width=2), "an instance of spanning_tree"),
    ],
)
def test_what_is_no_instance_is_refused_in_a_sentence(given: Any, said: str) -> None:
    expected = rf"^{said} is not an instance of single-machine: make one by problem\.instance\(\.\.\.\)"
    pipeline = Pipeline(SingleMachine())
    with pytest.raises(InputError, match=expected):
        pipeline.solve(given)
    with pytest.raises(InputError, match=expected):
        pipeline.fit([SingleMachine().generate(0, jobs=3), given])


def test_one_instance_is_no_list_of_them() -> None:
    pipeline, one = Pipeline(SingleMachine()), SingleMachine().generate(0, jobs=3)
    for ask in (pipeline.fit, pipeline.solve_many):
        with pytest.raises(InputError, match=r"^instances: one instance, expected a list of them$"):
            ask(one)


def test_a_table_is_no_list_of_instances_and_a_file_is_no_instance() -> None:
    """A list of its columns, or of the letters of a name, is what Python would make of them."""
    pipeline, table = Pipeline(SingleMachine()), {"release": [0], "processing": [1]}
    expected = r"expected a list of instances, each made by problem\.instance\(\.\.\.\)$"
    for given in (table, pd.DataFrame(table), "jobs.csv"):
        with pytest.raises(InputError, match=rf"^instances: a {type(given).__name__}, {expected}"):
            pipeline.fit(given)
    with pytest.raises(InputError, match=r"^'jobs.csv' is not an instance .*: colayer\.read_instance reads one from "):
        pipeline.solve("jobs.csv")


def test_a_problem_that_does_not_say_takes_anything() -> None:
    bind(Pick()).check_instance(object())


@pytest.mark.parametrize("error", [ValueError, TypeError, KeyError, ZeroDivisionError, AttributeError])
def test_a_method_that_raises_says_that_it_was_given_none(error: type[Exception]) -> None:
    def make(given: Any, **more: Any) -> Any:
        raise error("values")

    with pytest.raises(InputError, match=rf"^not an instance of pick \({error.__name__}: '?values'?\)$"):
        make_instance("pick", make, {}, prices=[])


@pytest.mark.parametrize("error", [InputError("too few", where="rows"), RuntimeError("ours")])
def test_other_errors_pass(error: Exception) -> None:
    def make(given: Any) -> Any:
        raise error

    with pytest.raises(type(error)) as caught:
        make_instance("pick", make, {})
    assert caught.value is error
