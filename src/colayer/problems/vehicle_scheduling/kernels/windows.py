"""Windows of the day: reassign the work inside one among the vehicles, at the exact cost of each choice.

A window [low, high) cuts every route into a head (tasks that begin before low), a piece (inside) and a tail (from high
on). What a vehicle does outside, a head that ends with p and a tail that begins with q, is a *gap* (p, q). Any piece
may go into any gap that it fits, a piece left over takes a vehicle of its own, and a gap left empty is closed by the
arc (p, q) or, at the price of one more vehicle, cut in two. The choices of different gaps do not interact, so the best
way to fill all gaps is an assignment problem. A window without end exchanges the tails of all routes, a short one
exchanges and relocates tasks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import copy_into, njit
from colayer.layers.kernels.matching import match_into
from colayer.problems.vehicle_scheduling.kernels.routes import added, base_into, refresh
from colayer.problems.vehicle_scheduling.kernels.travel import Times, is_arc, nominal_travel

NEAR = 32  # pieces offered to a gap


@njit(cache=True, nogil=True)
def cut(times: Times, successor: Ints, predecessor: Ints, low: float, high: float) -> tuple[Ints, Ints, Ints]:
    """Return the gaps (p, q), the pieces (first, last) of the window [low, high), and the piece that fills each gap
    (−1: none).

    They are in the order of the first tasks of the routes. p or q is −1 where a gap has no head or no tail; a route
    that lies inside the window leaves no gap.
    """
    n = len(successor)
    begin = times.task_begin
    gaps = np.empty((n, 2), np.int64)
    pieces = np.empty((n, 2), np.int64)
    now = np.full(n, -1, np.int64)
    g = 0
    m = 0
    for task in range(n):
        if predecessor[task] >= 0:
            continue
        p = -1
        v = task
        while v >= 0 and begin[v] < low:
            p = v
            v = successor[v]
        if v >= 0 and begin[v] < high:
            now[g] = m
            pieces[m, 0] = v
            while v >= 0 and begin[v] < high:
                pieces[m, 1] = v
                v = successor[v]
            m += 1
        if p >= 0 or v >= 0:
            gaps[g, 0] = p
            gaps[g, 1] = v
            g += 1
        else:
            now[g] = -1
    return gaps[:g].copy(), pieces[:m].copy(), now[:g].copy()


@njit(cache=True, nogil=True)
def _travel_around(times: Times, p: int, q: int, first: int, last: int) -> float:
    """Return the scheduled travel into and out of a piece that fills the gap (p, q); ∞ if there is no arc."""
    travel = 0.0
    if p >= 0:
        if not is_arc(times, p, first):
            return np.inf
        travel += nominal_travel(times, p, first)
    if q >= 0:
        if not is_arc(times, last, q):
            return np.inf
        travel += nominal_travel(times, last, q)
    return travel


@njit(cache=True, nogil=True)
def window_costs(
    times: Times,
    successor: Ints,
    gaps: Ints,
    pieces: Ints,
    now: Ints,
    slack: Floats,
    late: Floats,
    base: Floats,
    price: float,
) -> tuple[Floats, Ints, NDArray[np.int32], Floats]:
    """Return (empty, indptr, pieces by gap, costs): the delay, summed over scenarios, of each gap left empty or filled.

    The delay is on top of what pieces and tails cost if a vehicle of their own begins with them on time. Of the pieces
    that fit a gap, the NEAR ones of least travel are costed, and the one that fills it now. An empty gap without an arc
    is ∞. `price` is that of a vehicle in the same unit: since an empty gap may be cut in two at that price, costs that
    are too high for any use need not be complete. `base` (n, S) is scratch. O((gaps · NEAR + n) · S), more if delays
    spread far.
    """
    scenarios = late.shape[1]
    for k in range(len(gaps)):
        if gaps[k, 1] >= 0:
            base_into(successor, gaps[k, 1], -1, slack, base)
    for k in range(len(pieces)):
        base_into(successor, pieces[k, 0], pieces[k, 1], slack, base)
    ahead = np.empty(scenarios)
    room = np.empty(scenarios)
    which = np.empty(scenarios, np.int64)
    x = np.empty(scenarios)
    distance = np.empty(len(pieces))
    near = np.empty(NEAR)
    empty = np.zeros(len(gaps))
    indptr = np.zeros(len(gaps) + 1, np.int64)
    heads = np.empty(len(gaps) * (min(NEAR, len(pieces)) + 1), np.int32)
    costs = np.empty(len(heads))
    filled = 0
    for g in range(len(gaps)):
        p = gaps[g, 0]
        q = gaps[g, 1]
        near[:] = np.inf  # the least distances, ascending
        for m in range(len(pieces)):
            distance[m] = _travel_around(times, p, q, pieces[m, 0], pieces[m, 1])
            if distance[m] < near[NEAR - 1]:
                i = NEAR - 1
                while i > 0 and near[i - 1] > distance[m]:
                    near[i] = near[i - 1]
                    i -= 1
                near[i] = distance[m]
        left = NEAR
        for m in range(-1, len(pieces)):  # −1: none
            first = -1
            last = -1
            limit = price
            if m < 0:
                if p < 0 or q < 0:
                    continue
                if not is_arc(times, p, q):
                    empty[g] = np.inf
                    continue
            else:
                if m != now[g]:
                    if left == 0 or distance[m] > near[NEAR - 1] or distance[m] == np.inf:
                        continue
                    left -= 1
                first = int(pieces[m, 0])
                last = int(pieces[m, 1])
                # from here on, an empty gap and a vehicle of its own for the piece are no worse
                limit = price + min(price, empty[g])
            if p >= 0:
                copy_into(late[p], ahead)
            total = added(times, successor, p, first, last, q, slack, base, ahead, room, which, x, limit)
            if m < 0:
                empty[g] = total
            else:
                heads[filled] = m
                costs[filled] = total
                filled += 1
        indptr[g + 1] = filled
    return empty, indptr, heads[:filled].copy(), costs[:filled].copy()


@njit(cache=True, nogil=True)
def sweep(
    times: Times,
    order: Ints,
    successor: Ints,
    predecessor: Ints,
    slack: Floats,
    late: Floats,
    base: Floats,
    lows: Floats,
    highs: Floats,
    price: float,
    least: float,
) -> float:
    """Reassign the work in the windows [lows[k], highs[k]), one after the other; return the gain, ≥ 0.

    `successor` and the arrays of `refresh` are updated where the gain of a window exceeds `least` > 0, so that repeated
    sweeps end. Gains are in minutes summed over scenarios, with a vehicle at `price` minutes.
    """
    gained = 0.0
    for k in range(len(lows)):
        gaps, pieces, now = cut(times, successor, predecessor, lows[k], highs[k])
        empty, indptr, heads, costs = window_costs(times, successor, gaps, pieces, now, slack, late, base, price)
        partner = np.empty(len(gaps), np.int64)
        alone = np.full(len(pieces), price)
        insertion = np.arange(len(gaps) - 1, -1, -1)
        duals = np.empty(len(gaps))
        open_gap = np.minimum(empty, price)
        match_into(indptr, heads, costs, alone, open_gap, insertion, partner, duals, np.empty(len(pieces)))
        gain = 0.0
        for g in range(len(gaps)):
            gain -= open_gap[g] if partner[g] < 0 else -price
            gain += empty[g] if now[g] < 0 else -price  # an arc closes it
            for i in range(indptr[g], indptr[g + 1]):
                gain += costs[i] * ((heads[i] == now[g]) - (heads[i] == partner[g]))
        if gain <= least:
            continue
        for m in range(len(pieces)):
            successor[pieces[m, 1]] = -1
        for g in range(len(gaps)):
            p = gaps[g, 0]
            q = gaps[g, 1]
            m = partner[g]
            if m >= 0:
                if p >= 0:
                    successor[p] = pieces[m, 0]
                successor[pieces[m, 1]] = q
            elif p >= 0:
                successor[p] = q if empty[g] < price else -1
        gained += gain
        refresh(times, order, successor, predecessor, slack, late)
    return gained
