"""Delays along routes, updated as the routes change, and the delay that a change adds.

slack[v, s] = ξ_begin[v] − ξ_end[u] − ξ_travel[u, v] for the task u before v, so that along a route
late(v) = max(late(u) − slack(v), 0): delays spread without another look at travel times. `base` are the delays of a
part of a route when a vehicle begins it on time; delays above base fall back to it as soon as there is slack enough,
and from there on nothing differs.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import copy_into, njit
from colayer.problems.vehicle_scheduling.kernels.slack import slack_into
from colayer.problems.vehicle_scheduling.kernels.travel import Times


@njit(cache=True, nogil=True)
def refresh(times: Times, order: Ints, successor: Ints, predecessor: Ints, slack: Floats, late: Floats) -> float:
    """Bring predecessor, slack and late (n, S) up to date with `successor`; return Σ_s Σ_v late; O(n · S).

    In `order`, arcs point forwards. Slack is computed for new arcs only: where `predecessor` does not already name the
    task before (−1: none; start with −2 everywhere).
    """
    n, scenarios = late.shape
    before = np.full(n, -1, np.int64)
    for u in range(n):
        if successor[u] >= 0:
            before[successor[u]] = u
    total = 0.0
    for v in order:
        u = before[v]
        row = late[v]
        if u < 0:
            row[:] = 0.0
        else:
            gap = slack[v]
            if predecessor[v] != u:
                slack_into(times, u, v, gap)
            tail = late[u]
            for s in range(scenarios):
                row[s] = max(tail[s] - gap[s], 0.0)
            for s in range(scenarios):
                total += row[s]
        predecessor[v] = u
    return total


@njit(cache=True, nogil=True)
def base_into(successor: Ints, first: int, last: int, slack: Floats, base: Floats) -> None:
    """Compute base[v], the delays from `first` to `last` (−1: end of route) if the vehicle is on time at `first`."""
    base[first, :] = 0.0
    v = first
    while v != last and successor[v] >= 0:
        tail = base[v]
        v = successor[v]
        row = base[v]
        gap = slack[v]
        for s in range(len(row)):
            row[s] = max(tail[s] - gap[s], 0.0)


@njit(cache=True, nogil=True)
def _spread(
    successor: Ints, first: int, last: int, slack: Floats, base: Floats, which: Ints, x: Floats, count: int, cap: float
) -> tuple[float, int]:
    """Sum (delay − base) from `first` to `last` if scenario which[k] is late by x[k] at `first`, else by base.

    Lists hold the `count` scenarios whose delay is above base; those that fall back to base are dropped, because from
    there on nothing differs. Return (sum, scenarios left at `last`); give up once the sum exceeds `cap`.
    """
    total = 0.0
    row = base[first]
    kept = 0
    for k in range(count):
        s = which[k]
        if x[k] > row[s]:
            total += x[k] - row[s]
            which[kept] = s
            x[kept] = x[k]
            kept += 1
    v = first
    while kept > 0 and v != last and successor[v] >= 0 and total <= cap:
        v = successor[v]
        row = base[v]
        gap = slack[v]
        count = kept
        kept = 0
        for k in range(count):
            s = which[k]
            delay = x[k] - gap[s]
            if delay > row[s]:
                total += delay - row[s]
                which[kept] = s
                x[kept] = delay
                kept += 1
    return total, kept


@njit(cache=True, nogil=True)
def _arrivals(times: Times, u: int, v: int, late: Floats, room: Floats, which: Ints, x: Floats) -> int:
    """List the scenarios in which a vehicle, late by `late` at u, is late at v, and how late; return their number."""
    slack_into(times, u, v, room)
    count = 0
    for s in range(len(late)):
        which[count] = s
        x[count] = late[s] - room[s]
        count += x[count] > 0.0
    return count


@njit(cache=True, nogil=True)
def added(
    times: Times,
    successor: Ints,
    p: int,
    first: int,
    last: int,
    q: int,
    slack: Floats,
    base: Floats,
    ahead: Floats,
    room: Floats,
    which: Ints,
    x: Floats,
    cap: float,
) -> float:
    """Return the delay over base, summed over scenarios, of p → (first … last) → q, or of p → q if first < 0.

    `ahead` holds the delays at p on entry and is overwritten; sums above `cap` may be incomplete.
    """
    total = 0.0
    u = p
    if first >= 0:
        count = 0
        if p >= 0:
            count = _arrivals(times, p, first, ahead, room, which, x)
            total, count = _spread(successor, first, last, slack, base, which, x, count, cap)
        u = last
        copy_into(base[last], ahead)
        for k in range(count):
            ahead[which[k]] = x[k]
    if q >= 0 and total <= cap:
        count = _arrivals(times, u, q, ahead, room, which, x)
        total += _spread(successor, q, -1, slack, base, which, x, count, cap - total)[0]
    return total
