"""Problems that speak in tables: what they return is checked, and what is no instance is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from colayer import InputError, Pipeline
from colayer.io.columns import Tabulates, TakesTables, check_instance, columns_of
from colayer.problems import SingleMachine, SpanningTree
from support.errors import rejects
from support.pick_problem import Pick


class Rows(Pick):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def table(self, solution: Any, instance: Any) -> Any:
        return self.answer


def test_columns_are_lists_of_one_length() -> None:
    assert columns_of(Rows({"item": ("a", "b"), "cost": range(2)}), None, None) == {"item": ["a", "b"], "cost": [0, 1]}


@pytest.mark.parametrize("answer", [None, [1, 2], {"a": 1}, {1: [2]}, {"a": [1], "b": [1, 2]}])
def test_what_is_no_table_is_refused_by_the_name_of_the_method(answer: Any) -> None:
    with rejects(InputError, "table", "pick"):
        columns_of(Rows(answer), None, None)


def test_a_problem_without_tables_says_what_to_write() -> None:
    with rejects(InputError, "pick", "table"):
        columns_of(Pick(), None, None)
    assert not isinstance(Pick(), Tabulates | TakesTables)


@pytest.mark.parametrize(
    "given",
    [
        [1, 2],
        None,
        pd.DataFrame({"release": [0], "processing": [1]}),
        SpanningTree().generate(0, width=2),
    ],
)
def test_what_is_no_instance_is_refused_in_a_sentence(given: Any) -> None:
    pipeline = Pipeline(SingleMachine())
    with rejects(InputError, "single-machine"):
        pipeline.solve(given)
    with rejects(InputError, "single-machine"):
        pipeline.fit([SingleMachine().generate(0, jobs=3), given])


def test_one_instance_is_no_list_of_them() -> None:
    pipeline, one = Pipeline(SingleMachine()), SingleMachine().generate(0, jobs=3)
    for ask in (pipeline.fit, pipeline.solve_many):
        with rejects(InputError, where="instances"):
            ask(one)


def test_a_table_is_no_list_of_instances_and_a_file_is_no_instance() -> None:
    """A list of its columns, or of the letters of a name, is what Python would make of them."""
    pipeline, table = Pipeline(SingleMachine()), {"release": [0], "processing": [1]}
    for given in (table, pd.DataFrame(table), "jobs.csv"):
        with rejects(InputError, where="instances"):
            pipeline.fit(given)
    with rejects(InputError, "jobs.csv"):
        pipeline.solve("jobs.csv")


def test_a_problem_that_does_not_say_takes_anything() -> None:
    check_instance(Pick(), object())
