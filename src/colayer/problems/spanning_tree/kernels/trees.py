"""Trees of the scenarios, the layer's two-stage tree, and completions of a forest.

Edges are compared by (cost, index), a strict order, so each minimum spanning tree is the only one. Contracting a forest
F keeps an edge that is the largest of a cycle the largest of a cycle: what the minimum spanning tree for d_s does not
hold, no cheapest completion of F holds. So completing F under scenario s is Kruskal's algorithm over the n − 1 edges of
the tree for d_s, which are sorted once and for all.

Kernels are handed all arrays that they need, and edges in int64 whatever they come in: such code is quick to compile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import njit
from colayer.layers.sorting import order_into
from colayer.layers.spanning_tree import kruskal_into

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def scenario_trees(nodes: int, u: Ints, v: Ints, costs: Floats) -> NDArray[np.int32]:
    """(S, n − 1): the minimum spanning tree for each row of `costs` (S, m), edges by increasing cost."""
    scenarios, m = costs.shape
    trees = np.empty((scenarios, nodes - 1), np.int32)
    order, keys, work = np.empty(m, np.int64), np.empty(m), np.empty(2 * m + 1, np.int64)
    parent, tree = np.empty(nodes, np.int32), np.empty(nodes - 1, np.int64)
    _scenario_trees_into(u, v, costs, order, keys, work, parent, tree, trees)
    return trees


@njit(cache=True, nogil=True)
def _scenario_trees_into(u, v, costs, order, keys, work, parent, tree, trees):  # type: ignore[no-untyped-def]
    """What `scenario_trees` returns; all between the costs and it is scratch."""
    for s in range(len(trees)):
        order_into(costs[s], order, keys, work)
        for i in range(len(parent)):
            parent[i] = -1
        kruskal_into(u, v, order, parent, tree)
        for k in range(len(tree)):
            trees[s, k] = tree[k]


def bottlenecks(u: Ints, v: Ints, trees: NDArray[np.int32], second: Floats) -> Floats:
    """D_es, (S, m): the largest cost on the path between the ends of e in T_s (`trees`, by increasing cost)."""
    out = np.empty(second.shape)
    parent, size, link = np.empty((3, trees.shape[1] + 1), np.int32)
    _bottlenecks_into(u, v, trees, second, parent, size, link, out)
    return out


@njit(cache=True, nogil=True)
def _bottlenecks_into(u, v, trees, second, parent, size, link, out):  # type: ignore[no-untyped-def]
    """What `bottlenecks` returns.

    Union by size without path compression keeps, at each node, the number of the edge that linked it to its parent.
    These numbers increase on the way up, so the walk from both ends that always leaves the node linked earlier meets at
    the link by which the ends came together: O(S m log n).
    """
    scenarios, m = second.shape
    nodes = len(parent)
    for s in range(scenarios):
        for i in range(nodes):
            parent[i] = i
            size[i] = 1
            link[i] = nodes  # a root: later than every edge
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


def stage_tree(nodes: int, u: Ints, v: Ints, first: Floats, second: Floats) -> NDArray[np.int8]:
    """The layer: (m,), 1 or 2 for an edge of the minimum spanning tree for min(c̄, d̄), its stage; 0 elsewhere.

    A tree edge is of the first stage iff c̄_e ≤ d̄_e. No pair of stages and tree has a smaller sum of costs: whatever
    the tree, each of its edges takes the cheaper stage.
    """
    m = len(first)
    order, keys, work = np.empty(m, np.int64), np.empty(m), np.empty(2 * m + 1, np.int64)
    order_into(np.minimum(first, second), order, keys, work)
    tree = np.empty(nodes - 1, np.int64)
    kruskal_into(u, v, order, np.full(nodes, -1, np.int32), tree)
    stage = np.zeros(m, np.int8)
    stage[tree] = np.where(first[tree] <= second[tree], 1, 2)
    return stage


def completions(u: Ints, v: Ints, forest: Ints, trees: NDArray[np.int32]) -> Ints:
    """(S, n − 1 − |F|): the cheapest completion of the forest F (edge indices) in each scenario, by increasing cost.

    `trees` is that of `scenario_trees`. An empty array of two dimensions where F closes a cycle. O(S n α(n)).
    """
    scenarios, edges = trees.shape
    base = np.full(edges + 1, -1, np.int32)
    if kruskal_into(u, v, forest, base, np.empty(len(forest), np.int64)) < len(forest):
        return np.empty((0, 0), np.int64)
    chosen = np.empty((scenarios, edges - len(forest)), np.int64)
    _completions_into(u, v, trees, base, np.empty(edges + 1, np.int32), np.empty(edges, np.int64), chosen)
    return chosen


@njit(cache=True, nogil=True)
def _completions_into(u, v, trees, base, parent, tree, chosen):  # type: ignore[no-untyped-def]
    """What `completions` returns, of the components in `base`; `parent` and `tree` are scratch."""
    for s in range(len(trees)):
        for i in range(len(base)):
            parent[i] = base[i]
        for k in range(len(tree)):
            tree[k] = trees[s, k]
        kruskal_into(u, v, tree, parent, chosen[s])


@njit(cache=True, nogil=True)
def total(first, second):  # type: ignore[no-untyped-def]
    """(S·Σ first + Σ_s Σ second[s]) / S, summed in the order given: exact up to one rounding where all is whole."""
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
