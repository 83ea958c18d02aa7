"""Travel times, scheduled and under scenarios, for the city form and the explicit form alike.

In the city form a trip that leaves at ξ1 takes the district delay of its origin at the hour of ξ1, which gives ξ2; then
its nominal duration and the inter-district delay at the hour of ξ2, which gives ξ3; then the district delay of its
destination at the hour of ξ3. For an arc (u, v), ξ1 = ξ_end[u], so that everything up to ξ3 − nominal depends on u and
the scenario alone: it is computed once (`Times.leave`), and an arc costs one square root and one table look-up a
scenario. Nothing of size arcs × scenarios is ever stored.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer._runtime.deadline import look

HOURS = 24
#: Pairs of tasks that are looked at together.
_PAIRS = 1 << 18


class Times(NamedTuple):
    """All times of an instance in the kernels' form: writable, contiguous, scenarios last (`Instance.times`).

    The arrays of the form that is not used are empty, so that kernels have one signature for both.
    """

    explicit: bool
    task_begin: Floats  # (n,) scheduled
    task_end: Floats  # (n,) scheduled
    begin: Floats  # (n, S) ξ_begin
    end: Floats  # (n, S) ξ_end
    # The city form.
    start: Floats = np.empty((0, 2))  # (n, 2) where a task begins
    finish: Floats = np.empty((0, 2))  # (n, 2) where it ends
    leave: Floats = np.empty((0, 0))  # (n, S) ξ3 − nominal of a trip that leaves from the end of u
    zone: Ints = np.empty(0, np.int64)  # (n,) district in which a task begins
    district: Floats = np.empty((0, 0, 0))  # (districts, 24, S) delay in a district by hour
    # The explicit form.
    nominal: Floats = np.empty((0, 0))  # (n, n), NaN: no arc
    table: Floats = np.empty((0, 0, 0))  # (n, n, S) ξ_travel


@njit(cache=True, nogil=True, inline="always")
def hour(minute: float) -> np.uint64:
    """Return the hour of a time in minutes; the first hour for times before the day, the last for those after it."""
    h = minute / 60.0
    h = h if h > 0.0 else 0.0  # plain comparisons and an unsigned index: loops over this run in vector instructions
    h = h if h < 23.0 else 23.0
    return np.uint64(h)


@njit(cache=True, nogil=True, inline="always")
def cross_district(district: Floats, s: int, minute: float) -> float:
    """Return when a vehicle has crossed a district, with delays (24, S), whose border it reaches at `minute`."""
    return float(minute + district[hour(minute), s])


@njit(cache=True, nogil=True, inline="always")
def nominal_travel(times: Times, u: int, v: int) -> float:
    """Return the scheduled travel time of (u, v): the Euclidean distance in a city, NaN where a table has no arc."""
    if times.explicit:
        return float(times.nominal[u, v])
    dx = times.start[v, 0] - times.finish[u, 0]
    dy = times.start[v, 1] - times.finish[u, 1]
    return math.sqrt(dx * dx + dy * dy)


@njit(cache=True, nogil=True, inline="always")
def is_arc(times: Times, u: int, v: int) -> bool:
    """Return begin[v] ≥ end[u] + travel[u, v] (False where travel is NaN)."""
    if times.task_begin[v] < times.task_end[u]:
        return False
    return bool(times.task_begin[v] >= times.task_end[u] + nominal_travel(times, u, v))


@njit(cache=True, nogil=True)
def leave_into(end: Floats, zone: Ints, district: Floats, inter: Floats, leave: Floats) -> None:
    """Compute leave[u, s] = ξ2 + inter delay at the hour of ξ2, ξ2 = ξ1 + district delay at the hour of ξ1 = end[u, s].

    `zone` is the district in which the trip starts, `inter` is (24, S).
    """
    for u in range(end.shape[0]):
        for s in range(end.shape[1]):
            leave[u, s] = cross_district(inter, s, cross_district(district[zone[u]], s, end[u, s]))


def arcs(times: Times) -> tuple[Ints, NDArray[np.int32]]:
    """Return all arcs between tasks by (u, v), compressed as (indptr (n + 1), heads); O(n²), some tails at a time."""
    n = len(times.task_begin)
    counts, heads = [np.zeros(1, np.int64)], []
    rows = max(1, _PAIRS // n)
    for low in range(0, n, rows):
        look()
        tails = slice(low, low + rows)
        if times.explicit:
            travel = times.nominal[tails]
        else:
            x, y = (times.start[:, k] - times.finish[tails, k, None] for k in (0, 1))
            travel = np.sqrt(x * x + y * y)
        end = times.task_end[tails, None]
        arc = (times.task_begin >= end) & (times.task_begin >= end + travel)
        counts.append(arc.sum(axis=1))
        heads.append(np.nonzero(arc)[1].astype(np.int32))
    return np.cumsum(np.concatenate(counts)), np.concatenate(heads)


def scheduled_travel(times: Times, tails: Ints, heads: NDArray[Any]) -> Floats:
    """Return the scheduled travel time from each of `tails` to the head beside it."""
    if times.explicit:
        return times.nominal[tails, heads]
    return np.sqrt(np.square(times.start[heads] - times.finish[tails]).sum(axis=1))


def bad_arc(times: Times, successor: Ints) -> int:
    """Return the first task whose successor cannot follow it, −1 if there is none; successors are tasks or −1."""
    tails = np.flatnonzero(successor >= 0)
    heads = successor[tails]
    begin, end = times.task_begin[heads], times.task_end[tails]
    bad = tails[~((begin >= end) & (begin >= end + scheduled_travel(times, tails, heads)))]
    return int(bad[0]) if len(bad) else -1
