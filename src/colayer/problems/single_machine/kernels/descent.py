"""LS, the adjacent-swap descent on sequences of 1 | r_j | Σ C_j.

Walk i from the front with the completion time t of the jobs before i. Let a, b be the jobs at i, i + 1 and
s = max(t, r_a) the start of a. If r_b ≤ s and (p_b, r_b) < (p_a, r_a) lexicographically, swap them and step back one
place, else advance. A swap never raises a completion time at its two places, so the cost never rises.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit


@njit(cache=True, nogil=True)
def descend(order: Ints, r: Floats, p: Floats, integral: bool) -> None:
    """Run LS on `order`, in place. `integral`: all data are whole and all completion times below 2^53.

    Both branches give the same sequence; the fast one adds numbers in another order, so it needs exact sums.
    """
    if integral:
        descend_integral(order, r, p)
    else:
        descend_plain(order, r, p)


@njit(cache=True, nogil=True)
def descend_plain(order: Ints, r: Floats, p: Floats) -> None:
    """Run LS on `order`, in place, as the rule reads, for any data. O(n + number of swaps)."""
    n = len(order)
    done = np.empty(n + 1)  # done[i]: completion time of the jobs before i
    done[0] = 0.0
    i = 0
    while i < n - 1:
        a, b = order[i], order[i + 1]
        start = max(done[i], r[a])
        if r[b] <= start and (p[b] < p[a] or (p[b] == p[a] and r[b] < r[a])):
            order[i], order[i + 1] = b, a
            i = max(i - 1, 0)
        else:
            done[i + 1] = start + p[a]
            i += 1


@njit(cache=True, nogil=True)
def descend_integral(order: Ints, r: Floats, p: Floats) -> None:
    """Run LS on `order`, in place, by insertion; the result is that of `descend_plain` if sums are exact.

    The rule always swaps the leftmost swappable pair, so the jobs before the walker have none and the next job moves
    back past every x with r_b ≤ start_x and (p_b, r_b) < (p_x, r_x). Call a place d a descent if the job at d has a
    smaller (p, r) than the one at d − 1; in the prefix it is one that waits for its release date. Between descents both
    (p, r) and the starts ascend: galloping finds the place of b there, and only a descent can become swappable, namely
    when the starts before it get later. Hence the loop: the leftmost descent that may be swappable moves back, then
    those behind its new place are looked at again.

    Invariants: `start` holds the start times of the prefix. Its descents are kept, ascending, in two stacks at the ends
    of one array: the blocked ones in `descents[:left]`, those still to examine in `descents[right:]`. No place after
    `last_gap` follows idle time, so a job that moves in behind it delays those it passes by p_b and no others. O(n log
    n) beside the vectorised moves and the descents examined again.
    """
    n = len(order)
    start = np.empty(n)
    descents = np.empty(n, np.int64)
    left, right = 0, n
    start[0] = r[order[0]]
    last_gap = 0
    for m in range(1, n):
        a, b = order[m - 1], order[m]
        done = start[m - 1] + p[a]
        if r[b] > done:
            start[m] = r[b]
            last_gap = m
        else:
            start[m] = done
        if p[b] > p[a] or (p[b] == p[a] and r[b] >= r[a]):
            continue
        right -= 1
        descents[right] = m
        while right < n:
            d = descents[right]
            right += 1
            b = order[d]
            r_b, p_b = r[b], p[b]
            if r_b > start[d - 1]:
                descents[left] = d
                left += 1
                continue
            if d < m and not (right < n and descents[right] == d + 1):  # without b, d + 1 may be a new descent
                x, z = order[d - 1], order[d + 1]
                if p[z] < p[x] or (p[z] == p[x] and r[z] < r[x]):
                    right -= 1
                    descents[right] = d + 1
            # k: the first place b reaches. The descents it passes are put off, one place on, to be looked at again.
            k = d - 1
            while True:
                first = descents[left - 1] if left > 0 else 0
                step = 1
                low = k
                while k > first:  # gallop back in the ascending run first..k; b passes the job at k
                    low = max(k - step, first)
                    x = order[low]
                    if r_b > start[low] or p_b > p[x] or (p_b == p[x] and r_b >= r[x]):
                        break
                    k = low
                    step *= 2
                if k > first:  # b passes k and not low: bisect
                    while k - low > 1:
                        q = (low + k) >> 1
                        x = order[q]
                        if r_b > start[q] or p_b > p[x] or (p_b == p[x] and r_b >= r[x]):
                            low = q
                        else:
                            k = q
                    break
                if k == 0:
                    break
                x = order[k - 1]
                if r_b > start[k - 1] or p_b > p[x] or (p_b == p[x] and r_b >= r[x]):
                    break
                k -= 1
                left -= 1
                right -= 1
                descents[right] = first + 1
            if k > last_gap:
                _shift(order, start, k, d, p_b)
                order[k] = b
            else:
                last_gap = _insert(order, start, r, p, k, d, m, last_gap)
            if k > 0 and not (left > 0 and descents[left - 1] == k):  # k may be a new descent, blocked
                x = order[k - 1]
                if p_b < p[x] or (p_b == p[x] and r_b < r[x]):
                    descents[left] = k
                    left += 1


@njit(cache=True, nogil=True)
def _shift(order: Ints, start: Floats, k: int, d: int, delay: float) -> None:
    """Move the places k..d − 1 on by one, and their starts by `delay`; the start at k stays.

    Written with a carried value, on slices that begin at 0: the form that the compiler vectorises.
    """
    jobs, starts = order[k : d + 1], start[k : d + 1]
    job, begin = jobs[0], starts[0]
    for q in range(1, len(jobs)):
        jobs[q], job = job, jobs[q]
    for q in range(1, len(starts)):
        starts[q], begin = begin + delay, starts[q]


@njit(cache=True, nogil=True)
def _insert(order: Ints, start: Floats, r: Floats, p: Floats, k: int, d: int, m: int, last_gap: int) -> int:
    """Move the job at d to k in the prefix 0..m with idle time behind k; the new bound on the last gap."""
    b = order[d]
    _shift(order, start, k, d, 0.0)
    order[k] = b
    start[k] = max(start[k - 1] + p[order[k - 1]], r[b]) if k > 0 else r[b]
    done = start[k] + p[b]
    # the jobs passed, later: until the delay is used up, or no gap can follow
    gap = k
    q = k + 1
    while q <= d:
        x = order[q]
        if q > last_gap + 1:
            delay = done - start[q]
            for i in range(q, d + 1):
                start[i] += delay
            break
        begin = max(done, r[x])
        if begin == start[q]:
            gap = last_gap + 1
            break
        if begin > done:
            gap = q
        start[q] = begin
        done = begin + p[x]
        q += 1
    if last_gap <= d:
        last_gap = min(gap, d)
    # the jobs behind, earlier if b went into a gap
    done = start[d] + p[order[d]]
    q = d + 1
    while q <= m:
        x = order[q]
        begin = max(done, r[x])
        if begin == start[q]:
            break
        if begin > done:
            last_gap = max(last_gap, q)
        start[q] = begin
        done = begin + p[x]
        q += 1
    return last_gap
