"""RDI, release date iteration, on sequences of 1 | r_j | Σ C_j (after Chand, Traub and Uzsoy 1996).

A sequence is what a dispatching rule makes of release dates: raise some dates, so that the machine waits for a short
job, and see. Dates d ≥ r make a schedule thus: always start the available job (d_j ≤ now) of the least (p, r, index);
if none is available, the one of the least d. The start is max(now, r_j): dates decide the order, the true releases the
times, so the machine never waits for a raised date. The textbook form raises the date of one longer job a before a
shorter b to that of b, rebuilds the schedule and restarts from the front. Here one walk tries many raises, each of them
on the few places that it changes (see `improve`).

Kernels that say *by priority* take jobs numbered by (p, r, index), so that comparing numbers compares priorities.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import copy_into, njit
from colayer.problems.single_machine.kernels.heap import pop, push

_CANDIDATES = 16  # shorter jobs b to wait for, per place
TOLERANCE = 1e-9  # of the mean processing time: what counts as an improvement


@njit(cache=True, nogil=True)
def by_priority(r: Floats, p: Floats) -> Ints:
    """Return the jobs by (p, r, index); O(n log n)."""
    first = np.argsort(r, kind="mergesort")
    return first[np.argsort(p[first], kind="mergesort")]


@njit(cache=True, nogil=True)
def rdi(dates: Floats, r: Floats, p: Floats) -> Ints:
    """Return the sequence that `improve` reaches from `dates` (≥ r elementwise)."""
    jobs = by_priority(r, p)
    order = np.empty(len(r), np.int64)
    improve(dates[jobs], r[jobs], p[jobs], order)
    return jobs[order]


@njit(cache=True, nogil=True)
def reproduce(order: Ints, r: Floats, p: Floats, dates: Floats) -> None:
    """Fill `dates` with dates whose schedule is `order`; by priority. O(n).

    j must not be available when a job x of lower priority starts before it: d_j = C_x for the last such x that starts
    at r_j or later. The last x of lower priority, found by a stack of falling priorities, is the one to look at, as
    starts ascend. Nor may j be available while the machine waits for a job before it: d_j ≥ the start of that job.
    """
    n = len(order)
    stack = np.empty(n, np.int64)  # places whose job has a lower priority than all after it
    start = np.empty(n)
    size = 0
    now = 0.0
    waited = 0.0  # start of the last job that the machine waited for
    for k in range(n):
        j = order[k]
        dates[j] = max(r[j], waited)
        while size > 0 and order[stack[size - 1]] < j:
            size -= 1
        if size > 0:
            q = stack[size - 1]
            if r[j] <= start[q]:
                dates[j] = max(dates[j], start[q] + p[order[q]])
        stack[size] = k
        size += 1
        if r[j] > now:
            now = waited = r[j]
        start[k] = now
        now += p[j]


@njit(cache=True, nogil=True)
def improve(dates: Floats, r: Floats, p: Floats, order: Ints) -> None:
    """Run RDI from `dates` (overwritten) into `order`; jobs are numbered by priority.

    Walk the schedule with the heap of available jobs. At a place with job a starting at s, for each shorter b with s <
    d_b < s + p_a (the first 16), try to raise (1) d_a, (2) the dates of all available jobs to d_b, and dispatch from
    here (`_trial`). Keep the first raise that lowers the cost and look at the same place again. Walk again until that
    brings nothing. O(n log n) and the trials, which are short, per walk.
    """
    n = len(r)
    queue = np.empty(n, np.int64)  # the jobs by date; queue[f:] are still to become available
    heap = np.empty(n, np.int64)
    trial_heap = np.empty(n, np.int64)
    sequence = np.empty(n, np.int64)
    done = np.empty(n)  # completion times by place
    trial = np.empty(n, np.int64)
    trial_done = np.empty(n)
    late = np.empty(n, np.int64)
    balance = np.zeros(n, np.int64)
    tolerance = TOLERANCE * float(np.mean(p))
    best = np.inf
    while True:
        queue[:] = np.argsort(dates, kind="mergesort")
        cost = _dispatch(queue, dates, r, p, heap, sequence, done)
        if cost < best - tolerance:
            best = cost
            copy_into(sequence, order)
        size = f = 0
        free = 0.0  # completion time of the places before i
        i = 0
        while i < n:
            while f < n and dates[queue[f]] <= free:
                push(heap, size, queue[f])
                size += 1
                f += 1
            s = free
            if size == 0:
                heap[0] = queue[f]
                size = 1
                f += 1
                s = max(free, r[heap[0]])
            a = heap[0]
            raised = 0  # jobs whose date was raised for good
            end, delta, date = i, 0.0, 0.0
            g = f
            count = 0
            while g < n and count < _CANDIDATES and dates[queue[g]] < s + p[a] and raised == 0:
                b = queue[g]
                g += 1
                date = dates[b]
                if p[b] >= p[a] or date <= s:
                    continue
                count += 1
                for h in (1, size):
                    _copy(heap, size, trial_heap)
                    if h == 1:
                        late[0] = pop(trial_heap, size)
                        end, delta = _trial(
                            i, free, p[a], tolerance, queue, f, trial_heap, size - 1, late, 1, date, dates, r, p,
                            sequence, done, trial, trial_done, balance,
                        )  # fmt: skip
                    else:
                        end, delta = _trial(
                            i, free, p[a], tolerance, queue, f, late, 0, trial_heap, size, date, dates, r, p,
                            sequence, done, trial, trial_done, balance,
                        )  # fmt: skip
                    if delta < -tolerance:
                        raised = h
                        break
                    if size == 1:
                        break
            if raised > 0:
                sequence[i:end] = trial[i:end]
                done[i:end] = trial_done[i:end]
                cost += delta
                if raised == 1:
                    late[0] = pop(heap, size)
                else:
                    late[:raised] = np.sort(heap[:raised])
                size -= raised
                # the raised jobs go behind all of that date, in the room that jobs made available have left
                q = f
                while q < n and dates[queue[q]] <= date:
                    queue[q - raised] = queue[q]
                    q += 1
                f -= raised
                queue[q - raised : q] = late[:raised]
                dates[late[:raised]] = date
            else:
                pop(heap, size)
                size -= 1
                free = s + p[a]
                i += 1
        if cost >= best - tolerance:
            return
        best = cost
        copy_into(sequence, order)


@njit(cache=True, nogil=True)
def _dispatch(queue: Ints, dates: Floats, r: Floats, p: Floats, heap: Ints, sequence: Ints, done: Floats) -> float:
    """Write jobs and completion times of the schedule of `dates` by place; return its cost. By priority, O(n log n)."""
    n = len(queue)
    size = f = 0
    now = cost = 0.0
    for i in range(n):
        while f < n and dates[queue[f]] <= now:
            push(heap, size, queue[f])
            size += 1
            f += 1
        if size == 0:
            j = queue[f]
            f += 1
            now = max(now, r[j])
        else:
            j = pop(heap, size)
            size -= 1
        now += p[j]
        sequence[i] = j
        done[i] = now
        cost += now
    return cost


@njit(cache=True, nogil=True)
def _trial(
    i: int, now: float, slack: float, tolerance: float, queue: Ints, f: int, heap: Ints, size: int, late: Ints,
    late_size: int, date: float, dates: Floats, r: Floats, p: Floats, sequence: Ints, done: Floats, trial: Ints,
    trial_done: Floats, balance: Ints,
) -> tuple[int, float]:  # fmt: skip
    """Dispatch from place i on with the dates of a second heap, `late`, raised to `date`; both heaps are used up.

    Return (end, change of cost): the places i..end − 1 change. Stop when scheduled set and time agree with the old
    schedule: what follows is the same. Give up (change 0) when sets agree, the time is no earlier and the cost no
    lower, or sets differ and the cost has risen by more than `slack`. `balance` (zero before and after) counts a job +1
    in the new, −1 in the old places.
    """
    n = len(queue)
    delta = 0.0
    differ = 0
    k = i
    while k < n:
        while f < n and dates[queue[f]] <= now:
            push(heap, size, queue[f])
            size += 1
            f += 1
        if late_size > 0 and date <= now:
            if size < late_size:
                heap, late = late, heap
                size, late_size = late_size, size
            for q in range(late_size):
                push(heap, size, late[q])
                size += 1
            late_size = 0
        if size > 0:
            j = pop(heap, size)
            size -= 1
        elif late_size == 0 or (f < n and dates[queue[f]] <= date):
            j = queue[f]
            f += 1
        else:
            j = pop(late, late_size)
            late_size -= 1
        now = max(now, r[j])
        now += p[j]
        trial[k] = j
        trial_done[k] = now
        delta += now - done[k]
        old = sequence[k]
        if j != old:
            balance[j] += 1
            differ += 1 if balance[j] == 1 else -1
            balance[old] -= 1
            differ += 1 if balance[old] == -1 else -1
        k += 1
        if differ > 0:
            if delta > slack:
                delta = 0.0
                break
        elif now >= date:
            if now == done[k - 1]:
                break
            # a time that is earlier by rounding alone counts as no earlier
            if now > done[k - 1] - tolerance and delta >= -tolerance:
                delta = 0.0
                break
    for q in range(i, k):
        balance[trial[q]] = balance[sequence[q]] = 0
    return k, delta


@njit(cache=True, nogil=True)
def _copy(heap: Ints, size: int, target: Ints) -> None:
    """Copy heap[:size] to target[:size], as a loop that vectorises."""
    for i in range(size):
        target[i] = heap[i]
