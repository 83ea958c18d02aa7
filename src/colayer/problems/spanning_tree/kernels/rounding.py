"""From fractions to forests: greedy forests by threshold, and local search over the edges that are in doubt.

All costs here are S times the cost of the problem, so that they are whole where the data are.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import copy_into, inner, njit
from colayer.layers.spanning_tree import find, join


@njit(cache=True, nogil=True)
def threshold_forests(u, v, first, second, trees, order, fraction, thresholds):  # type: ignore[no-untyped-def]
    """Grow one forest by the edges in `order`, of falling `fraction`, and cost it at each of the falling thresholds.

    Return (forest, sizes, costs): the forest at threshold k is forest[: sizes[k]]. Each costs O(S n α(n)), and nothing
    if no edge has come since the threshold before.
    """
    scenarios, nodes = trees.shape[0], trees.shape[1] + 1
    base, parent = np.full(nodes, -1, np.int32), np.empty(nodes, np.int32)
    forest = np.empty(nodes - 1, np.int64)
    sizes, costs = np.empty(thresholds.shape[0], np.int64), np.empty(thresholds.shape[0])
    size, i = 0, 0
    bought = 0.0
    for k in range(thresholds.shape[0]):
        while i < order.shape[0] and fraction[i] >= thresholds[k]:
            e = order[i]
            i += 1
            a, b = find(base, u[e]), find(base, v[e])
            if a != b:
                join(base, a, b)
                bought += first[e]
                forest[size] = e
                size += 1
        sizes[k] = size
        if k > 0 and size == sizes[k - 1]:
            costs[k] = costs[k - 1]
            continue
        costs[k] = scenarios * bought
        for s in range(scenarios):
            copy_into(base, parent)
            left = nodes - 1 - size
            t = 0
            while left > 0:
                e = trees[s, t]
                t += 1
                a, b = find(parent, u[e]), find(parent, v[e])
                if a != b:
                    join(parent, a, b)
                    costs[k] += second[s, e]
                    left -= 1
    return forest[:size], sizes, costs


@njit(cache=True, nogil=True)
def doubt_problem(u, v, second, trees, core, doubt):  # type: ignore[no-untyped-def]
    """Return the subproblem of choosing among the edges `doubt` if the forest `core` is bought in any case.

    The completion of a forest loses edges, and gains none, as the forest grows. So in scenario s the edges R_s that
    complete core + all of `doubt` are part of every completion, those that do not complete core are part of none, and
    what remains are as many edges as `doubt` adds to the rank: r. With core and R_s contracted a scenario has r + 1
    nodes. The result is (doubt_ends (2, S, |doubt|), rest_ends (2, S, r), rest_costs (S, r)): nodes are 0..r, the
    remaining edges by increasing cost. O(S n α(n)).
    """
    scenarios, nodes = trees.shape[0], trees.shape[1] + 1
    base = np.full(nodes, -1, np.int32)
    for e in core:
        join(base, find(base, u[e]), find(base, v[e]))
    full = base.copy()
    rank = 0
    for e in doubt:
        a, b = find(full, u[e]), find(full, v[e])
        if a != b:
            join(full, a, b)
            rank += 1
    doubt_ends = np.empty((2, scenarios, doubt.shape[0]), np.int32)
    rest_ends = np.empty((2, scenarios, rank), np.int32)
    rest_costs = np.empty((scenarios, rank))
    rest = np.empty(rank, np.int64)
    some, most, least = np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    number = np.empty(nodes, np.int32)
    for s in range(scenarios):
        some[:], most[:], least[:] = base, full, base  # completing core, completing all, contracting core and R_s
        count = 0
        for t in range(nodes - 1):
            e = trees[s, t]
            a, b = find(some, u[e]), find(some, v[e])
            if a == b:
                continue
            join(some, a, b)
            a, b = find(most, u[e]), find(most, v[e])
            if a != b:
                join(most, a, b)
                join(least, find(least, u[e]), find(least, v[e]))
            else:
                rest[count] = e
                count += 1
        number[:] = -1
        used = 0
        for k in range(rank):
            rest_costs[s, k] = second[s, rest[k]]
            for side in range(2):
                root = find(least, u[rest[k]] if side == 0 else v[rest[k]])
                if number[root] < 0:
                    number[root] = used
                    used += 1
                rest_ends[side, s, k] = number[root]
        for k in range(doubt.shape[0]):  # the remaining edges span, so each node has its number already
            doubt_ends[0, s, k] = number[find(least, u[doubt[k]])]
            doubt_ends[1, s, k] = number[find(least, v[doubt[k]])]
    return doubt_ends, rest_ends, rest_costs


@njit(cache=True, nogil=True)
def _choice_cost(doubt_ends, rest_ends, rest_costs, first, chosen, parent):  # type: ignore[no-untyped-def]
    """Return S times the cost of a choice in the problem of `doubt_problem`, infinite if it closes a cycle."""
    scenarios, rank = rest_costs.shape
    cost = 0.0
    for s in range(scenarios):
        parent[:] = -1
        left = rank
        for j in range(first.shape[0]):
            if chosen[j]:
                a, b = find(parent, doubt_ends[0, s, j]), find(parent, doubt_ends[1, s, j])
                if a == b:
                    return np.inf
                join(parent, a, b)
                cost += first[j]
                left -= 1
        k = 0
        while left > 0:
            a, b = find(parent, rest_ends[0, s, k]), find(parent, rest_ends[1, s, k])
            if a != b:
                join(parent, a, b)
                cost += rest_costs[s, k]
                left -= 1
            k += 1
    return cost


@njit(cache=True, nogil=True)
def descend(doubt_ends, rest_ends, rest_costs, first, chosen, evaluations, tolerance):  # type: ignore[no-untyped-def]
    """Improve `chosen` (int8, in place) by first-improvement descent: flip an edge; if no flip helps, exchange two.

    It stops at a local optimum or after so many evaluations, of O(S |doubt| α) each.
    """
    size = first.shape[0]
    parent = np.empty(rest_costs.shape[1] + 1, np.int32)
    best = _choice_cost(doubt_ends, rest_ends, rest_costs, first, chosen, parent)
    spent = 1
    improved = True
    while improved:
        improved = False
        for exchange in range(2):
            for i in range(0 if improved else size):
                for j in range(i if exchange else 1):
                    if exchange and chosen[i] == chosen[j]:
                        continue
                    if spent >= evaluations:
                        return
                    _flip(chosen, i, j if exchange else i)
                    cost = _choice_cost(doubt_ends, rest_ends, rest_costs, first, chosen, parent)
                    spent += 1
                    if cost < best - tolerance:
                        best = cost
                        improved = True
                    else:
                        _flip(chosen, i, j if exchange else i)


@inner(cache=True, nogil=True)
def _flip(chosen, i, j):  # type: ignore[no-untyped-def]
    """Flip the entries i and j, one only if they are the same."""
    chosen[i] = 1 - chosen[i]
    if i != j:
        chosen[j] = 1 - chosen[j]
