"""CP-SAT from here: the task that its process gets, what its lines become, and what is refused.

The process is the true one, with a solver that tries everything in the place of OR-Tools.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from colayer._runtime.threads import limited
from colayer.comparison import cpsat
from colayer.comparison.cpsat import solve_constraints
from colayer.errors import ColayerError, InputError, MissingExtraError
from colayer.problem.bind import bind
from colayer.problem.programs import ConstraintProgram, check_size
from support import plain_cp_model
from support.errors import rejects
from support.item_problem import Item, PickItem


class Programmed(PickItem):
    """Exactly one of the numbers, as a constraint program."""

    def constraint_program(self, instance: Item) -> ConstraintProgram:
        check_size(len(instance.values) ** 20)
        n = len(instance.values)
        return ConstraintProgram(
            cost=np.array(instance.values, dtype=np.int64),
            lower=np.zeros(n, dtype=np.int64),
            upper=np.ones(n, dtype=np.int64),
            reported=n,
            solution=lambda values: int(np.argmax(values)),
            hint=lambda solution: np.eye(n, dtype=np.int64)[solution],
            exactly_one=[list(range(n))],
        )


class Impossible(Programmed):
    def constraint_program(self, instance: Item) -> ConstraintProgram:
        program = super().constraint_program(instance)
        program.exactly_one.append([])
        return program


class Faulty(Programmed):
    """A column that is not there."""

    def constraint_program(self, instance: Item) -> ConstraintProgram:
        program = super().constraint_program(instance)
        program.no_overlap.append([(9, 1)])
        return program


@pytest.fixture
def _plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain_cp_model.install(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(cpsat, "available", lambda: True)


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The tasks that processes would get, and no process."""
    seen: list[dict[str, Any]] = []

    def run(task: bytes, timeout: float) -> list[dict[str, Any]]:
        seen.append({**msgspec.json.decode(task), "timeout": timeout})
        return [{"status": "UNKNOWN", "seconds": 0.0}]

    monkeypatch.setattr(cpsat, "available", lambda: True)
    monkeypatch.setattr(cpsat, "_run", run)
    return seen


@pytest.mark.usefixtures("_plain")
def test_every_better_solution_comes_back_with_its_time_and_the_last_is_proved() -> None:
    attempt = solve_constraints(bind(Programmed()), Item([5.0, 9.0]), 10.0)
    assert [solution for _, solution in attempt.solutions] == [1, 0]  # the enumeration meets (0, 1) before (1, 0)
    seconds = [when for when, _ in attempt.solutions]
    assert 0 < seconds[0] <= seconds[1] < 10.0
    assert (attempt.proved, attempt.note) == (True, "")


@pytest.mark.usefixtures("_plain")
def test_it_starts_from_the_solution_given() -> None:
    attempt = solve_constraints(bind(Programmed()), Item([5.0, 9.0]), 10.0, start=0)
    assert [solution for _, solution in attempt.solutions] == [0]


@pytest.mark.usefixtures("_plain")
def test_a_program_without_a_solution_is_the_problems_fault() -> None:
    with rejects(ColayerError, "CP-SAT", "pick"):
        solve_constraints(bind(Impossible()), Item([5.0, 9.0]), 10.0)


@pytest.mark.usefixtures("_plain")
def test_a_process_that_fails_is_an_error_that_says_why() -> None:
    with rejects(ColayerError, "CP-SAT", "IndexError"):
        solve_constraints(bind(Faulty()), Item([5.0, 9.0]), 10.0)


def test_the_task_has_what_is_left_of_the_time_and_a_seed_that_fits(tasks: list[dict[str, Any]]) -> None:
    attempt = solve_constraints(bind(Programmed()), Item([5.0, 9.0]), 3.0, seed=2**31 + 5)
    (task,) = tasks
    assert (task["seed"], task["hint"], task["program"]["exactly_one"]) == (5, None, [[0, 1]])
    assert 2.0 < task["time_limit"] < 3.0 < task["timeout"]
    assert (attempt.solutions, attempt.proved) == ([], False)


def test_several_workers_share_one_core_and_else_there_is_one(tasks: list[dict[str, Any]]) -> None:
    for threads in (1, 2):
        with limited(threads):
            solve_constraints(bind(Programmed()), Item([5.0]), 3.0, start=0)
    assert [task["workers"] for task in tasks] == [8, 1]
    assert [task["hint"] for task in tasks] == [[1], [1]]


def test_a_model_that_is_too_large_is_not_tried(tasks: list[dict[str, Any]]) -> None:
    attempt = solve_constraints(bind(Programmed()), Item([1.0] * 3), 3.0)
    assert attempt.note.startswith("the model has 3,486,784,401 nonzeros")
    assert (attempt.solutions, tasks) == ([], [])


def test_without_a_program_or_or_tools_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: True)
    with rejects(InputError, "pick", "constraint"):
        solve_constraints(bind(PickItem()), Item([1.0]), 1.0)
    monkeypatch.setattr(cpsat, "available", lambda: False)
    with rejects(MissingExtraError, "colayer[compare]"):
        solve_constraints(bind(Programmed()), Item([1.0]), 1.0)


def test_of_a_process_that_does_not_end_whole_lines_count(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = []

    class Endless:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def kill(self) -> None:
            killed.append(True)

        def communicate(self, *_: Any, timeout: float | None = None) -> Any:
            if timeout is not None:
                raise subprocess.TimeoutExpired("cp-sat", timeout)
            return b'{"seconds": 0.5, "values": [0, 1]}\n{"secon', b""

    monkeypatch.setattr(cpsat, "available", lambda: True)
    monkeypatch.setattr(subprocess, "Popen", Endless)
    attempt = solve_constraints(bind(Programmed()), Item([5.0, 9.0]), 3.0)
    assert [solution for _, solution in attempt.solutions] == [1]
    assert (attempt.proved, killed) == (False, [True])


def test_an_interruption_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]
        def communicate(self, *_: Any, **__: Any) -> Any:
            started.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(cpsat, "available", lambda: True)
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        solve_constraints(bind(Programmed()), Item([5.0, 9.0]), 3.0)
    assert started[0].poll() is not None


def test_it_is_available_where_or_tools_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools", None)
    assert cpsat.available() is False
    monkeypatch.delitem(sys.modules, "ortools")
    plain_cp_model.install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert cpsat.available() is True
