"""Ranks, and counts of jobs by two of them, with Fenwick trees.

A rank is an integer: the number of jobs whose value is at most the job's own, so that value_i < value_j if and only if
rank_i < rank_j, and ranks 1..n index the trees.
"""

from __future__ import annotations

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner


@inner(cache=True, nogil=True)
def ranks_into(values: Floats, order: Ints, rank: Ints) -> None:
    """Count for each job the jobs whose value is at most its own; `order` sorts the values. O(n)."""
    n = len(values)
    above = n
    for i in range(n - 1, -1, -1):
        if i < n - 1 and values[order[i]] < values[order[i + 1]]:
            above = i + 1
        rank[order[i]] = above


@inner(cache=True, nogil=True)
def _add(tree: Ints, i: int, amount: int) -> None:
    """Add `amount` at place i of a Fenwick tree over the places 1..len(tree)-1; O(log n)."""
    while i < len(tree):
        tree[i] += amount
        i += i & -i


@inner(cache=True, nogil=True)
def _prefix(tree: Ints, i: int) -> int:
    """Return the sum over the places 1..i of a Fenwick tree; O(log n)."""
    total = 0
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


@inner(cache=True, nogil=True)
def sweep_into(
    order: Ints, key: Ints, place: Ints, low: Ints, high: Ints, tree: Ints, below: Floats, among: Floats, above: Floats
) -> None:
    """Count for each job j the jobs with a smaller key at places ≤ low[j], then up to high[j], then beyond.

    `order` sorts the keys. The places lie in 1..n; the tree holds those of the jobs with a smaller key. O(n log n).
    """
    tree[:] = 0
    added = 0
    for j in order:
        while key[order[added]] < key[j]:
            _add(tree, place[order[added]], 1)
            added += 1
        first = _prefix(tree, low[j])
        last = _prefix(tree, high[j])
        below[j] = first
        among[j] = last - first
        above[j] = added - last


@inner(cache=True, nogil=True)
def queue_into(
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
    """Measure for each job j the queue of SRPT at r_j: its number of jobs, their work left, and how many are shorter
    than j.

    The queue holds the jobs released before r_j that SRPT has not completed. `job`, `begin`, `end` and `left` are the
    pieces of SRPT, `order` sorts r; `shorter` counts the jobs with less work left than p_j. A sweep over the releases
    keeps the waiting jobs in the tree, each at its place, 1 + (number of processing times ≤ its work left), so the
    places up to rank_p[j] hold those with less than p_j; the running job is compared by itself. `tree` and `place` are
    scratch, of length n + 2 and n. O(n log n).
    """
    n = len(r)
    for j in range(n):
        place[j] = rank_p[j] + 1
    tree[:] = 0
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


@inner(cache=True, nogil=True)
def released_into(r: Floats, rp: Floats, order: Ints, order_rp: Ints, place: Ints, low: Ints, high: Ints) -> None:
    """Compute for each job j its place 1..n in the order by r, and how many jobs are released before r_j and rp_j;
    O(n).
    """
    n = len(r)
    for i in range(n):
        j = order[i]
        place[j] = i + 1
        low[j] = low[order[i - 1]] if i > 0 and r[order[i - 1]] == r[j] else i
    released = 0
    for j in order_rp:
        while released < n and r[order[released]] < rp[j]:
            released += 1
        high[j] = released


@inner(cache=True, nogil=True)
def _at_most(increasing: Floats, value: float) -> int:
    """Count the increasing values that are at most `value`, by bisection; O(log n)."""
    low = 0
    high = len(increasing)
    while low < high:
        middle = (low + high) >> 1
        if increasing[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low
