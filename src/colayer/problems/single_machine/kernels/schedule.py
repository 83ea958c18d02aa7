"""Schedules of 1 | r_j | Σ C_j: cost of a sequence, the preemptive optimum (SRPT).

All kernels take r and p as contiguous float64 arrays of length n ≥ 1 and never change them. Those that choose among
jobs work in *release positions*: job positions in the order (r, index). A heap of positions compared by (key, position)
then breaks ties by smaller release, then by smaller index, which is the tie rule of every schedule here.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner, njit
from colayer.layers.sorting import sort
from colayer.problems.single_machine.kernels.heap import pop_by_key, push_by_key


@njit(cache=True, nogil=True)
def sequence_cost(order: Ints, r: Floats, p: Floats) -> float:
    """Return Σ C_j of the jobs of `order` run in that order, each as early as possible; O(n)."""
    t = 0.0
    total = 0.0
    for j in order:
        if t < r[j]:
            t = r[j]
        t += p[j]
        total += t
    return total


@njit(cache=True, nogil=True)
def completion_times(order: Ints, r: Floats, p: Floats) -> Floats:
    """Return C_j by job if the jobs run in `order`, each as early as possible; O(n)."""
    completion = np.empty(len(r))
    t = 0.0
    for j in order:
        if t < r[j]:
            t = r[j]
        t += p[j]
        completion[j] = t
    return completion


def srpt_pieces(r: Floats, p: Floats) -> tuple[Ints, Floats, Floats, Floats]:
    """Return the preemptive optimum (Schrage 1968) as pieces in time order: (job, begin, end, work left at the end).

    At every moment the machine runs the job of shortest remaining work. Only a strictly shorter job preempts it;
    otherwise ties go to the smaller release, then the smaller index. Invariant: the running job has the least remaining
    work of all, so one heap of the waiting jobs suffices, and each release causes at most one preemption: fewer than 2n
    pieces, O(n log n).
    """
    n = len(r)
    order = sort(r)
    job = np.empty(2 * n, np.int64)
    begin, end, left = np.empty((3, 2 * n))
    pieces = srpt_pieces_into(order, r, p[order], np.empty(n, np.int64), job, begin, end, left)
    return job[:pieces], begin[:pieces], end[:pieces], left[:pieces]


@inner(cache=True, nogil=True)
def srpt_pieces_into(
    order: Ints, r: Floats, rem: Floats, heap: Ints, job: Ints, begin: Floats, end: Floats, left: Floats
) -> int:
    """Write the results of `srpt_pieces`; return the number of pieces. `rem` holds p by release position, used up."""
    n = len(order)
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
    return pieces


def srpt(r: Floats, p: Floats) -> tuple[Floats, Floats, Floats, Floats, Ints, Ints]:
    """Return statistics of the SRPT schedule by job, (start, completion, mean_busy, left, preemptor, preemptions).

    They are the first moment at which j runs; C_j; the mean moment at which it runs, (1/p_j)·∫ t dt over its pieces;
    its work left after the first piece (0 if that completes it); the job that preempts it first (-1 if none); how often
    it is preempted. O(n log n).
    """
    job, begin, end, left_at = srpt_pieces(r, p)
    start, completion, mean_busy, busy, left = np.empty((5, len(r)))
    preemptor, preemptions = np.empty((2, len(r)), np.int64)
    statistics_into(job, begin, end, left_at, start, completion, mean_busy, busy, left, preemptor, preemptions)
    return start, completion, mean_busy, left, preemptor, preemptions


@inner(cache=True, nogil=True)
def statistics_into(
    job: Ints,
    begin: Floats,
    end: Floats,
    left_at: Floats,
    start: Floats,
    completion: Floats,
    mean_busy: Floats,
    busy: Floats,
    left: Floats,
    preemptor: Ints,
    preemptions: Ints,
) -> None:
    """Write the results of `srpt` from the pieces of `srpt_pieces`; O(n)."""
    mean_busy[:] = 0.0
    busy[:] = 0.0
    preemptor[:] = -1
    preemptions[:] = -1
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
    for j in range(len(busy)):  # Σ of the lengths is p_j up to rounding, and 0 where p_j is lost in a large time
        mean_busy[j] = mean_busy[j] / busy[j] if busy[j] > 0.0 else start[j]
