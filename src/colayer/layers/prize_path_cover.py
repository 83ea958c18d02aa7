"""Prize-collecting path cover of an acyclic graph: exact, a path cover in which some tasks may be left out.

Tasks 0 … n−1, arcs (u, v), an origin o and a destination d, as in `path_cover`. Each task is on one o–d path, or left
out if it is not required. A task v that is served brings its prize p_v:

    min  Σ θ_uv + Σ θ_ov + Σ θ_ud − Σ p_v   over the arcs used and the tasks v served.

**It is a path cover with loops.** A task that may be left out gets the arc (u, u) at cost 0: it is then its own
successor, its in-arc and its out-arc at once. The prize is taken off each in-arc of v, (u, v) and (o, v). Paths and
loops share no task, since each task has one in-arc and one out-arc; so the kernel of `path_cover` solves it, with its
optimality proof.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner, njit
from colayer.errors import InputError
from colayer.layers.kernels.matching import match_into
from colayer.layers.layer import first_beyond
from colayer.layers.path_cover import LARGEST, checked_arrays, refuse_cycle


def prize_path_cover(
    indptr: ArrayLike,
    heads: ArrayLike,
    arc_costs: ArrayLike,
    origin_costs: ArrayLike,
    destination_costs: ArrayLike,
    prizes: ArrayLike,
    required: ArrayLike,
) -> Ints:
    """Return the successor of each task in a prize-collecting path cover of least cost.

    Parameters:
        indptr: Where the arcs of each task begin in `heads`, and where the last ones end, shape (n + 1,).
        heads: The tasks that the arcs lead to, ascending for each task; arcs hold no cycle.
        arc_costs: Cost of each arc.
        origin_costs: Cost of starting a path at each task.
        destination_costs: Cost of ending a path at each task.
        prizes: What serving each task brings.
        required: Whether each task must be served.

    Returns:
        The task after each task, −1 where a path ends, the task itself where it is left out.

    Three tasks, arcs 0 → 1 → 2; the last one is far away and its prize is too small:

    >>> args = [0, 1, 2, 2], [1, 2], [1.0, 9.0], [5.0] * 3, [5.0] * 3
    >>> prize_path_cover(*args, prizes=[4.0, 8.0, 2.0], required=[False] * 3).tolist()
    [1, -1, 2]
    """
    names = ("indptr", "heads", "arc_costs", "origin_costs", "destination_costs", "order")
    *arrays, order = checked_arrays(names, indptr, heads, arc_costs, origin_costs, destination_costs, None)
    n = len(order)
    worth, must = np.require(prizes, np.float64, ["C", "W"]), np.require(required, np.bool_, ["C", "W"])
    for name, values in (("origin_costs", arrays[3]), ("prizes", worth), ("required", must)):
        if values.shape != (n,):
            raise InputError(f"shape {values.shape}, expected ({n},)", where=name)
    k = first_beyond(worth, LARGEST)
    if k >= 0:
        raise InputError(f"{worth[k]}, expected a number within ±{LARGEST:g}", where=f"prizes[{k}]")
    successor = np.empty(n, dtype=np.int64)
    prize_path_cover_into(*arrays, worth, must, order, successor)
    refuse_cycle(np.where(successor == np.arange(n), -1, successor))
    return successor


@njit(cache=True, nogil=True)
def prize_path_cover_into(  # type: ignore[no-untyped-def]
    indptr, heads, costs, origin_costs, destination_costs, prizes, required, order, successor
):  # fmt: skip
    """Fill `successor` with an optimum: −1 where a path ends, the task itself where it is left out.

    The arguments are those of `prize_path_cover`, then order int64[n], the tasks in order of insertion, and successor
    int64[n]. It checks nothing. O(n + m) beside the matching, for m arcs.
    """
    n = len(prizes)
    loops = 0
    for u in range(n):
        loops += not required[u]
    starts, ends, values = with_loops(indptr, heads, costs, prizes, required, loops)
    origins, duals, column_duals = np.empty(n), np.empty(n), np.empty(n)
    for v in range(n):
        origins[v] = origin_costs[v] - prizes[v]
    match_into(starts, ends, values, origins, destination_costs, order, successor, duals, column_duals)


@inner(cache=True, nogil=True)
def with_loops(indptr, heads, costs, prizes, required, loops):  # type: ignore[no-untyped-def]
    """Return indptr, heads and costs of the arcs, less the prizes of their heads, and of `loops` loops of cost 0."""
    n = len(prizes)
    starts = np.empty(n + 1, np.int64)
    ends, values = np.empty(len(heads) + loops, np.int32), np.empty(len(heads) + loops)
    size = 0
    for u in range(n):
        starts[u] = size
        loop = not required[u]
        for k in range(indptr[u], indptr[u + 1]):
            v = heads[k]
            if loop and v > u:
                ends[size], values[size] = u, 0.0
                size += 1
                loop = False
            ends[size], values[size] = v, costs[k] - prizes[v]
            size += 1
        if loop:
            ends[size], values[size] = u, 0.0
            size += 1
    starts[n] = size
    return starts, ends, values


def served_cost(
    successor: Ints, indptr: Ints, heads: Ints, costs: Floats, origin_costs: Floats, destination_costs: Floats
) -> float:
    """Return the cost of the arcs that a cover uses, prizes not counted."""
    n = len(successor)
    out = (successor != np.arange(n)) & (successor >= 0)
    tails = np.repeat(np.arange(n), np.diff(indptr))
    used = out[tails] & (successor[tails] == heads)
    begins = successor != np.arange(n)
    begins[successor[out]] = False
    return float(costs[used].sum() + origin_costs[begins].sum() + destination_costs[successor < 0].sum())
