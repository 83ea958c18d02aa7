"""Path covers of many tasks by way of fewer: the duals of every fourth task are nearly those of all.

From nothing, a shortest augmenting path visits a part of all tasks, so that a cover takes O(n²) and more. But duals
depend on when and where a task is, and little on how many others there are. So the cover of every fourth task comes
first, itself from a fourth of those. A task v that is not among them gets π_v = min_u (θ_uv − α_u) over the u that are,
the largest dual that leaves their cover optimal. The others are then inserted, along paths of about a hundred tasks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.layers.kernels.matching import match_into

#: One in so many tasks makes the next smaller level; so few need none.
STEP, FEW = 4, 500


def match_by_levels_into(
    indptr: Ints,
    heads: NDArray[np.int32],
    costs: Floats,
    column_costs: Floats,
    row_costs: Floats,
    order: Ints,
    partner: Ints,
    row_duals: Floats,
    column_duals: Floats,
) -> None:
    """Do what `match_into` does where rows and columns are the same many tasks; of several optima it may find another.

    All arrays of a level are an eighth of those of the level before, or less.
    """
    if len(partner) < FEW:
        match_into(indptr, heads, costs, column_costs, row_costs, order, partner, row_duals, column_duals, False)
        return
    firsts, ends, values = thinned(indptr, heads, costs)
    origins, destinations, latest = column_costs[::STEP].copy(), row_costs[::STEP].copy(), order[order % STEP == 0]
    found, duals, head_duals = np.empty(len(origins), np.int64), np.empty(len(origins)), np.empty(len(origins))
    match_by_levels_into(firsts, ends, values, origins, destinations, latest // STEP, found, duals, head_duals)
    partner[:], column_duals[:] = -1, column_costs
    partner[::STEP], column_duals[::STEP] = np.where(found < 0, -1, STEP * found), head_duals
    extend_into(indptr, heads, costs, duals, column_duals)
    match_into(indptr, heads, costs, column_costs, row_costs, order, partner, row_duals, column_duals, True)


@njit(cache=True, nogil=True)
def thinned(indptr: Ints, heads: NDArray[np.int32], costs: Floats) -> tuple[Ints, NDArray[np.int32], Floats]:
    """Return the arcs between tasks 0, STEP, 2·STEP … as (indptr, heads, costs); O(arcs / STEP)."""
    tasks = (len(indptr) + STEP - 2) // STEP
    few = np.zeros(tasks + 1, np.int64)
    for i in range(tasks):
        few[i + 1] = few[i]
        for k in range(indptr[i * STEP], indptr[i * STEP + 1]):
            few[i + 1] += heads[k] % STEP == 0
    few_heads, few_costs = np.empty(few[tasks], np.int32), np.empty(few[tasks])
    size = 0
    for i in range(tasks):
        for k in range(indptr[i * STEP], indptr[i * STEP + 1]):
            if heads[k] % STEP == 0:
                few_heads[size], few_costs[size] = heads[k] // STEP, costs[k]
                size += 1
    return few, few_heads, few_costs


@njit(cache=True, nogil=True)
def extend_into(indptr: Ints, heads: NDArray[np.int32], costs: Floats, row_duals: Floats, column_duals: Floats) -> None:
    """Lower the duals of all other columns to what those of the rows 0, STEP, 2·STEP … allow; O(arcs / STEP)."""
    for i in range(len(row_duals)):
        for k in range(indptr[i * STEP], indptr[i * STEP + 1]):
            v = heads[k]
            if v % STEP != 0:
                column_duals[v] = min(column_duals[v], costs[k] - row_duals[i])
