"""Ranks, and counts of jobs by two of them, with Fenwick trees.

A rank is an integer: the number of jobs whose value is at most the job's own, so that value_i < value_j if and only if
rank_i < rank_j, and ranks 1..n index the trees.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import njit
from colayer.problems.single_machine.kernels.schedule import increasing_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True, nogil=True, error_model="numpy")
def ranks(values: Floats) -> Ints:
    """By job, the number of jobs whose value is at most its own; O(n log n)."""
    n = len(values)
    order = increasing_order(values)
    rank = np.empty(n, np.int64)
    above = n
    for i in range(n - 1, -1, -1):
        if i < n - 1 and values[order[i]] < values[order[i + 1]]:
            above = i + 1
        rank[order[i]] = above
    return rank


@njit(cache=True, nogil=True, error_model="numpy")
def _add(tree: Ints, i: int, amount: int) -> None:
    """Fenwick tree over the places 1..len(tree)-1: add `amount` at place i; O(log n)."""
    while i < len(tree):
        tree[i] += amount
        i += i & -i


@njit(cache=True, nogil=True, error_model="numpy")
def _prefix(tree: Ints, i: int) -> int:
    """Fenwick tree: the sum over the places 1..i; O(log n)."""
    total = 0
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _by_rank(rank: Ints) -> Ints:
    """The jobs in increasing order of rank, then index: a counting sort, O(n)."""
    n = len(rank)
    place = np.zeros(n + 1, np.int64)
    for j in range(n):
        place[rank[j]] += 1
    for k in range(1, n + 1):  # jobs of rank k fill the places k - count .. k - 1
        place[k] = k - place[k]
    order = np.empty(n, np.int64)
    for j in range(n):
        order[place[rank[j]]] = j
        place[rank[j]] += 1
    return order


@njit(cache=True, nogil=True, error_model="numpy")
def count_earlier(rank_time: Ints, rank: Ints) -> tuple[Floats, Floats]:
    """By job j, how many jobs of smaller rank_time have a smaller `rank` than j, and how many a larger; O(n log n)."""
    n = len(rank)
    order = _by_rank(rank_time)
    tree = np.zeros(n + 1, np.int64)
    smaller = np.empty(n)
    larger = np.empty(n)
    added = 0
    for j in order:
        while rank_time[order[added]] < rank_time[j]:
            _add(tree, rank[order[added]], 1)
            added += 1
        smaller[j] = _prefix(tree, rank[j] - 1)
        larger[j] = added - _prefix(tree, rank[j])
    return smaller, larger


@njit(cache=True, nogil=True, error_model="numpy")
def queue_at_release(
    r: Floats, p: Floats, rank_p: Ints, job: Ints, begin: Floats, end: Floats, left: Floats
) -> tuple[Floats, Floats, Floats]:
    """By job j, over the jobs released before r_j that SRPT has not completed at r_j: (number, work left, shorter).

    The last four arguments are the pieces of SRPT; `shorter` counts the jobs with less work left than p_j. A sweep over
    the releases: the tree holds the waiting jobs, each at place 1 + (number of processing times ≤ its work left), so
    that the places up to rank_p[j] hold those with less than p_j; the running job is compared by itself. O(n log n).
    """
    n = len(r)
    sorted_p = np.sort(p)
    place = rank_p + 1  # in the tree, by job
    tree = np.zeros(n + 2, np.int64)
    number = np.empty(n)
    work = np.empty(n)
    shorter = np.empty(n)
    order = increasing_order(r)
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
            number[j] = waiting + running
            work[j] = backlog
            shorter[j] = _prefix(tree, rank_p[j]) + (running and remaining < p[j])
            k += 1
        for i in range(first, k):
            _add(tree, place[order[i]], 1)
            backlog += p[order[i]]
        waiting += k - first
        if k < n:
            backlog = max(backlog - (r[order[k]] - now), 0.0)
    return number, work, shorter


@njit(cache=True, nogil=True, error_model="numpy")
def arrivals_while_running(
    r: Floats, p: Floats, rp: Floats, rank_p: Ints, rank_rp: Ints
) -> tuple[Floats, Floats, Floats]:
    """By job j, over the other jobs released in [r_j, r_j + p_j): (number, their work, those shorter than p_j).

    They are an interval of the release order; the tree over its places holds the jobs shorter than j. O(n log n).
    """
    n = len(r)
    release_order = increasing_order(r)
    place = np.empty(n, np.int64)
    before = np.zeros(n + 1)  # work of the first places of the release order
    low = np.empty(n, np.int64)  # how many jobs are released before r_j
    for i in range(n):
        j = release_order[i]
        place[j] = i + 1
        before[i + 1] = before[i] + p[j]
        low[j] = low[release_order[i - 1]] if i > 0 and r[release_order[i - 1]] == r[j] else i
    high = np.empty(n, np.int64)  # how many are released before r_j + p_j
    released = 0
    for j in _by_rank(rank_rp):
        while released < n and r[release_order[released]] < rp[j]:
            released += 1
        high[j] = released
    order = _by_rank(rank_p)
    tree = np.zeros(n + 1, np.int64)
    number = np.zeros(n)
    work = np.zeros(n)
    shorter = np.zeros(n)
    added = 0
    for j in order:
        while rank_p[order[added]] < rank_p[j]:
            _add(tree, place[order[added]], 1)
            added += 1
        if high[j] - low[j] > 1:
            number[j] = high[j] - low[j] - 1
            work[j] = max(before[high[j]] - before[low[j]] - p[j], 0.0)
            shorter[j] = _prefix(tree, high[j]) - _prefix(tree, low[j])
    return number, work, shorter


@njit(cache=True, nogil=True, error_model="numpy")
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
