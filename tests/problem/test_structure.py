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
    first_stage_uses_answer,
    has_positions,
    structure_of,
    structure_uses_answer,
)


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
    """Where θ starts from the linear model: not from positions, and not without a second look."""
    groups, positions = Groups([0, 0]), Order([1, 0], [[1.0], [2.0]])
    for problem, first in ((Answered(groups), True), (Answered(positions), False), (Toy(groups), False)):
        assert first_stage_uses_answer(problem, structure_of(problem, None, 2)) == first


def test_positions_are_what_theta_starts_from() -> None:
    assert has_positions(structure_of(Toy((Groups([0, 0]), Order([1, 0], [[1.0], [2.0]]))), None, 2))
    assert not has_positions(structure_of(Toy(Order([1, 0])), None, 2))
    assert not has_positions(())


def test_lists_become_arrays() -> None:
    order, groups = structure_of(Toy((Order([2, 0, 1], [[1.0], [2.0], [0.5]]), Groups([0, 0, 1]))), None, 3)
    assert isinstance(order, Order)
    assert order.permutation.dtype == np.int64
    assert order.positions.shape == (3, 1)
    assert order.sizes.shape == (3, 0)
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
    with pytest.raises(InputError, match="structure of toy: permutation: expected every row from 0 to 1 once"):
        structure_of(Answered(()), None, 2, [1, 1])
    with pytest.raises(InputError, match="structure of toy is about 3 rows, expected 2"):
        structure_of(Answered(()), None, 2, [1, 0, 2])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "structure of toy returned None, expected Order, Graph, Groups, or a tuple of them"),
        ([Order([0, 1])], "expected Order, Graph, Groups"),
        (Order([0, 0]), "structure of toy: permutation: expected every row from 0 to 1 once"),
        (Order([0, 2]), "expected every row from 0 to 1 once"),
        (Order([0.0, 1.0]), "permutation: expected a list of whole numbers"),
        (Order([0, 1, 2]), "structure of toy is about 3 rows, expected 2"),
        (Order([0, 1], [[1.0]]), "positions: shape (1, 1), expected one row for each of 2"),
        (Order([0, 1], [[1.0], [np.nan]]), "positions: not finite"),
        (Order([0, 1], sizes="no"), "sizes: expected a table of numbers"),
        (Graph(2, [0, 1], [1, 2]), "head: expected nodes from 0 to 1"),
        (Graph(2, [0, 1], [1]), "head: 1 entries, expected 2 as in tail"),
        (
            Graph(2, [0, 1], [1, 0], theta_offsets=[[1.0]]),
            "theta_offsets: shape (1, 1), expected one row for each of 2",
        ),
        (Graph(2, [0, 1], [1, 0], theta_offsets=[[1.0], [np.inf]]), "theta_offsets: not finite"),
        (Groups([0, 2]), "labels: expected a group from 0"),
        (Groups([0, -1]), "labels: expected a group from 0"),
        ((Order([0, 1]), Order([0, 1])), "two orders, expected one"),
    ],
)
def test_what_is_no_structure_is_refused(given: Any, says: str) -> None:
    with pytest.raises(InputError) as error:
        structure_of(Toy(given), None, 2)
    assert says in str(error.value)


def test_old_names_are_accepted_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="positions"):
        assert Order([0], moments=[[1.0]]).positions == [[1.0]]
    with pytest.warns(DeprecationWarning, match="sizes"):
        assert Order([0], amounts=[[2.0]]).sizes == [[2.0]]
    with pytest.warns(DeprecationWarning, match="theta_offsets"):
        assert Graph(2, [0], [1], amounts=[[3.0]]).theta_offsets == [[3.0]]
