"""Abilities of problems: known by their methods, their answers checked."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, InputError, OptionError
from colayer.problem import abilities as capabilities
from colayer.problem.abilities import (
    NAMES,
    Bounds,
    Compiles,
    Exact,
    Generates,
    Groups,
    Targets,
    bound_of,
    group_of,
    need,
)
from colayer.problem.compose import solve_exactly
from colayer.problems import find_problem, problem_names
from support.errors import rejects
from support.pick_problem import Pick

ABILITIES = [
    kind for _, kind in inspect.getmembers(capabilities, inspect.isclass)
    if kind.__module__ == capabilities.__name__ and getattr(kind, "_is_protocol", False)
]  # fmt: skip


def able(**methods: Any) -> Any:
    """`Pick` with methods that return these values."""
    return type("Able", (Pick,), {name: lambda self, *a, value=v, **k: value for name, v in methods.items()})()


def test_an_ability_is_having_the_method() -> None:
    """A class of a user's need not know of ours."""
    assert not isinstance(Pick(), Exact)
    assert isinstance(able(exact=None), Exact)
    assert not isinstance(Pick(), Generates)
    assert isinstance(able(generate=None), Generates)


def test_five_methods_are_no_ability() -> None:
    assert len(ABILITIES) > 15
    assert [kind.__name__ for kind in ABILITIES if isinstance(Pick(), kind)] == []


def test_the_base_class_has_the_abilities_with_a_default_alone() -> None:
    """It would else seem to solve exactly, or to learn by demonstration, what it cannot."""
    assert {kind for kind in ABILITIES if isinstance(BaseProblem(), kind)} == {Bounds, Groups}


@pytest.mark.parametrize("name", problem_names())
def test_built_in_problems_have_the_abilities_that_commands_need(name: str) -> None:
    for kind in (*NAMES, Bounds, Groups, Compiles):
        if kind.__name__ != "ConstraintPrograms":
            assert isinstance(find_problem(name), kind), kind


def test_what_is_needed_is_given_or_named() -> None:
    problem = able(exact=None)
    assert need(problem, Exact) is problem
    with rejects(InputError, "pick", "exact"):
        need(Pick(), Exact)
    with rejects(InputError, "pick", "target"):
        need(Pick(), Targets, why="it cannot learn from solutions")
    with rejects(OptionError, where="--certify"):
        need(Pick(), Exact, option="--certify")


@pytest.mark.parametrize("kind", NAMES, ids=lambda kind: kind.__name__)
def test_every_ability_that_is_needed_somewhere_has_a_name(kind: type) -> None:
    with rejects(InputError, "pick", NAMES[kind]):
        need(Pick(), kind)


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, None), (3, 3.0), (np.float32(2.5), 2.5), (-np.inf, None), (np.array(4.0), 4.0)],
)
def test_bounds_are_numbers_or_none(given: Any, expected: float | None) -> None:
    """One of −∞ says nothing: none."""
    assert bound_of(able(bound=given), np.ones((2, 2))) == expected
    assert bound_of(Pick(), np.ones((2, 2))) is None


@pytest.mark.parametrize(
    "given",
    [
        "low",
        [1.0, 2.0],
        np.nan,
        np.inf,
    ],
)
def test_a_bound_that_is_none_is_refused(given: Any) -> None:
    with rejects(InputError, "bound", "pick"):
        bound_of(able(bound=given), np.ones((2, 2)))


def test_groups_are_dicts() -> None:
    assert group_of(Pick(), None) == {}
    assert group_of(able(group={"jobs": 3}), None) == {"jobs": 3}
    with rejects(InputError, "group", "pick"):
        group_of(able(group=3), None)
    with rejects(InputError, "group", "pick"):
        group_of(able(group={"jobs": "many"}), None)
    with rejects(InputError, "group", "pick"):
        group_of(able(group={1: 2}), None)


def test_the_exact_solver_is_given_all_it_may_use() -> None:
    given: dict[str, Any] = {}

    class Solver(Pick):
        def exact(self, instance: Any, /, time_limit: Any = None, progress: Any = None, start: Any = None) -> Any:
            given.update(instance=instance, time_limit=time_limit, progress=progress, start=start)
            return [1], np.float32(102.0), np.bool_(False)

        def cost(self, solution: Any, instance: Any) -> float:
            return 102.0

    found = solve_exactly(Solver(), "x", time_limit=5.0, progress=print, start=[0])
    assert given == {"instance": "x", "time_limit": 5.0, "progress": print, "start": [0]}
    assert found == ([1], 102.0, True)  # what is proved is measured
    assert [type(part) for part in found] == [list, float, bool]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [[1], 2.0, True],
        ([1], 2.0),
        ([1], None, True),
        ([1], "low", True),
    ],
)
def test_an_exact_answer_that_is_none_is_refused(answer: Any) -> None:
    with rejects(InputError, "exact", "pick"):
        solve_exactly(able(exact=answer), None)


def test_without_an_exact_solver_there_is_no_answer() -> None:
    with rejects(InputError, "pick", "exact"):
        solve_exactly(Pick(), None)
