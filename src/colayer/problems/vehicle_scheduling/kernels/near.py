"""Arcs within a window of time, and a test that no arc beyond it can matter. Tasks are numbered by begin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.problems.vehicle_scheduling.kernels.travel import Times, is_arc, nominal_travel

BLOCK = 64  # heads that are cleared at once


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
    known: Ints,
    known_heads: NDArray[np.int32],
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
    or above are cleared, and so are those of the graph (known, known_heads). Heads go in blocks, and a block whose
    least head_part clears it is passed over: O(n² / BLOCK) comparisons, and a square root where one of them fails.
    """
    n = len(beyond)
    least = np.full((n + BLOCK - 1) // BLOCK, np.inf)
    for v in range(n):
        least[v // BLOCK] = min(least[v // BLOCK], head_part[v])
    size = 0
    indptr[0] = 0
    travelled = min(0.0, per_minute * longest)
    for u in range(n):
        limit = margin - tail_part[u]
        k = known[u] + np.searchsorted(known_heads[known[u] : known[u + 1]], beyond[u])
        for block in range(beyond[u] // BLOCK, len(least)):
            if least[block] + travelled >= limit:
                continue
            for v in range(max(beyond[u], block * BLOCK), min(n, (block + 1) * BLOCK)):
                if head_part[v] + travelled >= limit or not is_arc(times, u, v):
                    continue
                if head_part[v] + per_minute * nominal_travel(times, u, v) < limit:
                    while k < known[u + 1] and known_heads[k] < v:
                        k += 1
                    if k < known[u + 1] and known_heads[k] == v:
                        continue
                    if size < len(heads):
                        heads[size] = v
                    size += 1
        indptr[u + 1] = size
    return size


@njit(cache=True, nogil=True)
def merged(
    indptr: Ints, heads: NDArray[np.int32], costs: Floats, more: Ints, ends: NDArray[np.int32], values: Floats
) -> tuple[Ints, NDArray[np.int32], Floats]:
    """Return (indptr, heads, costs) of two graphs that share no arc, heads ascending for each task; O(arcs)."""
    both = np.zeros(len(indptr), np.int64)
    all_heads, all_costs = np.empty(len(heads) + len(ends), np.int32), np.empty(len(heads) + len(ends))
    i = j = size = 0
    for u in range(len(indptr) - 1):
        while i < indptr[u + 1] or j < more[u + 1]:
            if j == more[u + 1] or (i < indptr[u + 1] and heads[i] < ends[j]):
                all_heads[size], all_costs[size] = heads[i], costs[i]
                i += 1
            else:
                all_heads[size], all_costs[size] = ends[j], values[j]
                j += 1
            size += 1
        both[u + 1] = size
    return both, all_heads, all_costs
