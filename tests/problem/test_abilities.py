"""Abilities of problems: known by their methods."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from colayer import BaseProblem
from colayer.problem import abilities
from colayer.problem.abilities import (
    Bounds,
    Compiles,
    Exact,
    Generates,
    GroupsInstances,
)
from colayer.problem.bind import NAMES, bind
from colayer.problems import find_problem
from support.pick_problem import Pick
from support.registry import static_names

ABILITIES = {
    kind for _, kind in inspect.getmembers(abilities, inspect.isclass)
    if kind.__module__ == abilities.__name__ and getattr(kind, "_is_runtime_protocol", False)
}  # fmt: skip


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
    assert {kind for kind in ABILITIES if isinstance(BaseProblem(), kind)} == {Bounds, GroupsInstances}


@pytest.mark.parametrize("name", static_names())
def test_built_in_problems_have_the_abilities_that_commands_need(name: str) -> None:
    bound = bind(find_problem(name))
    lacking = [method for method in (*NAMES, "embed", "target", "likelihood") if getattr(bound, method) is None]
    assert set(lacking) <= {"constraint_program"}
    assert isinstance(bound.problem, Bounds | GroupsInstances | Compiles)
