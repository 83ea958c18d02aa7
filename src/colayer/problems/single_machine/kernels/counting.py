"""Ranks, and counts of jobs by two of them, with Fenwick trees.

A rank is an integer: the number of jobs whose value is at most the job's own, so that value_i < value_j if and only if
rank_i < rank_j, and ranks 1..n index the trees.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import inner, njit
from colayer.problems.single_machine.kernels.schedule import increasing_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def ranks(values: Floats) -> Ints:
    """By job, the number of jobs whose value is at most its own; O(n log n)."""
    rank = np.empty(len(values), np.int64)
    _ranks_into(values, increasing_order(values), rank)
    return rank


@njit(cache=True, nogil=True)
def _ranks_into(values: Floats, order: Ints, rank: Ints) -> None:
    n = len(values)
    above = n
    for i in range(n - 1, -1, -1):
        if i < n - 1 and values[order[i]] < values[order[i + 1]]:
            above = i + 1
        rank[order[i]] = above


@inner(cache=True, nogil=True)
def _add(tree: Ints, i: int, amount: int) -> None:
    """Fenwick tree over the places 1..len(tree)-1: add `amount` at place i; O(log n)."""
    while i < len(tree):
        tree[i] += amount
        i += i & -i


@inner(cache=True, nogil=True)
def _prefix(tree: Ints, i: int) -> int:
    """Fenwick tree: the sum over the places 1..i; O(log n)."""
    total = 0
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


def count_earlier(rank_time: Ints, rank: Ints) -> tuple[Floats, Floats]:
    """By job j, how many jobs of smaller rank_time have a smaller `rank` than j, and how many a larger; O(n log n)."""
    earlier, smaller, at_most = _sweep(rank_time, rank, rank - 1, rank)
    return smaller, earlier - at_most


def _sweep(key: Ints, place: Ints, low: Ints, high: Ints) -> tuple[Floats, Floats, Floats]:
    """By job j, of the jobs with a smaller key: how many, how many at places 1..low[j], how many at places 1..high[j].

    The places lie in 1..n; the tree holds those of the jobs with a smaller key. O(n log n).
    """
    n = len(key)
    counts: Floats = np.empty((3, n))
    _sweep_into(np.argsort(key, kind="stable"), key, place, low, high, np.zeros(n + 1, np.int64), counts)
    return counts[0], counts[1], counts[2]


@njit(cache=True, nogil=True)
def _sweep_into(order: Ints, key: Ints, place: Ints, low: Ints, high: Ints, tree: Ints, counts: Floats) -> None:
    """What `_sweep` returns; `order` is that by key."""
    added = 0
    for j in order:
        while key[order[added]] < key[j]:
            _add(tree, place[order[added]], 1)
            added += 1
        counts[0, j] = added
        counts[1, j] = _prefix(tree, low[j])
        counts[2, j] = _prefix(tree, high[j])


def queue_at_release(
    r: Floats, p: Floats, rank_p: Ints, job: Ints, begin: Floats, end: Floats, left: Floats
) -> tuple[Floats, Floats, Floats]:
    """By job j, over the jobs released before r_j that SRPT has not completed at r_j: (number, work left, shorter).

    The last four arguments are the pieces of SRPT; `shorter` counts the jobs with less work left than p_j. A sweep over
    the releases: the tree holds the waiting jobs, each at place 1 + (number of processing times ≤ its work left), so
    that the places up to rank_p[j] hold those with less than p_j; the running job is compared by itself. O(n log n).
    """
    n = len(r)
    number, work, shorter = np.empty((3, n))
    order, sorted_p, place, tree = increasing_order(r), np.sort(p), rank_p + 1, np.zeros(n + 2, np.int64)
    _queue_into(r, p, rank_p, job, begin, end, left, order, sorted_p, place, tree, number, work, shorter)
    return number, work, shorter


@njit(cache=True, nogil=True)
def _queue_into(
    r: Floats,
    p: Floats,
    rank_p: Ints,
    job: Ints,
    begin: Floats,
    end: Floats,
    left: Floats,
    order: Ints,
    sorted_p: Floats,
    place: Ints,
    tree: Ints,
    number: Floats,
    work: Floats,
    shorter: Floats,
) -> None:
    """What `queue_at_release` returns; `place` is that in the tree, by job."""
    n = len(r)
    waiting = 0
    running = False
    piece = 0
    backlog = 0.0
    k = 0
    while k < n:
        now = r[order[k]]
        while piece < len(job) and begin[piece] < now:
            if not running:
                _add(tree, place[job[piece]], -1)
                waiting -= 1
                running = True
            if end[piece] > now:
                break
            running = False
            if left[piece] > 0.0:  # preempted: it waits again
                place[job[piece]] = 1 + _at_most(sorted_p, left[piece])
                _add(tree, place[job[piece]], 1)
                waiting += 1
            piece += 1
        remaining = left[piece] + (end[piece] - now) if running else 0.0
        if waiting == 0 and not running:
            backlog = 0.0
        first = k
        while k < n and r[order[k]] == now:
            j = order[k]
            number[j] = waiting + 1 if running else waiting
            work[j] = backlog
            shorter[j] = _prefix(tree, rank_p[j])
            if running and remaining < p[j]:
                shorter[j] += 1.0
            k += 1
        for i in range(first, k):
            _add(tree, place[order[i]], 1)
            backlog += p[order[i]]
        waiting += k - first
        if k < n:
            backlog -= r[order[k]] - now
            if backlog < 0.0:
                backlog = 0.0


def arrivals_while_running(
    r: Floats, p: Floats, rp: Floats, rank_p: Ints, rank_rp: Ints
) -> tuple[Floats, Floats, Floats]:
    """By job j, over the other jobs released in [r_j, r_j + p_j): (number, their work, those shorter than p_j).

    They are an interval of the release order; the tree over its places holds the jobs shorter than j. O(n log n).
    """
    order = increasing_order(r)
    released = r[order]
    place = np.empty(len(r), np.int64)
    place[order] = np.arange(1, len(r) + 1)
    done = np.concatenate(([0.0], np.cumsum(p[order])))  # work of the first places
    low, high = (np.searchsorted(released, times, side="left") for times in (r, rp))
    some = high - low > 1
    number = np.where(some, high - low - 1.0, 0.0)
    work = np.where(some, np.maximum(done[high] - done[low] - p, 0.0), 0.0)
    _, before, until = _sweep(rank_p, place, low, high)
    return number, work, until - before


@inner(cache=True, nogil=True)
def _at_most(increasing: Floats, value: float) -> int:
    """How many of the increasing values are at most `value`: bisection, O(log n)."""
    low = 0
    high = len(increasing)
    while low < high:
        middle = (low + high) >> 1
        if increasing[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low
