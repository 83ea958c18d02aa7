"""Networks that see context, drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.models.stage import RELATIONS


def drawn_arrays(
    relations: tuple[str, ...], inputs: int, *, heads: int = 1, channels: int = 5, blocks: int = 2, seed: int = 7
) -> dict[str, Any]:
    """The arrays of a network."""
    random = np.random.default_rng(seed)
    arrays = {
        "input.matrix": random.normal(size=(channels, inputs)),
        "input.bias": random.normal(size=channels),
        "head.matrix": random.normal(size=(heads, channels)),
        "head.bias": random.normal(size=heads),
    }
    for k in range(blocks):
        arrays[f"{k}.matrix"] = random.normal(size=(2 * channels, channels))
        arrays[f"{k}.bias"] = random.normal(size=2 * channels)
        for name in relations:
            columns, many = RELATIONS[name]
            width = 3 if name == "order" else columns * channels
            arrays[f"{k}.{name}"] = random.normal(size=(many * channels, width)) / width
    return arrays
