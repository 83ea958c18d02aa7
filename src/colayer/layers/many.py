"""Many θ through one layer: compiled in one call where the layer has `many`, else row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, finite_numbers
from colayer._runtime.threads import Threads
from colayer.errors import InputError

#: Rows that are worth a thread of their own.
_ROWS = 16


def solve_rows(solve: Callable[[Floats], Any], thetas: Floats, workers: int = 1) -> Floats:
    """Return y, of the shape of θ, of each row of θ, by `workers` threads.

    `solve` is a layer, or any function from a vector to a vector. A layer may have `many`, from rows to rows.
    """
    many = getattr(solve, "many", None)

    def part(rows: Floats) -> Floats:
        if many is not None:
            return np.asarray(many(rows), dtype=np.float64)
        found = [finite_numbers(solve(row), "layer") for row in rows]
        for y in found:
            if y.shape != (rows.shape[1],):
                raise InputError(f"the layer returned shape {y.shape}, expected that of theta, ({rows.shape[1]},)")
        return np.array(found).reshape(rows.shape)

    if workers == 1 or len(thetas) < 2 * _ROWS:
        return part(thetas)
    with Threads(workers) as threads:
        return np.concatenate(threads.map(part, np.array_split(thetas, min(8 * workers, len(thetas) // _ROWS))))
