"""Minimum spanning trees as a layer: argmin over spanning trees of ⟨θ, embed(y)⟩, by Kruskal's algorithm.

Call the functions at the top if you need a fast spanning tree; they, and the compiled code of the problems, use the
kernels below. Ties are always broken by edge index, so each result is a function of the input alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner, njit
from colayer.errors import InputError
from colayer.layers.layer import costs_of, indicator, node_pairs, whole
from colayer.layers.sorting import order_into

#: y as a vector: 1 for the edges in the tree, of all that there are, 0 for the others.
embed = indicator


def minimum_spanning_tree(nodes: int, edges: ArrayLike, costs: ArrayLike) -> Ints:
    """Return the edges of a minimum spanning tree of a connected graph.

    Parameters:
        nodes: Number of nodes.
        edges: Pairs of 0-based nodes, shape (m, 2). Parallel edges are allowed; a loop is never chosen.
        costs: Cost of each edge, of either sign.

    Returns:
        Increasing indices of edges.

    >>> minimum_spanning_tree(3, [(0, 1), (1, 2), (0, 2)], [3.0, 1.0, 2.0]).tolist()
    [1, 2]
    """
    return complete_forest(nodes, edges, costs, ())


def complete_forest(nodes: int, edges: ArrayLike, costs: ArrayLike, forest: ArrayLike) -> Ints:
    """Return the cheapest edges that complete a forest to a spanning tree.

    Parameters:
        nodes: Number of nodes.
        edges: Pairs of 0-based nodes, shape (m, 2).
        costs: Cost of each edge, of either sign.
        forest: Indices of the edges that are in the tree already.

    Returns:
        Increasing indices of the added edges.

    >>> complete_forest(3, [(0, 1), (1, 2), (0, 2)], [3.0, 1.0, 2.0], forest=[0]).tolist()
    [1]
    """
    nodes = whole(nodes, "nodes", 1)
    ends = node_pairs(edges, nodes, "edges")
    values = costs_of(costs, len(ends), "costs")
    chosen = np.array(forest, dtype=np.int64)
    if chosen.ndim != 1 or (len(chosen) and not (chosen.min() >= 0 and chosen.max() < len(ends))):
        raise InputError(f"expected edges, 0 to {len(ends) - 1}", where="forest")
    u, v = (np.array(end) for end in ends.T)
    parent = np.full(nodes, -1, dtype=np.int32)
    if kruskal_into(u, v, chosen, parent, np.empty(len(chosen), dtype=np.int64)) < len(chosen):
        raise InputError("its edges close a cycle, expected a forest", where="forest")
    tree = np.empty(nodes - 1 - len(chosen), dtype=np.int64)
    if kruskal_into(u, v, order_of(values), parent, tree) < len(tree):
        raise InputError("the graph is not connected", where="edges")
    return np.sort(tree)


class MinimumSpanningTree:
    """The layer of spanning trees: θ holds a cost per edge, and y is 1 on the edges of the tree.

    Parameters:
        nodes: Number of nodes.
        edges: Pairs of 0-based nodes, shape (m, 2), of a connected graph.

    >>> MinimumSpanningTree(3, [(0, 1), (1, 2), (0, 2)])([3.0, 1.0, 2.0]).tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(self, nodes: int, edges: ArrayLike) -> None:
        self.nodes = whole(nodes, "nodes", 1)
        self.edges = node_pairs(edges, self.nodes, "edges")
        minimum_spanning_tree(self.nodes, self.edges, np.zeros(self.size))  # refuses graphs that are not connected

    @property
    def size(self) -> int:
        """Return the number of edges."""
        return len(self.edges)

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the minimum spanning tree by Kruskal's algorithm, ties by edge."""
        return indicator(minimum_spanning_tree(self.nodes, self.edges, costs_of(theta, self.size)), self.size)


@inner(cache=True, nogil=True)
def find(parent, node):  # type: ignore[no-untyped-def]
    """Return the root of the node's component; path halving brings every node on the way closer to it.

    `parent` (int32) is the forest of a union-find: the parent of a node, or −(size of the component) at a root. It
    starts as all −1: every node is alone.
    """
    while True:
        above = parent[node]
        if above < 0:
            return node
        top = parent[above]
        if top < 0:
            return above
        parent[node] = top
        node = top


@inner(cache=True, nogil=True)
def join(parent, a, b):  # type: ignore[no-untyped-def]
    """Unite the components of two different roots, the smaller one under the larger one."""
    if parent[a] > parent[b]:  # sizes are negative
        a, b = b, a
    parent[a] += parent[b]
    parent[b] = a


@njit(cache=True, nogil=True)
def kruskal_into(u, v, order, parent, tree):  # type: ignore[no-untyped-def]
    """Take the edges in the order given, each that joins two components of `parent`, until `tree` is full.

    Returns how many were taken, in tree[: count]; `parent` holds the components thereafter. With the edges in order of
    cost these are the cheapest that span what can be spanned: a minimum spanning tree where `parent` is all −1 (n
    components, room for n − 1), the cheapest completion of a forest where it holds the forest's components.
    O(m α(n)).
    """
    count = 0
    room = tree.shape[0]
    for k in range(order.shape[0]):
        if count == room:
            break
        e = order[k]
        a = find(parent, u[e])
        b = find(parent, v[e])
        if a != b:
            join(parent, a, b)
            tree[count] = e
            count += 1
    return count


@njit(cache=True, nogil=True)
def order_of(costs):  # type: ignore[no-untyped-def]
    """Return the edges by cost, ties by index. O(m) expected, see `order_into`."""
    m = costs.shape[0]
    order = np.empty(m, np.int64)
    order_into(costs, order, np.empty(m), np.empty(2 * m + 1, np.int64))
    return order
