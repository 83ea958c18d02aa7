"""Snapshots tell what changed, and where; caches of objects are no change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from colayer._runtime.snapshot import difference, snapshot


@dataclass
class Thing:
    values: np.ndarray
    parts: list[Any] = field(default_factory=list)


class Slotted:
    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 3


@pytest.mark.parametrize(
    "value",
    [
        None, 3, 2.5, float("nan"), "word", b"bytes", (1, [2, {"a": np.arange(3)}]), {1, 2}, np.array([np.nan, -0.0]),
        np.array([{"a": 1}], dtype=object), Thing(np.arange(2)), Slotted(), np.random.default_rng(0), np.float32(1.5),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_nothing_changed(value: Any) -> None:
    assert difference(snapshot(value), snapshot(value), "x") is None


def test_changes_are_named() -> None:
    thing = Thing(np.zeros((2, 2)), [1, {"a": 2}])
    before = snapshot(thing)
    thing.values[1, 0] = -0.0
    assert difference(before, snapshot(thing), "thing") == "thing.values[1, 0]"
    thing.values[1, 0] = 0.0
    thing.parts[1]["a"] = 3
    assert difference(before, snapshot(thing), "thing") == "thing.parts[1]['a']"
    thing.parts[1] = {"a": 2, "b": 1}
    assert difference(before, snapshot(thing), "thing") == "thing.parts[1]['b']"
    del thing.parts[1]
    assert difference(before, snapshot(thing), "thing") == "thing.parts[1]"


def test_kind_shape_and_type_count() -> None:
    pairs = [(1, 1.0), (np.zeros(2), np.zeros(3)), (np.zeros(2), np.zeros(2, dtype=np.float32)), ([1], (1,))]
    for one, two in pairs:
        assert difference(snapshot(one), snapshot(two), "x") == "x"
    rng = np.random.default_rng(0)
    before = snapshot(rng)
    rng.random()
    assert difference(before, snapshot(rng), "rng") == "rng"
    slotted = Slotted()
    kept = snapshot(slotted)
    slotted.size = 4
    assert difference(kept, snapshot(slotted), "s") == "s.size"


def test_what_objects_cache_is_no_change() -> None:
    thing = Thing(np.zeros(2))
    thing._none, thing._dict, thing._list = None, {}, [1]  # type: ignore[attr-defined]
    before = snapshot(thing)
    thing._none = np.zeros(3)  # type: ignore[attr-defined]
    thing._dict["key"] = 1  # type: ignore[attr-defined]
    thing.more = 1  # type: ignore[attr-defined]
    assert difference(before, snapshot(thing), "x") is None
    thing._list[0] = 2  # type: ignore[attr-defined]
    assert difference(before, snapshot(thing), "x") == "x._list[0]"


def test_a_cycle_ends() -> None:
    thing = Thing(np.zeros(1))
    thing.parts.append(thing)
    assert difference(snapshot(thing), snapshot(thing), "x") is None
