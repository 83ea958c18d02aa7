"""Arcs within a window of time, and a test that no arc beyond it can matter. Tasks are numbered by begin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.problems.vehicle_scheduling.kernels.travel import Times, is_arc, nominal_travel


@njit(cache=True, nogil=True)
def near_into(times: Times, after: Ints, beyond: Ints, indptr: Ints, heads: NDArray[np.int32]) -> int:
    """Return the number of arcs (u, v), after[u] ≤ v < beyond[u]; fill `indptr`, and `heads` where there is room."""
    size = 0
    indptr[0] = 0
    for u in range(len(after)):
        for v in range(after[u], beyond[u]):
            if is_arc(times, u, v):
                if size < len(heads):
                    heads[size] = v
                size += 1
        indptr[u + 1] = size
    return size


@njit(cache=True, nogil=True)
def suspects_into(
    times: Times,
    beyond: Ints,
    tail_part: Floats,
    head_part: Floats,
    per_minute: float,
    longest: float,
    margin: float,
    indptr: Ints,
    heads: NDArray[np.int32],
) -> int:
    """Return the number of arcs (u, v), v ≥ beyond[u], whose reduced cost may be negative; fill as `near_into` does.

    tail_part[u] + head_part[v] + per_minute · travel is a lower bound of it, travel at most `longest`; arcs at `margin`
    or above are cleared. O(n²) comparisons in vector instructions, and a square root where one of them fails.
    """
    size = 0
    indptr[0] = 0
    least = min(0.0, per_minute * longest)
    for u in range(len(beyond)):
        limit = margin - tail_part[u]
        below = np.int64(0)
        for v in range(beyond[u], len(beyond)):
            below += np.int64(head_part[v] + least < limit)
        for v in range(beyond[u], len(beyond) if below > 0 else beyond[u]):
            if head_part[v] + least >= limit or not is_arc(times, u, v):
                continue
            if head_part[v] + per_minute * nominal_travel(times, u, v) < limit:
                if size < len(heads):
                    heads[size] = v
                size += 1
        indptr[u + 1] = size
    return size
