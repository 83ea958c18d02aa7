"""Trees of the scenarios, and completions of a forest.

Edges are compared by (cost, index), a strict order, so each minimum spanning tree is the only one. Contracting a forest
F keeps an edge that is the largest of a cycle the largest of a cycle: what the minimum spanning tree for d_s does not
hold, no cheapest completion of F holds. So completing F under scenario s is Kruskal's algorithm over the n − 1 edges of
the tree for d_s, which are sorted once and for all.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import copy_into, njit
from colayer.layers.sorting import order_into
from colayer.layers.spanning_tree import kruskal_into


@njit(cache=True, nogil=True)
def scenario_trees(nodes, u, v, costs):  # type: ignore[no-untyped-def]
    """Return the minimum spanning tree for each row of `costs` (S, m), (S, n − 1) int32, edges by increasing cost."""
    scenarios, m = costs.shape
    trees = np.empty((scenarios, nodes - 1), np.int32)
    order, keys, work = np.empty(m, np.int64), np.empty(m), np.empty(2 * m + 1, np.int64)
    parent = np.empty(nodes, np.int32)
    for s in range(scenarios):
        order_into(costs[s], order, keys, work)
        parent[:] = -1
        kruskal_into(u, v, order, parent, trees[s])
    return trees


@njit(cache=True, nogil=True)
def bottlenecks(u, v, trees, second):  # type: ignore[no-untyped-def]
    """Return D_es (S, m), the largest cost on the path between the ends of e in T_s (`trees`, by increasing cost).

    Union by size without path compression keeps, at each node, the number of the edge that linked it to its parent.
    These numbers increase on the way up, so the walk from both ends that always leaves the node linked earlier meets at
    the link by which the ends came together: O(S m log n).
    """
    scenarios, m = second.shape
    nodes = trees.shape[1] + 1
    out = np.empty((scenarios, m))
    parent, size, link = np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    for s in range(scenarios):
        for i in range(nodes):
            parent[i] = i
        size[:] = 1
        link[:] = nodes  # a root: later than every edge
        for k in range(nodes - 1):
            a, b = u[trees[s, k]], v[trees[s, k]]
            while parent[a] != a:
                a = parent[a]
            while parent[b] != b:
                b = parent[b]
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]
            link[b] = k
        for e in range(m):
            a, b = u[e], v[e]
            k = 0
            while a != b:
                if link[a] < link[b]:
                    k = link[a]
                    a = parent[a]
                else:
                    k = link[b]
                    b = parent[b]
            out[s, e] = second[s, trees[s, k]]
    return out


@njit(cache=True, nogil=True)
def completions(u, v, forest, trees):  # type: ignore[no-untyped-def]
    """Return the cheapest completion of the forest F in each scenario, (S, n − 1 − |F|), by increasing cost.

    `trees` is that of `scenario_trees`. If F closes a cycle, the result has no rows. O(S n α(n)).
    """
    scenarios, nodes = trees.shape[0], trees.shape[1] + 1
    base = np.full(nodes, -1, np.int32)
    if kruskal_into(u, v, forest, base, np.empty(forest.shape[0], np.int64)) < forest.shape[0]:
        return np.empty((0, 0), np.int64)
    chosen = np.empty((scenarios, nodes - 1 - forest.shape[0]), np.int64)
    parent = np.empty(nodes, np.int32)
    for s in range(scenarios):
        copy_into(base, parent)
        kruskal_into(u, v, trees[s], parent, chosen[s])
    return chosen


@njit(cache=True, nogil=True)
def total(first, second):  # type: ignore[no-untyped-def]
    """Return (S·Σ first + Σ_s Σ second[s]) / S, summed in the order given: exact up to one rounding if all is whole."""
    scenarios = second.shape[0]
    sum_first = 0.0
    for k in range(first.shape[0]):
        sum_first += first[k]
    sum_second = 0.0
    for s in range(scenarios):
        sum_s = 0.0
        for k in range(second.shape[1]):
            sum_s += second[s, k]
        sum_second += sum_s
    return (scenarios * sum_first + sum_second) / scenarios
