"""Jobs, nodes and tasks with names of the user's: in files, in solutions, and nowhere in the numbers."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, Pipeline, read_instance, write_instance
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.errors import rejects

NAMED = {
    SingleMachine(): ({"jobs": 4}, ("a", "b", "c", "d")),
    SpanningTree(): ({"width": 2, "scenarios": 2}, (7, 5, 3, 1)),
    VehicleScheduling(): ({"tasks": 3, "scenarios": 2}, ("a", "b", "ü")),
}


@pytest.fixture(params=list(NAMED), ids=lambda problem: problem.name)
def problem(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def named(problem: Any) -> Any:
    sizes, names = NAMED[problem]
    return replace(problem.generate(0, **sizes), names=names)


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_names_survive_a_file(problem: Any, named: Any, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{ending}"
    write_instance(path, named, problem)
    assert read_instance(path).names == named.names
    write_instance(path, replace(named, names=None), problem)
    assert read_instance(path).names is None


def test_names_are_no_part_of_the_numbers(problem: Any, named: Any) -> None:
    plain = replace(named, names=None)
    assert problem.content(named) == problem.content(plain)
    pipeline = Pipeline(problem, problem.safe_weights)
    assert pipeline.solve(named).cost == pipeline.solve(plain).cost
    assert pickle.loads(pickle.dumps(named)).names == named.names


def test_a_solution_by_names_is_read_again(problem: Any, named: Any) -> None:
    solution = problem.baseline(problem.baselines[0], named)
    again = problem.read_solution(problem.write_solution(solution, named), named)
    assert problem.cost(again, named) == problem.cost(solution, named)


def test_solutions_speak_by_name(problem: Any, named: Any) -> None:
    solution = problem.baseline(problem.baselines[0], named)
    columns = problem.table(solution, named)
    column = next(key for key in ("job", "from", "task") if key in columns)
    assert set(columns[column]) <= set(named.names)
    plain = problem.table(solution, replace(named, names=None))
    assert [named.names[i] for i in plain[column]] == columns[column]


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ({"sequence": ["a", "x", "c", "d"], "completion": []}, "sequence[1]"),
        ({"sequence": ["a", ["b"], "c", "d"], "completion": []}, "sequence[1]"),
        ({"sequence": 3, "completion": []}, "sequence"),
    ],
)
def test_a_name_that_is_none_is_refused(document: Any, where: str) -> None:
    instance = replace(SingleMachine().generate(0, jobs=4), names=("a", "b", "c", "d"))
    with rejects(InputError, where=where):
        SingleMachine().read_solution(document, instance)


@pytest.mark.parametrize(
    ("names", "where"),
    [
        (["a", "b"], "names"),
        (["a", "b", "a", "c"], "names[2]"),
        (["a", "", "b", "c"], "names[1]"),
        (["a", 1.5, "b", "c"], "names[1]"),
        (["a", True, "b", "c"], "names[1]"),
        ("abcd", "names"),
        ([1, "1", 2, 3], "names[1]"),
    ],
)
def test_names_differ_and_are_words_or_whole_numbers(names: Any, where: str) -> None:
    with rejects(InputError, where=where):
        replace(SingleMachine().generate(0, jobs=4), names=names)


def test_names_may_come_as_an_array() -> None:
    assert replace(SingleMachine().generate(0, jobs=2), names=np.array([4, 2])).names == (4, 2)
