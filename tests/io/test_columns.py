"""Problems that speak in tables: what they return is checked, and what is no instance is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from colayer import InputError, Pipeline
from colayer.io.columns import Tabulates, TakesTables, check_instance, columns_of
from colayer.problems import SingleMachine, SpanningTree
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
    with pytest.raises(InputError, match=r"table of pick returned .*, expected a dict of columns of one length"):
        columns_of(Rows(answer), None, None)


def test_a_problem_without_tables_says_what_to_write() -> None:
    with pytest.raises(InputError, match=r"^pick has no table\(solution, instance\)"):
        columns_of(Pick(), None, None)
    assert not isinstance(Pick(), Tabulates | TakesTables)


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
    check_instance(Pick(), object())
