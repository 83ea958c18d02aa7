"""Schedules of 1 | r_j | Σ C_j: cost of a sequence, the preemptive optimum (SRPT), list dispatching rules.

All kernels take r and p as contiguous float64 arrays of length n ≥ 1 and never change them. Those that choose among
jobs work in *release positions*: job positions in the order (r, index). A heap of positions compared by (key, position)
then breaks ties by smaller release, then by smaller index, which is the tie rule of every schedule here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import njit
from colayer.layers.sorting import order_into
from colayer.problems.single_machine.kernels.heap import pop, pop_by_key, push, push_by_key

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def increasing_order(values: Floats) -> Ints:
    """Indices of the values in increasing order, ties by index; O(n log n)."""
    n = len(values)
    order = np.empty(n, np.int64)
    order_into(values, order, np.empty(n), np.empty(2 * n + 1, np.int64))
    return order


@njit(cache=True, nogil=True)
def sequence_cost(order: Ints, r: Floats, p: Floats) -> float:
    """Σ C_j of the jobs of `order` run in that order, each as early as possible; O(n)."""
    t = 0.0
    total = 0.0
    for j in order:
        t = max(t, r[j]) + p[j]
        total += t
    return total


@njit(cache=True, nogil=True)
def completion_times(order: Ints, r: Floats, p: Floats) -> Floats:
    """C_j by job when the jobs run in `order`, each as early as possible; O(n)."""
    completion = np.empty(len(r))
    t = 0.0
    for j in order:
        t = max(t, r[j]) + p[j]
        completion[j] = t
    return completion


@njit(cache=True, nogil=True)
def srpt_pieces(r: Floats, p: Floats) -> tuple[Ints, Floats, Floats, Floats]:
    """The preemptive optimum (Schrage 1968) as its pieces in time order: (job, begin, end, work left at the end).

    At every moment the machine runs the job of shortest remaining work. It is preempted by a strictly shorter one
    only; otherwise ties go to the smaller release, then the smaller index. Invariant: the running job has the least
    remaining work of all, so one heap of the waiting jobs suffices, and each release causes at most one preemption:
    fewer than 2n pieces, O(n log n).
    """
    n = len(r)
    order = increasing_order(r)
    rem = p[order]  # by release position
    job = np.empty(2 * n, np.int64)
    begin = np.empty(2 * n)
    end = np.empty(2 * n)
    left = np.empty(2 * n)
    heap = np.empty(n, np.int64)
    size = 0
    pieces = 0
    k = 0  # next release
    cur = -1
    t = 0.0
    while True:
        while k < n and r[order[k]] <= t:
            push_by_key(heap, size, k, rem)
            size += 1
            k += 1
        if cur >= 0 and size > 0 and rem[heap[0]] < rem[cur]:
            end[pieces] = t
            left[pieces] = rem[cur]
            pieces += 1
            best = pop_by_key(heap, size, rem)
            push_by_key(heap, size - 1, cur, rem)
            cur = best
            job[pieces] = order[cur]
            begin[pieces] = t
        elif cur < 0 and size > 0:
            cur = pop_by_key(heap, size, rem)
            size -= 1
            job[pieces] = order[cur]
            begin[pieces] = t
        elif cur < 0:
            if k == n:
                break
            t = r[order[k]]
            continue
        if k < n and r[order[k]] < t + rem[cur]:
            rem[cur] -= r[order[k]] - t
            t = r[order[k]]
        else:
            t += rem[cur]
            end[pieces] = t
            left[pieces] = 0.0
            pieces += 1
            cur = -1
    return job[:pieces], begin[:pieces], end[:pieces], left[:pieces]


@njit(cache=True, nogil=True)
def srpt(r: Floats, p: Floats) -> tuple[Floats, Floats, Floats, Floats, Ints, Ints]:
    """Statistics of the SRPT schedule, by job; O(n log n).

    Returns (start, completion, mean_busy, left, preemptor, preemptions): the first moment j runs; C_j; the mean moment
    at which it runs, (1/p_j)·∫ t dt over its pieces; its work left after the first piece (0 if that completes it); the
    job that preempts it first (-1 if none); how often it is preempted.
    """
    job, begin, end, left = srpt_pieces(r, p)
    return piece_statistics(len(r), job, begin, end, left)


@njit(cache=True, nogil=True)
def piece_statistics(
    n: int, job: Ints, begin: Floats, end: Floats, left_at: Floats
) -> tuple[Floats, Floats, Floats, Floats, Ints, Ints]:
    """What `srpt` returns, from the pieces of `srpt_pieces`; O(n)."""
    start = np.empty(n)
    completion = np.empty(n)
    mean_busy = np.zeros(n)
    busy = np.zeros(n)
    left = np.zeros(n)
    preemptor = np.full(n, -1, np.int64)
    preemptions = np.full(n, -1, np.int64)
    for k in range(len(job)):
        j = job[k]
        if preemptions[j] < 0:
            start[j] = begin[k]
            left[j] = left_at[k]
            if left_at[k] > 0.0:
                preemptor[j] = job[k + 1]
        preemptions[j] += 1
        completion[j] = end[k]
        mean_busy[j] += (end[k] - begin[k]) * (0.5 * (begin[k] + end[k]))
        busy[j] += end[k] - begin[k]
    for j in range(n):  # Σ of the lengths is p_j up to rounding, and 0 where p_j is lost in the sum with a large time
        mean_busy[j] = mean_busy[j] / busy[j] if busy[j] > 0.0 else start[j]
    return start, completion, mean_busy, left, preemptor, preemptions


@njit(cache=True, nogil=True)
def srpt_completions(r: Floats, p: Floats) -> Floats:
    """C_j of the SRPT schedule, by job; O(n log n)."""
    completion = np.empty(len(r))
    job, _, end, _ = srpt_pieces(r, p)
    for k in range(len(job)):
        completion[job[k]] = end[k]  # the last piece of a job stays
    return completion


@njit(cache=True, nogil=True)
def srpt_bound(r: Floats, p: Floats) -> float:
    """Σ C_j of the SRPT schedule, a lower bound on the optimal cost (preemption relaxed); O(n log n).

    The sum does not depend on ties, so the heap holds bare remaining works: no positions, no second array.
    """
    n = len(r)
    order = increasing_order(r)
    heap = np.empty(n)
    size = 0
    t = 0.0
    total = 0.0
    for k in range(n):
        release = r[order[k]]
        while size > 0 and t + heap[0] <= release:  # complete what ends before the next release
            t += heap[0]
            total += t
            pop(heap, size)
            size -= 1
        if size > 0 and t < release:
            heap[0] -= release - t  # the least stays the least
        t = max(t, release)
        push(heap, size, p[order[k]])
        size += 1
    rest = np.sort(heap[:size])
    for k in range(size):
        t += rest[k]
        total += t
    return total


@njit(cache=True, nogil=True)
def dispatch_shortest(r: Floats, p: Floats) -> Ints:
    """List schedule: whenever the machine is free, start the shortest released job (ties: r, then index).

    If none is released, wait for the next release. Returns the sequence; O(n log n).
    """
    n = len(r)
    order = increasing_order(r)
    key = p[order]
    heap = np.empty(n, np.int64)
    size = 0
    sequence = np.empty(n, np.int64)
    k = 0
    t = 0.0
    for i in range(n):
        if size == 0:
            t = max(t, r[order[k]])
        while k < n and r[order[k]] <= t:
            push_by_key(heap, size, k, key)
            size += 1
            k += 1
        a = pop_by_key(heap, size, key)
        size -= 1
        sequence[i] = order[a]
        t += key[a]
    return sequence


@njit(cache=True, nogil=True)
def dispatch_ect(r: Floats, p: Floats) -> Ints:
    """List schedule: always take the job that can complete first, argmin max(t, r_j) + p_j (ties: r, then index).

    The job may be one to wait for. Returns the sequence; O(n log n): among released jobs the rule is the shortest,
    among the others the order by r + p is fixed.
    """
    return _dispatch(r, p, 1.0, False)


@njit(cache=True, nogil=True)
def aprtf(r: Floats, p: Floats) -> Ints:
    """List schedule by Chu's alternative priority rule for total flow time; returns the sequence; O(n log n).

    Chu (1992), "Efficient heuristics to minimize total flow time with release dates", Operations Research Letters 12.
    With R_j = max(t, r_j), α has the least priority 2 R_j + p_j and β the least start R_j (ties: p); other ties go to
    the smaller r, then the smaller index. If R_α ≤ R_β, α is next. Else α is next if and only if

        F_βα - F_αβ ≥ μ · min(R_α - R_β, C_αβ - τ),

    where F_αβ is the total flow time of α then β from t, F_βα of β then α, C_αβ the end of α then β, μ the number of
    the other unscheduled jobs and τ their earliest release: what α first gains on the two against what it can cost the
    others. Otherwise β is next. With R_α > R_β, the least priority means p_β > p_α + 2 (R_α - R_β), so that
    F_βα - F_αβ = p_β - p_α - 2 (R_α - R_β).
    """
    return _dispatch(r, p, 2.0, True)


@njit(cache=True, nogil=True)
def _dispatch(r: Floats, p: Floats, c: float, look_ahead: bool) -> Ints:
    """Take argmin c·max(t, r_j) + p_j, or, with `look_ahead`, the earliest start where Chu's test says so.

    Invariant: the heap holds the released jobs, by (p, r, index); the others, all unscheduled, are the release
    positions k, k+1, …; their best is the first of them in the fixed order by c·r + p.
    """
    n = len(r)
    order = increasing_order(r)
    rs = r[order]
    ps = p[order]
    fixed = increasing_order(c * rs + ps)
    heap = np.empty(n, np.int64)
    size = 0
    sequence = np.empty(n, np.int64)
    done = np.zeros(n, np.bool_)
    k = 0  # next release
    f = 0  # first of `fixed` that may not be released
    t = 0.0
    for i in range(n):
        while True:
            if size == 0 and k < n:
                t = max(t, rs[k])  # nothing can start earlier
            while k < n and rs[k] <= t:
                if not done[k]:
                    push_by_key(heap, size, k, ps)
                    size += 1
                k += 1
            if size > 0:
                break
        while f < n and fixed[f] < k:
            f += 1
        beta = heap[0]
        wait = False
        if f < n:
            alpha = fixed[f]
            delay = rs[alpha] - t
            gain = ps[beta] - ps[alpha] - c * delay
            wait = gain > 0.0
            if wait and look_ahead and n - i > 2:
                loss = delay
                if size == 1:  # the others are not released: the earliest of them
                    tau = rs[k] if k != alpha else rs[k + 1]
                    loss = min(loss, rs[alpha] + ps[alpha] + ps[beta] - tau)
                wait = gain >= (n - i - 2) * loss
        if wait:
            sequence[i] = order[alpha]
            done[alpha] = True
            t = rs[alpha] + ps[alpha]
        else:
            sequence[i] = order[pop_by_key(heap, size, ps)]
            size -= 1
            t += ps[beta]
    return sequence
