"""A list schedule that waits for short jobs where that pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import njit
from colayer.problems.single_machine.kernels.heap import pop_by_key, push_by_key
from colayer.problems.single_machine.kernels.schedule import increasing_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Jobs to wait for that are considered at a time.
_AHEAD = 16
#: How much of an idle time the jobs yet to come in the block feel. Chosen on random instances.
_FELT = 0.5


@njit(cache=True, nogil=True)
def dispatch_lookahead(r: Floats, p: Floats) -> Ints:
    """List schedule: start the shortest released job a, unless it pays to wait for shorter ones; O(n log n).

    Let b_1, …, b_c be the first c jobs shorter than a that are released while a would run. Compare a and then these,
    shortest first, with these, shortest released first, and then a. The second way changes the sum of the c + 1
    completion times by Δ_c, and ends I_c later, the time it idles. That delays the q other released jobs too, in part
    the l − c jobs yet to come in the same busy block of a schedule that never waits, and by what the gap g behind it
    does not swallow the l' jobs of the next block. If Δ_c + (q + (l − c)/2)·I_c + l'·max(0, I_c − g) < 0 for some
    c ≤ 16, the machine waits for b_1 and decides again then. Ties: r, then index. Returns the sequence.
    """
    n = len(r)
    order = increasing_order(r)
    key = p[order]
    date = r[order]
    block, gap = _blocks(date, key)
    heap = np.empty(n, np.int64)
    size = 0
    sequence = np.empty(n, np.int64)
    shorter = np.empty(_AHEAD, np.int64)  # b_1, …, b_c
    k = 0
    t = 0.0
    i = 0
    while i < n:
        if size == 0:
            t = max(t, date[k])
        while k < n and date[k] <= t:
            push_by_key(heap, size, k, key)
            size += 1
            k += 1
        a = heap[0]
        end_of_block = block[k - 1]
        later = max(0, end_of_block - k)
        following = block[end_of_block] - end_of_block if end_of_block < n else 0
        wait = False
        count = 0
        q = k
        while q < n and date[q] < t + key[a] and count < _AHEAD and not wait:
            if key[q] < key[a]:
                shorter[count] = q
                count += 1
                total, end = _shortest_first(shorter[:count], date, key, t)
                total_after, end_after = _shortest_first(shorter[:count], date, key, t + key[a])
                change = total + end + key[a] - (total_after + t + key[a])
                idle = end + key[a] - end_after
                change += (size - 1 + _FELT * max(0, later - count)) * idle
                wait = change + following * max(0.0, idle - gap[k - 1]) < 0.0
            q += 1
        if wait:
            t = date[shorter[0]]
        else:
            pop_by_key(heap, size, key)
            size -= 1
            sequence[i] = order[a]
            i += 1
            t += key[a]
    return sequence


@njit(cache=True, nogil=True)
def _shortest_first(jobs: Ints, date: Floats, key: Floats, t: float) -> tuple[float, float]:
    """Total completion time and end of a few jobs, given by release, from t on: always the shortest released one."""
    done = np.int64(0)  # a set of bits
    total = 0.0
    for _ in range(len(jobs)):
        best = -1
        for j in range(len(jobs)):
            if done >> j & 1:
                continue
            if best < 0:
                t = max(t, date[jobs[j]])  # the earliest of those left
            elif date[jobs[j]] > t:
                break
            if best < 0 or key[jobs[j]] < key[jobs[best]]:
                best = j
        done |= 1 << best
        t += key[jobs[best]]
        total += t
    return total, t


@njit(cache=True, nogil=True)
def _blocks(date: Floats, key: Floats) -> tuple[Ints, Floats]:
    """Busy blocks of a schedule that never waits, by place of the release order: (end, a place; gap behind). O(n)."""
    n = len(date)
    ends = np.empty(n, np.int64)
    gaps = np.empty(n)
    begin = 0
    t = 0.0
    for k in range(n):
        if date[k] > t:
            ends[begin:k] = k
            gaps[begin:k] = date[k] - t
            begin = k
            t = date[k]
        t += key[k]
    ends[begin:] = n
    gaps[begin:] = np.inf
    return ends, gaps
