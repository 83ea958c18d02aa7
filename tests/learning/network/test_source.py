"""The endless training set: what is made depends on its number alone, and the newest replaces the oldest."""

from __future__ import annotations

import time

import numpy as np
import pytest

from colayer.learning.network.source import Item, Source


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
