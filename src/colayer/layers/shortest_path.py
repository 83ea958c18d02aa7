"""Shortest paths from a source to a target: argmin of ⟨θ, y⟩ over the arc sets of paths.

Arcs (tail, head) are directed; parallel ones are fine. Which algorithm runs depends on the graph and on θ:

- an acyclic graph, θ of any sign: dynamic programming in topological order, O(m). Of equally short ways into a node the
  arc of smallest index is taken;
- any graph, θ ≥ 0: Dijkstra's algorithm, O(m log m);
- any graph, θ of any sign: Bellman and Ford's, O(n·m) at worst; a cycle of negative cost is refused.

Arcs on no path from source to target are dropped at once, because they cannot matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.errors import InputError
from colayer.layers.kernels.heap import drop, push
from colayer.layers.layer import costs_of, indicator, node_pairs, rows_of, whole


def shortest_path(nodes: int, arcs: ArrayLike, costs: ArrayLike, source: int, target: int) -> Ints:
    """Return the arcs of a shortest path from `source` to `target`.

    Parameters:
        nodes: Number of nodes.
        arcs: Pairs (tail, head) of 0-based nodes, shape (m, 2).
        costs: Cost of each arc; negative ones are allowed if no cycle has a negative cost.
        source: The first node of the path.
        target: The last node of the path.

    Returns:
        Indices of arcs in the order of travel, none if the source is the target.

    >>> shortest_path(4, [(0, 1), (0, 2), (1, 3), (2, 3)], [1.0, 2.0, 5.0, 3.0], source=0, target=3).tolist()
    [1, 3]
    """
    return ShortestPath(nodes, arcs, source, target).path(costs)


class ShortestPath:
    """The layer of paths in a fixed graph: θ holds a cost per arc, and y is 1 on the arcs of the path.

    The graph is sorted once, when the object is made; `acyclic` says whether negative θ are always allowed.

    Parameters:
        nodes: Number of nodes.
        arcs: Pairs (tail, head) of 0-based nodes, shape (m, 2).
        source: The first node of the path.
        target: The last node of the path.

    >>> layer = ShortestPath(4, [(0, 1), (0, 2), (1, 3), (2, 3)], source=0, target=3)
    >>> layer([1.0, 2.0, 5.0, 3.0]).tolist(), layer.acyclic
    ([0.0, 1.0, 0.0, 1.0], True)
    """

    def __init__(self, nodes: int, arcs: ArrayLike, source: int, target: int) -> None:
        nodes = whole(nodes, "nodes", 1)
        self.arcs = node_pairs(arcs, nodes, "arcs")
        for name, node in (("source", source), ("target", target)):
            if whole(node, name, 0) >= nodes:
                raise InputError(f"{node} is out of range, expected 0 to {nodes - 1}", where=name)
        self.nodes, self.source, self.target = nodes, int(source), int(target)
        ahead = _reached(*_rows(self.arcs[:, 0], self.arcs[:, 1], self.nodes), self.source)
        useful = ahead & _reached(*_rows(self.arcs[:, 1], self.arcs[:, 0], self.nodes), self.target)
        if not useful[self.source]:
            raise InputError(f"there is no path to it from {self.source}", where="target")
        kept = np.flatnonzero(useful[self.arcs].all(axis=1))
        # number the useful nodes 0, 1, …, in topological order if there is one
        self._node = np.flatnonzero(useful)
        tails, heads = (np.searchsorted(self._node, self.arcs[kept, side]) for side in (0, 1))
        order = _topological(*_rows(tails, heads, len(self._node)))
        self.acyclic = len(order) == len(self._node)
        if self.acyclic:
            place = np.empty(len(order), dtype=np.int64)
            place[order] = np.arange(len(order))
            self._node, tails, heads = self._node[order], place[tails], place[heads]
        # compressed rows: the arcs into each node if the graph is acyclic, else the arcs out of it, by index
        rows = heads if self.acyclic else tails
        by_row = np.argsort(rows, kind="stable")
        self._start = np.searchsorted(rows[by_row], np.arange(len(self._node) + 1))
        self._tails, self._heads, self._arc = tails[by_row], heads[by_row], kept[by_row]
        self._source, self._target = (int(np.argmax(self._node == node)) for node in (self.source, self.target))

    @property
    def size(self) -> int:
        """Return the number of arcs."""
        return len(self.arcs)

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return a shortest path as a 0/1 vector."""
        return indicator(self.path(theta), self.size)

    def many(self, thetas: ArrayLike) -> Floats:
        """Return a shortest path for each row of θ; in one call where the graph is acyclic."""
        rows = rows_of(thetas, self.size)
        if not self.acyclic:
            return np.array([self(theta) for theta in rows]).reshape(rows.shape)
        out = np.zeros(rows.shape)
        acyclic_rows(self._start, self._tails, self._arc, self._source, self._target, rows, out)
        return out

    def path(self, theta: ArrayLike) -> Ints:
        """Return the arcs of a shortest path, in the order of travel."""
        costs = costs_of(theta, self.size)[self._arc]
        before = np.full(len(self._node), -1, dtype=np.int64)
        if self.acyclic:
            acyclic_into(self._start, self._tails, costs, before)
        elif (costs >= 0.0).all():
            dijkstra_into(self._start, self._heads, costs, self._source, self._target, before)
        else:
            node = bellman_ford_into(self._start, self._tails, self._heads, costs, self._source, before)
            if node >= 0:
                cycle = f"a cycle of negative cost through node {self._node[node]}"
                raise InputError(f"{cycle}, expected none: make it θ ≥ 0, or the graph acyclic", where="theta")
        path: Ints = self._arc[_walk(self._tails, before, self._source, self._target)]
        return path


def _rows(tails: Ints, heads: Ints, nodes: int) -> tuple[Ints, Ints]:
    """Return the heads in compressed rows by tail, as (start, heads)."""
    order = np.argsort(tails, kind="stable")
    return np.searchsorted(tails[order], np.arange(nodes + 1)), heads[order]


@njit(cache=True, nogil=True)
def _reached(start, heads, root):  # type: ignore[no-untyped-def]
    """Mark the nodes that can be reached from the root, the root included."""
    nodes = start.shape[0] - 1
    reached = np.zeros(nodes, np.bool_)
    stack = np.empty(nodes, np.int64)
    stack[0] = root
    reached[root] = True
    size = 1
    while size:
        size -= 1
        u = stack[size]
        for k in range(start[u], start[u + 1]):
            v = heads[k]
            if not reached[v]:
                reached[v] = True
                stack[size] = v
                size += 1
    return reached


@njit(cache=True, nogil=True)
def _topological(start, heads):  # type: ignore[no-untyped-def]
    """Return the nodes in an order in which arcs lead forward (Kahn); fewer than all if there is a cycle."""
    nodes = start.shape[0] - 1
    entering = np.zeros(nodes, np.int64)
    for v in heads:
        entering[v] += 1
    order = np.empty(nodes, np.int64)
    size = 0
    for u in range(nodes):
        if entering[u] == 0:
            order[size] = u
            size += 1
    done = 0
    while done < size:
        u = order[done]
        done += 1
        for k in range(start[u], start[u + 1]):
            v = heads[k]
            entering[v] -= 1
            if entering[v] == 0:
                order[size] = v
                size += 1
    return order[:size]


@njit(cache=True, nogil=True)
def acyclic_into(start, tails, costs, before):  # type: ignore[no-untyped-def]
    """Find the last arc of a shortest path from 0 to each node; arcs in rows by head, all from smaller nodes. O(m).

    distance(v) = min over arcs (u, v) of distance(u) + cost; the first arc of the row that attains it is kept.
    """
    nodes = before.shape[0]
    distance = np.zeros(nodes)
    for v in range(1, nodes):
        best = np.inf
        for k in range(start[v], start[v + 1]):
            d = distance[tails[k]] + costs[k]
            if d < best:
                best = d
                before[v] = k
        distance[v] = best


@njit(cache=True, nogil=True)
def acyclic_rows(start, tails, arc, source, target, thetas, out):  # type: ignore[no-untyped-def]
    """Set out[r, a] = 1 on the arcs of a shortest path for each row of θ. O(rows · m)."""
    nodes = start.shape[0] - 1
    before = np.empty(nodes, np.int64)
    for r in range(thetas.shape[0]):
        before[:] = -1
        acyclic_into(start, tails, thetas[r][arc], before)
        node = target
        while node != source:
            k = before[node]
            out[r, arc[k]] = 1.0
            node = tails[k]


@njit(cache=True, nogil=True)
def dijkstra_into(start, heads, costs, source, target, before):  # type: ignore[no-untyped-def]
    """Find the last arc of a shortest path to each node up to the target; arcs in rows by tail, costs ≥ 0.

    Nodes are left in order of distance; a heap entry that a shorter one has overtaken is skipped. O(m log m).
    """
    distance = np.full(before.shape[0], np.inf)
    keys = np.empty(heads.shape[0] + 1)
    nodes = np.empty(heads.shape[0] + 1, np.int64)
    distance[source] = 0.0
    size = push(keys, nodes, 0, 0.0, source)
    while size:
        level = keys[0]
        u = nodes[0]
        size = drop(keys, nodes, size)
        if u == target:
            return
        if level > distance[u]:
            continue
        for k in range(start[u], start[u + 1]):
            v = heads[k]
            d = level + costs[k]
            if d < distance[v]:
                distance[v] = d
                before[v] = k
                size = push(keys, nodes, size, d, v)


@njit(cache=True, nogil=True)
def bellman_ford_into(start, tails, heads, costs, source, before):  # type: ignore[no-untyped-def]
    """Find the last arc of a shortest path to each node; arcs in rows by tail. Return −1, or a node on a bad cycle.

    Each round visits the nodes whose distance fell in the round before. Without a negative cycle a shortest path has
    fewer than n arcs, so round n changes nothing; if it does, the arcs in `before` contain a cycle of negative cost.
    O(n·m).
    """
    n = before.shape[0]
    distance = np.full(n, np.inf)
    distance[source] = 0.0
    active = np.empty(n, np.int64)
    active[0] = source
    size = 1
    waiting = np.zeros(n, np.bool_)
    later = np.empty(n, np.int64)
    for _ in range(n):
        count = 0
        for i in range(size):
            u = active[i]
            waiting[u] = False
            for k in range(start[u], start[u + 1]):
                v = heads[k]
                d = distance[u] + costs[k]
                if d < distance[v]:
                    distance[v] = d
                    before[v] = k
                    if not waiting[v]:
                        waiting[v] = True
                        later[count] = v
                        count += 1
        active, later = later, active
        size = count
        if size == 0:
            return np.int64(-1)
    node = active[0]
    for _ in range(n):
        node = tails[before[node]]
    return node


@njit(cache=True, nogil=True)
def _walk(tails, before, source, target):  # type: ignore[no-untyped-def]
    """Return the arcs from source to target, in order."""
    count = 0
    node = target
    while node != source:
        node = tails[before[node]]
        count += 1
    path = np.empty(count, np.int64)
    node = target
    while node != source:
        count -= 1
        path[count] = before[node]
        node = tails[before[node]]
    return path
