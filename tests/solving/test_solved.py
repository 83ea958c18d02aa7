"""Solved: short to look at, and in plain forms with the user's names."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from colayer import InputError, MissingExtraError, Pipeline, Solved, certify
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.problems.single_machine import Instance
from support.errors import rejects

PROBLEM = SingleMachine()
JOBS = Instance([0.0, 3.0, 1.0], [4.0, 1.0, 2.0], ("cut", "<b>drill</b>", "paint"))


@pytest.fixture(scope="module")
def solved() -> Solved[Any]:
    return Pipeline(PROBLEM, PROBLEM.safe_weights).solve(JOBS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            (289911.0, 289217.0, 0.0024, 4e-4, "learned"),
            "cost=289911, gap=0.240 % to the cheap bound, 0.400 ms, learned",
        ),
        ((1.5, None, None, 2.0, "safe"), "cost=1.5, no bound, 2.00 s, safe"),
        ((3.0, 3.0, 0.0, 1.0, "learned"), "cost=3, optimal, 1.00 s, learned"),
        ((3.0, 2.0, 0.5, 1.0, "exact", False), "cost=3, gap=50.0 % to the exact solver's bound, 1.00 s, exact"),
        ((3.0, 3.0, 0.0, 1.0, "exact", True), "cost=3, optimal, 1.00 s, exact"),
        ((1.0, 0.0, None, 1.0, "learned"), "cost=1, gap=- to the cheap bound, 1.00 s, learned"),
    ],
)
def test_the_repr_is_one_short_line_that_names_the_bound(given: Any, said: str) -> None:
    assert repr(Solved(None, *given)) == f"Solved({said})"


def test_the_kind_of_the_bound_follows_the_solver(solved: Solved[Any]) -> None:
    assert solved.bound_kind == "cheap"
    assert certify(PROBLEM, JOBS, solved).bound_kind == "exact"
    assert replace(solved, bound=None).bound_kind is None


def test_a_dict_of_plain_values_by_the_names_of_the_user(solved: Solved[Any]) -> None:
    told = solved.to_dict()
    assert told["solution"] == {"sequence": ["paint", "<b>drill</b>", "cut"], "completion": [8, 4, 3]}
    assert (told["problem"], told["cost"], told["source"]) == ("single-machine", 15.0, solved.source)
    assert "certified" not in told
    assert certify(PROBLEM, JOBS, solved).to_dict()["certified"] is True


def test_the_solution_as_a_frame(solved: Solved[Any]) -> None:
    frame = solved.to_frame()
    assert list(frame.columns) == ["job", "release", "processing", "start", "completion"]
    assert frame["job"].tolist() == ["paint", "<b>drill</b>", "cut"]
    assert frame["completion"].tolist() == [3, 4, 8]
    assert frame["start"].tolist() == [1, 3, 4]


def test_whole_numbers_stay_whole_beside_what_is_missing() -> None:
    tree = SpanningTree()
    frame = Pipeline(tree, tree.safe_weights).solve(tree.generate(0, width=2, scenarios=2)).to_frame()
    assert str(frame["scenario"].dtype) == "Int64"
    assert frame["stage"].tolist() == sorted(frame["stage"])


def test_without_pandas_one_line_names_what_to_install(solved: Solved[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with rejects(MissingExtraError, "to_frame", "pip install pandas"):
        solved.to_frame()
    assert solved.to_columns()["start"] == [1, 3, 4]


def test_a_notebook_shows_the_first_rows_and_no_tags_of_names(solved: Solved[Any]) -> None:
    shown = solved._repr_html_()
    assert "&lt;b&gt;drill&lt;/b&gt;" in shown
    assert "<b>" not in shown
    assert "rows: " not in shown
    many = Pipeline(PROBLEM, PROBLEM.safe_weights).solve(PROBLEM.generate(0, jobs=30))
    assert many._repr_html_().count("<tr>") == 2 + 1 + 10
    assert "30 rows" in many._repr_html_()


@pytest.mark.parametrize("problem", [PROBLEM, SpanningTree(), VehicleScheduling()], ids=lambda problem: problem.name)
def test_every_problem_draws_its_solution(problem: Any) -> None:
    sizes = {size.name: 3 for size in problem.sizes if size.kind is int}
    found = Pipeline(problem, problem.safe_weights).solve(problem.generate(1, **sizes))
    figure: Any = found.plot()
    assert isinstance(figure, Figure)
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a notebook shows
    ax = Figure().subplots()
    assert found.plot(ax=ax) is ax.figure


def test_a_copy_from_another_process_still_knows_its_instance(solved: Solved[Any]) -> None:
    again = pickle.loads(pickle.dumps(solved))
    assert again.to_columns() == solved.to_columns()


def test_a_notebook_shows_what_there_is_where_a_table_fails() -> None:
    class Fails(SingleMachine):
        @staticmethod
        def table(solution: Any, instance: Any) -> Any:
            raise RuntimeError("no table today")

    found = Pipeline(Fails(), PROBLEM.safe_weights).solve(JOBS)
    assert found._repr_html_().count("<table>") == 1
    with pytest.raises(RuntimeError, match="no table today"):
        found.to_columns()


def test_a_fault_of_ours_is_not_hidden_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(SingleMachine, "table", staticmethod(broken))
    found = Pipeline(SingleMachine(), PROBLEM.safe_weights).solve(JOBS)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        found._repr_html_()


def test_one_made_by_hand_knows_no_instance() -> None:
    bare = Solved(np.array([0]), 1.0, None, None, 0.0, "learned")
    for ask in (bare.to_dict, bare.to_frame, bare.plot):
        with rejects(InputError, "instance"):
            ask()
    assert "<table>" in bare._repr_html_()
