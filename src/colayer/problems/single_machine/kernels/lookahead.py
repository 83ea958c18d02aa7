"""A list schedule that waits for short jobs where that pays."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner
from colayer.layers.sorting import sort
from colayer.problems.single_machine.kernels.heap import pop_by_key, push_by_key

#: Jobs to wait for that are considered at a time.
_AHEAD = 16
#: How much of an idle time the jobs yet to come in the block feel. Chosen on random instances.
_FELT = 0.5


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
    order = sort(r)
    date, key = r[order], p[order]
    heap, block, positions = np.empty((3, n), np.int64)
    gap = np.empty(n)
    blocks_into(date, key, block, gap)
    lookahead_into(date, key, block, gap, heap, np.empty(_AHEAD, np.int64), positions)
    sequence: Ints = order[positions]
    return sequence


@inner(cache=True, nogil=True)
def lookahead_into(
    date: Floats, key: Floats, block: Ints, gap: Floats, heap: Ints, shorter: Ints, sequence: Ints
) -> None:
    """Compute the sequence in release positions; `shorter` is room for b_1, …, b_c."""
    n = len(date)
    size = 0
    k = 0
    t = 0.0
    i = 0
    while i < n:
        if size == 0:
            t = date[k] if t < date[k] else t
        while k < n and date[k] <= t:
            push_by_key(heap, size, k, key)
            size += 1
            k += 1
        a = heap[0]
        end_of_block = block[k - 1]
        later = end_of_block - k
        following = block[end_of_block] - end_of_block if end_of_block < n else 0
        wait = False
        count = 0
        q = k
        while q < n and date[q] < t + key[a] and count < _AHEAD and not wait:
            if key[q] < key[a]:
                shorter[count] = q
                count += 1
                total, end = _shortest_first(shorter, count, date, key, t)
                total_after, end_after = _shortest_first(shorter, count, date, key, t + key[a])
                change = total + end + key[a] - (total_after + t + key[a])
                idle = end + key[a] - end_after
                others = later - count if later > count else 0
                change += (size - 1 + _FELT * others) * idle
                beyond = idle - gap[k - 1] if idle > gap[k - 1] else 0.0
                wait = change + following * beyond < 0.0
            q += 1
        if wait:
            t = date[shorter[0]]
        else:
            pop_by_key(heap, size, key)
            size -= 1
            sequence[i] = a
            i += 1
            t += key[a]


@inner(cache=True, nogil=True)
def _shortest_first(jobs: Ints, count: int, date: Floats, key: Floats, t: float) -> tuple[float, float]:
    """Run the first `count` jobs, by release, from t on, the shortest first; return total completion time and end."""
    done = np.int64(0)  # a set of bits
    total = 0.0
    for _ in range(count):
        best = -1
        for j in range(count):
            if done >> j & 1:
                continue
            if best < 0:
                t = date[jobs[j]] if t < date[jobs[j]] else t  # the earliest of those left
            elif date[jobs[j]] > t:
                break
            if best < 0 or key[jobs[j]] < key[jobs[best]]:
                best = j
        done |= 1 << best
        t += key[jobs[best]]
        total += t
    return total, t


@inner(cache=True, nogil=True)
def blocks_into(date: Floats, key: Floats, ends: Ints, gaps: Floats) -> None:
    """Find the busy blocks of a schedule that never waits, by place of the release order: end, gap behind. O(n)."""
    n = len(date)
    begin = 0
    t = 0.0
    for k in range(n + 1):
        if k == n or date[k] > t:
            for i in range(begin, k):
                ends[i] = k
                gaps[i] = date[k] - t if k < n else np.inf
            if k == n:
                break
            begin = k
            t = date[k]
        t += key[k]
