"""One interface for all layers: an object holds what is fixed, and maps θ to y = argmin over y of ⟨θ, y⟩.

    layer = TopK(3)
    y = layer(theta)        # a vector of θ's length: 0/1, or whatever the layer's y are made of
    value = theta @ y       # g(y, θ), the least value

The result is a function of θ and of what the object holds, never of earlier calls; θ is checked and left alone. The
objects can be pickled (process pools) and called from several threads at once. Each wraps a function on arrays,
which returns the compact form of y (mostly indices); call that function directly if this is all you need.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer._runtime.text import short
from colayer.errors import InputError


@runtime_checkable
class Layer(Protocol):
    """An easy problem in which everything is fixed but the costs θ."""

    @property
    def size(self) -> int | None:
        """Return the length of θ, or None if any length will do."""
        ...

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the y, as long as θ, that minimises ⟨θ, y⟩; ties are broken by index or by another fixed rule."""
        ...


def costs_of(theta: ArrayLike, size: int | None = None, where: str = "theta") -> Floats:
    """Check that θ holds `size` finite numbers; return it as a contiguous float64 vector, copied only if necessary."""
    try:
        given = np.asarray(theta)
        numbers = given.dtype.kind in "biufO"
        values = np.require(given if numbers else (), np.float64, ["C", "W"])  # the type that kernels are compiled for
    except (TypeError, ValueError, OverflowError):
        numbers = False
    if not numbers:
        raise InputError(f"{short(theta)}, expected real numbers", where=where)
    if values.ndim != 1:
        raise InputError(f"an array of {values.ndim} dimensions, expected one", where=where)
    if size is not None and len(values) != size:
        raise InputError(f"{len(values)} numbers, expected {size}", where=where)
    i = first_not_finite(values)
    if i >= 0:
        raise InputError(f"{values[i]}, expected a finite number", where=f"{where}[{i}]")
    return values


def whole(value: Any, where: str, least: int) -> int:
    """Check that `value` is a whole number ≥ `least`; return it as an int."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise InputError(f"{short(value)} is not a whole number, expected {least} or more", where=where)
    if number < least:
        raise InputError(f"{number} is out of range, expected at least {least}", where=where)
    return number


@njit(cache=True, nogil=True)
def first_not_finite(values):  # type: ignore[no-untyped-def]
    """Return the position of the first NaN or infinite value, −1 if there is none."""
    for i in range(values.shape[0]):
        if not np.isfinite(values[i]):
            return i
    return -1


def indicator(chosen: Ints, size: int) -> Floats:
    """Return a vector with 1 at the chosen indices and 0 elsewhere."""
    vector = np.zeros(size)
    vector[chosen] = 1.0
    return vector


@dataclass(frozen=True)
class Sorting:
    """The layer of permutations: y_i = n − position of i, so ⟨θ, y⟩ is the total completion time of jobs that last θ.

    >>> Sorting()([0.3, 0.1, 0.2]).tolist()
    [1.0, 3.0, 2.0]
    """

    @property
    def size(self) -> None:
        """Return None: θ may have any length."""
        return

    def __call__(self, theta: ArrayLike) -> Floats:
        """Sort θ, ties by index."""
        from colayer.layers.sorting import embed, sort

        return embed(sort(costs_of(theta)))


class MinimumSpanningTree:
    """The layer of spanning trees: θ holds a cost per edge, and y is 1 on the edges of the tree.

    Parameters:
        nodes: Number of nodes.
        edges: Pairs of 0-based nodes, shape (m, 2), of a connected graph.

    >>> MinimumSpanningTree(3, [(0, 1), (1, 2), (0, 2)])([3.0, 1.0, 2.0]).tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(self, nodes: int, edges: ArrayLike) -> None:
        from colayer.layers.spanning_tree import minimum_spanning_tree, node_pairs

        ends = node_pairs(edges)
        self.nodes = whole(nodes, "nodes", 1)
        minimum_spanning_tree(self.nodes, ends, np.zeros(len(ends)))  # refuses graphs that are not connected
        self.edges = ends.copy()

    @property
    def size(self) -> int:
        """Return the number of edges."""
        return len(self.edges)

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the minimum spanning tree by Kruskal's algorithm, ties by edge."""
        from colayer.layers.spanning_tree import minimum_spanning_tree

        return indicator(minimum_spanning_tree(self.nodes, self.edges, costs_of(theta, self.size)), self.size)


class PathCover:
    """The layer of path covers: n tasks are partitioned into paths of an acyclic graph, and y is 1 on the arcs used.

    θ and y hold the arcs between tasks, then the n origin arcs, then the n destination arcs.

    Parameters:
        indptr: Where the arcs of each task begin in `heads`, and where the last ones end, shape (n + 1,).
        heads: The tasks that the arcs lead to, ascending for each task.

    >>> PathCover([0, 2, 3, 3], [1, 2, 2])([3.0, 1.0, 2.0, 10.0, 10.0, 10.0, 0.0, 0.0, 0.0]).tolist()
    [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """

    def __init__(self, indptr: ArrayLike, heads: ArrayLike) -> None:
        from colayer.layers.path_cover import path_cover

        arcs = np.array(heads, dtype=np.int32)
        tasks = np.zeros(max(len(np.atleast_1d(indptr)) - 1, 0))
        path_cover(indptr, arcs, np.zeros(len(arcs)) - 1.0, tasks, tasks)  # refuses rows that are not valid
        self.indptr = np.array(indptr, dtype=np.int64)
        self.heads = arcs

    @property
    def size(self) -> int:
        """Return the number of arcs, two per task included."""
        return len(self.heads) + 2 * (len(self.indptr) - 1)

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the path cover of least cost (see `path_cover`)."""
        from colayer.layers.path_cover import embed, path_cover

        m, n = len(self.heads), len(self.indptr) - 1
        costs = costs_of(theta, self.size)
        successor = path_cover(self.indptr, self.heads, costs[:m], costs[m : m + n], costs[m + n :])
        return embed(successor, self.indptr, self.heads)
