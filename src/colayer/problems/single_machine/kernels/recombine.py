"""The decoder RDI: LS, RDI from two starts, and the best stretches of what they find; for one sequence and for many."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import copy_into, njit
from colayer.problems.single_machine.kernels.descent import descend
from colayer.problems.single_machine.kernels.rdi import by_priority, improve, reproduce
from colayer.problems.single_machine.kernels.schedule import sequence_cost

_STATES = 8  # of `combine`


@njit(cache=True, nogil=True)
def combine(order: Ints, other: Ints, r: Floats, p: Floats) -> float:
    """Put the best stretches of two sequences together, in `order`; the cost, never above that of either. O(n).

    Cut both where the jobs so far are the same set. Each stretch between two cuts can be that of `order` or that of
    `other`: dynamic programming over the cuts, with the states (time, cost) that no other one dominates, at most
    `_STATES` of them (the earliest and the cheapest). At equal cost `order` stays.
    """
    n = len(order)
    begins = np.empty(n + 1, np.int64)  # of the stretches
    source = np.empty((n, _STATES), np.int64)  # of a state after a stretch: 2 · state before it + (1 if `other`)
    times, costs = np.zeros(_STATES), np.zeros(_STATES)
    new_times, new_costs = np.empty(2 * _STATES), np.empty(2 * _STATES)
    new_source = np.empty(2 * _STATES, np.int64)
    balance = np.zeros(n, np.int64)  # of a job: +1 in order[:k + 1], −1 in other[:k + 1]
    differ = 0
    states = 1
    stretches = 0
    begins[0] = 0
    for k in range(n):
        x, y = order[k], other[k]
        if x != y:
            balance[x] += 1
            differ += 1 if balance[x] == 1 else -1
            balance[y] -= 1
            differ += 1 if balance[y] == -1 else -1
        if differ > 0:
            continue
        begin = begins[stretches]
        found = 0
        for state in range(states):
            for choice in range(2 if begin < k else 1):
                now, cost = times[state], costs[state]
                for q in range(begin, k + 1):
                    j = order[q] if choice == 0 else other[q]
                    now = max(now, r[j]) + p[j]
                    cost += now
                q = found  # insert by (time, cost), the first of equals first
                while q > 0 and (now < new_times[q - 1] or (now == new_times[q - 1] and cost < new_costs[q - 1])):
                    new_times[q], new_costs[q], new_source[q] = new_times[q - 1], new_costs[q - 1], new_source[q - 1]
                    q -= 1
                new_times[q], new_costs[q], new_source[q] = now, cost, 2 * state + choice
                found += 1
        kept = 1
        for q in range(1, found):  # later: must be cheaper
            if new_costs[q] < new_costs[kept - 1]:
                new_times[kept], new_costs[kept], new_source[kept] = new_times[q], new_costs[q], new_source[q]
                kept += 1
        states = min(kept, _STATES)
        for state in range(states):
            q = state if state == 0 else state + kept - states
            times[state], costs[state], source[stretches, state] = new_times[q], new_costs[q], new_source[q]
        stretches += 1
        begins[stretches] = k + 1
    mixed = order.copy()
    state = states - 1
    for stretch in range(stretches - 1, -1, -1):
        if source[stretch, state] % 2 == 1:
            begin, end = begins[stretch], begins[stretch + 1]
            mixed[begin:end] = other[begin:end]
        state = source[stretch, state] // 2
    # costs as everyone else sums them: rounding must not make the result dearer than its parts
    best = sequence_cost(order, r, p)
    for candidate in (other, mixed):
        cost = sequence_cost(candidate, r, p)
        if cost < best:
            best = cost
            copy_into(candidate, order)
    return best


@njit(cache=True, nogil=True)
def decode_rdi(order: Ints, r: Floats, p: Floats, integral: bool, true: Ints) -> float:
    """Improve `order` in place by LS, then by RDI from its dates, combined with `true` = rdi(r, r, p); return the cost.

    The cost is never above that of LS, nor that of `true`, which is the same for all sequences of an instance.
    """
    descend(order, r, p, integral)
    _rdi_from(order, r, p, by_priority(r, p), np.zeros(len(r)))
    return combine(order, true, r, p)


@njit(cache=True, nogil=True)
def decode_rows(
    orders: Ints, r: Floats, p: Floats, integral: bool, shifts: Floats, low: int, high: int, costs: Floats
) -> None:
    """Run LS and a jittered RDI on the rows low..high − 1 of `orders`, in place; `costs` holds the cost of each row.

    Row k adds shifts[k] ≥ 0 to the dates. Odd rows start from the dates of their own sequence, even rows from the true
    ones: the two starts find different schedules. No row depends on another.
    """
    n = len(r)
    jobs = by_priority(r, p)
    dates = np.empty(n)
    found = np.empty(n, np.int64)
    for k in range(low, high):
        order = orders[k]
        descend(order, r, p, integral)
        if k % 2 == 1:
            costs[k] = _rdi_from(order, r, p, jobs, shifts[k])
        else:
            dates[:] = (r + shifts[k])[jobs]
            improve(dates, r[jobs], p[jobs], found)
            costs[k] = combine(order, jobs[found], r, p)


@njit(cache=True, nogil=True)
def combine_rows(orders: Ints, r: Floats, p: Floats) -> Ints:
    """Combine the best stretches of all rows, in their order; the result costs no more than any row. O(K n)."""
    order: Ints = orders[0].copy()
    for k in range(1, len(orders)):
        combine(order, orders[k], r, p)
    return order


@njit(cache=True, nogil=True)
def _rdi_from(order: Ints, r: Floats, p: Floats, jobs: Ints, shift: Floats) -> float:
    """Combine `order` in place with RDI from its dates + shift; return the cost. `jobs` = by_priority(r, p)."""
    n = len(order)
    number = np.empty(n, np.int64)
    number[jobs] = np.arange(n)
    dates = np.empty(n)
    found = np.empty(n, np.int64)
    reproduce(number[order], r[jobs], p[jobs], dates)
    dates += shift[jobs]
    improve(dates, r[jobs], p[jobs], found)
    return combine(order, jobs[found], r, p)
