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
    Structure,
    checked_structure,
    first_stage_uses_answer,
    has_positions,
    order_of,
)


def checked(given: Any, rows: int) -> Structure:
    return checked_structure(given, rows, "structure of toy")


def test_positions_are_what_theta_starts_from() -> None:
    assert has_positions(checked((Groups([0, 0]), Order([1, 0], [[1.0], [2.0]])), 2))
    assert not has_positions(checked(Order([1, 0]), 2))
    assert not has_positions(())


def test_the_first_network_sees_an_answer_only_without_positions() -> None:
    placed, plain = checked(Order([1, 0], [[1.0], [2.0]]), 2), checked(Order([1, 0]), 2)
    assert [first_stage_uses_answer(uses, own) for uses in (True, False) for own in (placed, plain)] == [
        False, True, False, False,
    ]  # fmt: skip


def test_lists_become_arrays() -> None:
    order, groups = checked((Order([2, 0, 1], [[1.0], [2.0], [0.5]]), Groups([0, 0, 1])), 3)
    assert isinstance(order, Order)
    assert order.permutation.dtype == np.int64
    assert order.positions.shape == (3, 1)
    assert order.sizes.shape == (3, 0)
    assert isinstance(groups, Groups)
    assert groups.count == 2


def test_the_order_among_relations() -> None:
    order = Order([1, 0])
    assert order_of((Groups([0, 0]), order)) is order
    assert order_of((Groups([0, 0]),)) is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "structure of toy returned None"),
        ([Order([0, 1])], "structure of toy returned [Order"),
        (Order([0, 0]), "structure of toy: permutation: "),
        (Order([0, 2]), "structure of toy: permutation: "),
        (Order([0.0, 1.0]), "structure of toy: permutation: "),
        (Order([0, 1, 2]), "structure of toy is about 3 rows"),
        (Order([0, 1], [[1.0]]), "structure of toy: positions: "),
        (Order([0, 1], [[1.0], [np.nan]]), "structure of toy: positions: "),
        (Order([0, 1], sizes="no"), "structure of toy: sizes: "),
        (Graph("two", [0, 1], [1, 0]), "structure of toy: nodes: "),  # type: ignore[arg-type]
        (Graph(2, [0, 1], [1, 2]), "structure of toy: head: "),
        (Graph(2, [0, 1], [1]), "structure of toy: head: "),
        (Graph(2, [0, 1], [1, 0], theta_offsets=[[1.0]]), "structure of toy: theta_offsets: "),
        (Graph(2, [0, 1], [1, 0], theta_offsets=[[1.0], [np.inf]]), "structure of toy: theta_offsets: "),
        (Groups([0, 2]), "structure of toy: labels: "),
        (Groups([0, -1]), "structure of toy: labels: "),
        ((Order([0, 1]), Order([0, 1])), "structure of toy has two orders"),
    ],
)
def test_what_is_no_structure_is_refused(given: Any, says: str) -> None:
    with pytest.raises(InputError) as error:
        checked(given, 2)
    assert str(error.value).startswith(says)
