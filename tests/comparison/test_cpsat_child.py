"""The process of CP-SAT: the model it builds and the lines it writes, with a solver that tries everything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from itertools import count, product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from colayer.comparison import cpsat_child
from support import plain_cp_model

#: Two columns 0..3 and a literal: x + y ≥ 3 where the literal is 1, x + 2y to be minimised, the literal worth 5.
PROGRAM: dict[str, Any] = {
    "cost": [1, 2, -5],
    "lower": [0, 0, 0],
    "upper": [3, 3, 1],
    "reported": 2,
    "exactly_one": [],
    "no_overlap": [],
    "starts": [0, 2],
    "columns": [0, 1],
    "values": [1, 1],
    "row_lower": [3],
    "row_upper": [99],
    "conditions": [2],
}


@pytest.fixture
def child(tmp_path: Path) -> Any:
    """The file run as a process on a task, as `cpsat` does; its lines."""
    plain_cp_model.install(tmp_path)

    def run(program: dict[str, Any], **task: Any) -> list[dict[str, Any]]:
        given = {"program": program, "hint": None, "seed": 0, "workers": 1, "time_limit": 10.0, **task}
        command = [sys.executable, "-P", cpsat_child.__file__]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            command, input=json.dumps(given), env=environment, capture_output=True, text=True, check=True
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def feasible(**changes: Any) -> set[tuple[int, ...]]:
    """Every x that the model of a program lets pass."""
    model, columns = cpsat_child.build(plain_cp_model, {**PROGRAM, **changes})
    assert columns == [0, 1, 2]
    return {x for x in product(*model.ranges) if all(constraint.holds(x) for constraint in model.constraints)}


def test_a_row_holds_where_its_condition_does() -> None:
    everything = set(product(range(4), range(4), range(2)))
    assert feasible() == {x for x in everything if x[2] == 0 or x[0] + x[1] >= 3}
    assert feasible(conditions=[-1]) == {x for x in everything if x[0] + x[1] >= 3}


def test_exactly_one_of_some_literals() -> None:
    found = feasible(upper=[1, 1, 1], exactly_one=[[0, 2]], row_lower=[0])
    assert found == {(a, b, c) for a, b, c in product(range(2), repeat=3) if a + c == 1}


def test_intervals_do_not_overlap() -> None:
    found = feasible(no_overlap=[[(0, 2), (1, 1)]], row_lower=[0])
    assert {x[:2] for x in found} == {(a, b) for a, b in product(range(4), repeat=2) if b >= a + 2 or a >= b + 1}


def test_a_program_without_rows_has_no_rows() -> None:
    alone = {key: PROGRAM[key] for key in ("cost", "lower", "upper", "reported", "exactly_one", "no_overlap")}
    model, _ = cpsat_child.build(plain_cp_model, alone)
    assert model.constraints == []
    assert model.objective.at((1, 1, 1)) == -2


def test_every_better_solution_is_a_line_and_the_status_the_last(child: Any) -> None:
    *found, last = child(PROGRAM)
    assert [line["values"] for line in found] == [[0, 0], [2, 1], [3, 0]]  # costs 0, -1, -2
    assert all(set(line) == {"seconds", "values"} for line in found)
    assert last["status"] == "OPTIMAL"
    seconds = [line["seconds"] for line in (*found, last)]
    assert seconds == sorted(seconds)


def test_the_search_starts_from_the_hint(child: Any) -> None:
    assert child(PROGRAM, hint=[3, 0, 1])[0]["values"] == [3, 0]


def test_without_time_left_nothing_is_solved(child: Any) -> None:
    (line,) = child(PROGRAM, time_limit=0.0)
    assert line["status"] == "UNKNOWN"


def test_a_program_without_a_solution_says_so(child: Any) -> None:
    (line,) = child({**PROGRAM, "conditions": [-1], "row_lower": [7]})
    assert line["status"] == "INFEASIBLE"


def test_time_counts_from_when_the_program_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a clock that goes on by a second whenever it is read: what building takes is not left for solving."""
    solvers = []

    class Solver(plain_cp_model.CpSolver):
        def __init__(self) -> None:
            super().__init__()
            solvers.append(self)

    given = SimpleNamespace(**{**vars(plain_cp_model), "CpSolver": Solver})
    for name in ("ortools", "ortools.sat"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "ortools.sat.python", SimpleNamespace(cp_model=given))
    monkeypatch.setattr(cpsat_child, "time", SimpleNamespace(perf_counter=count(100.0).__next__))
    task = {"program": PROGRAM, "hint": None, "seed": 0, "workers": 1, "time_limit": 10.0}
    monkeypatch.setattr(sys, "stdin", StringIO(json.dumps(task)))
    cpsat_child.main()
    assert [solver.parameters.max_time_in_seconds for solver in solvers] == [9.0]
    assert [json.loads(line)["seconds"] for line in capsys.readouterr().out.splitlines()] == [2.0, 3.0, 4.0, 5.0]
