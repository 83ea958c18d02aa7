"""How rows relate: what problems say, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problem.structure import (
    Graph,
    Groups,
    Order,
    Structured,
    anchored,
    first_network_uses_answer,
    structure_of,
    structure_uses_answer,
)
from support.errors import rejects


class Toy:
    name = "toy"

    def __init__(self, given: Any) -> None:
        self.given = given

    def structure(self, instance: Any) -> Any:
        return self.given


class Answered(Toy):
    """Rows in the order of an answer of the layer, where there is one."""

    def structure(self, instance: Any, y: Any = None) -> Any:
        return self.given if y is None else Order(y)


def test_a_problem_that_says_nothing_has_no_structure() -> None:
    assert structure_of(object(), None, 3) == ()


def test_who_looks_at_an_answer_of_the_layer() -> None:
    assert structure_uses_answer(Answered(()))
    assert not structure_uses_answer(Toy(()))
    assert not structure_uses_answer(object())
    assert structure_uses_answer(type("Any", (), {"structure": lambda self, *given: ()})())
    assert not structure_uses_answer(
        type("Named", (), {"structure": lambda self, instance, *, fast=False, **more: ()})()
    )
    assert not structure_uses_answer(type("Wrong", (), {"structure": 3})())
    assert not structure_uses_answer(type("Other", (), {"structure": lambda self, instance, normalise=False: ()})())


def test_who_looks_at_an_answer_first() -> None:
    """Where θ starts from the linear model: not from moments, and not without a second look."""
    groups, moments = Groups([0, 0]), Order([1, 0], [[1.0], [2.0]])
    for problem, first in ((Answered(groups), True), (Answered(moments), False), (Toy(groups), False)):
        assert first_network_uses_answer(problem, structure_of(problem, None, 2)) == first


def test_moments_are_what_theta_starts_from() -> None:
    assert anchored(structure_of(Toy((Groups([0, 0]), Order([1, 0], [[1.0], [2.0]]))), None, 2))
    assert not anchored(structure_of(Toy(Order([1, 0])), None, 2))
    assert not anchored(())


def test_lists_become_arrays() -> None:
    order, groups = structure_of(Toy((Order([2, 0, 1], [[1.0], [2.0], [0.5]]), Groups([0, 0, 1]))), None, 3)
    assert isinstance(order, Order)
    assert order.permutation.dtype == np.int64
    assert order.moments.shape == (3, 1)
    assert order.amounts.shape == (3, 0)
    assert isinstance(groups, Groups)
    assert groups.count == 2


def test_a_method_is_all_it_takes() -> None:
    assert isinstance(Toy(()), Structured)


def test_an_answer_of_the_layer_is_told() -> None:
    problem = Answered(Groups([0, 1, 0]))
    (first,) = structure_of(problem, None, 3)
    (later,) = structure_of(problem, None, 3, np.array([2, 0, 1]))
    assert isinstance(first, Groups)
    assert isinstance(later, Order)
    assert later.permutation.tolist() == [2, 0, 1]
    assert structure_of(object(), None, 3, np.arange(3)) == ()


def test_a_structure_after_an_answer_is_checked_too() -> None:
    with rejects(InputError, where="structure of toy: permutation"):
        structure_of(Answered(()), None, 2, [1, 1])
    with rejects(InputError, "structure", "toy"):
        structure_of(Answered(()), None, 2, [1, 0, 2])


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (None, ("structure", "toy")),
        ([Order([0, 1])], ("structure", "toy")),
        (Order([0, 0]), ("structure of toy: permutation",)),
        (Order([0, 2]), ("structure of toy: permutation",)),
        (Order([0.0, 1.0]), ("structure of toy: permutation",)),
        (Order([0, 1, 2]), ("structure", "toy")),
        (Order([0, 1], [[1.0]]), ("structure of toy: moments",)),
        (Order([0, 1], [[1.0], [np.nan]]), ("structure of toy: moments",)),
        (Order([0, 1], amounts="no"), ("structure of toy: amounts",)),
        (Graph(2, [0, 1], [1, 2]), ("structure of toy: head",)),
        (Graph(2, [0, 1], [1]), ("structure of toy: head",)),
        (Graph(2, [0, 1], [1, 0], amounts=[[1.0]]), ("structure of toy: amounts",)),
        (Graph(2, [0, 1], [1, 0], amounts=[[1.0], [np.inf]]), ("structure of toy: amounts",)),
        (Groups([0, 2]), ("structure of toy: labels",)),
        (Groups([0, -1]), ("structure of toy: labels",)),
        ((Order([0, 1]), Order([0, 1])), ("structure", "toy")),
    ],
)
def test_what_is_no_structure_is_refused(given: Any, names: tuple[str, ...]) -> None:
    with rejects(InputError, *names):
        structure_of(Toy(given), None, 2)
