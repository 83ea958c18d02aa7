"""The endless training set: what is made depends on its number alone, and the newest replaces the oldest."""

from __future__ import annotations

import time

import numpy as np
import pytest

from colayer.learning.network.source import Item, Source, units_of
from colayer.problem.structure import Graph, Order


def make(number: int) -> list[Item[int]]:
    """Two items that know their number."""
    return [Item(2 * number + k, np.zeros((1, 1), np.float32), (), np.zeros(1), None, 1.0) for k in range(2)]


@pytest.mark.parametrize("processes", [False, True])
def test_items_come_and_go(processes: bool) -> None:
    with Source(make, 1, capacity=6, processes=processes) as source:
        source.refresh(6)
        seen = {item.instance for item in source.items}
        assert seen <= set(range(20))
        assert len(seen) == 6
        deadline = time.monotonic() + 60.0
        while source.made < 30 and time.monotonic() < deadline:
            source.refresh()
        assert len(source.items) == 6
        assert min(item.instance for item in source.items) > 5
        drawn = source.batch(50, np.random.default_rng(0))
        assert {item.instance for item in drawn} <= {item.instance for item in source.items}


def test_what_a_maker_raises_is_raised() -> None:
    def broken(number: int) -> list[Item[int]]:
        raise ValueError(f"no item {number}")

    with Source(broken, 1, capacity=2, processes=False) as source, pytest.raises(ValueError, match="no item"):
        source.refresh(1)


def test_units_of_amounts_are_how_they_spread() -> None:
    """Over rows, on average over instances; the size of what is the same in all rows; 1 where there is nothing."""

    def with_amounts(*columns: list[float]) -> Item[None]:
        graph = Graph(2, [0, 1], [1, 0], amounts=np.array(columns).T)
        graph.check()
        return Item(None, np.empty((0, 2), np.float32), (graph,), np.zeros(2), None, 0.0)

    items = [with_amounts([1.0, 3.0], [7.0, 7.0], [0.0, 0.0]), with_amounts([0.0, 6.0], [-5.0, -5.0], [0.0, 0.0])]
    assert units_of(items) == [2.0, 6.0, 1.0]


def test_units_of_moments_are_their_own() -> None:
    order = Order([1, 0], [[1.0, 30.0], [2.0, 50.0]])
    order.check()
    assert units_of([Item(None, np.empty((0, 2), np.float32), (order,), np.zeros(2), None, 0.0)]) == [1.0]
