"""Damage to files: bytes cut, changed, left out and repeated, and documents with another value somewhere."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

#: Damaged files of each kind.
COUNT = 150
ODD: tuple[Any, ...] = (
    None, True, "x", "", -1, 0, 1e308, -1e308, 10**30, 2**63, 0.5, [], [[]], {}, [None], ["x"], [1, [2]], 1e-320,
)  # fmt: skip


def damaged(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Cut, changed, left out and repeated bytes."""
    for _ in range(COUNT // 3):
        yield data[: rng.randrange(len(data))]
    for _ in range(COUNT // 3):
        changed = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        yield bytes(changed)
    for _ in range(COUNT // 3):
        a, b = sorted(rng.sample(range(len(data)), 2))
        yield data[:a] + data[b:] if rng.random() < 0.5 else data[:b] + data[a:]


def other_values(document: Any, rng: random.Random) -> Any:
    """The document with one value, wherever it is, replaced or removed."""
    places: list[tuple[Any, Any]] = []
    parts = [document]
    while parts:
        part = parts.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        for key in keys:
            places.append((part, key))
            parts.append(part[key])
    part, key = rng.choice(places)
    if isinstance(part, dict) and rng.random() < 0.2:
        del part[key]
    else:
        part[key] = rng.choice(ODD)
    return document
