"""One interface for all layers: an object holds what is fixed, and maps θ to y = argmin over y of ⟨θ, y⟩.

    layer = TopK(3)
    y = layer(theta)        # a vector of θ's length: 0/1, or whatever the layer's y are made of
    value = theta @ y       # g(y, θ), the least there is

The result is a function of θ and of what the object holds, never of earlier calls; θ is checked and left alone. The
objects can be pickled (process pools) and called from several threads at once. Each is a thin coat around functions
on arrays, which return the compact form of y (indices, mostly) and stay the better choice where that is enough.
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
    """An easy problem with everything fixed but its costs θ."""

    @property
    def size(self) -> int | None:
        """The length of θ; None where any will do."""
        ...

    def __call__(self, theta: ArrayLike) -> Floats:
        """The vector y of θ's length that minimises ⟨θ, y⟩; ties are broken by index or by a rule as fixed."""
        ...


def costs_of(theta: ArrayLike, size: int | None = None, where: str = "theta") -> Floats:
    """θ as a contiguous vector of float64, checked: `size` finite numbers. A copy only where it takes one."""
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
    i = not_finite(values)
    if i >= 0:
        raise InputError(f"{values[i]}, expected a finite number", where=f"{where}[{i}]")
    return values


def whole(value: Any, where: str, least: int) -> int:
    """A whole number that is not below `least`, as an int."""
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
def not_finite(values):  # type: ignore[no-untyped-def]
    """Position of the first value that is NaN or infinite, −1: none."""
    for i in range(values.shape[0]):
        if not np.isfinite(values[i]):
            return i
    return -1


def indicator(chosen: Ints, size: int) -> Floats:
    """1 at the indices chosen, 0 elsewhere."""
    vector = np.zeros(size)
    vector[chosen] = 1.0
    return vector


@dataclass(frozen=True)
class Sorting:
    """Permutations: y_i = n − position of i, so that ⟨θ, y⟩ is the sum of completion times of jobs that last θ.

    >>> Sorting()([0.3, 0.1, 0.2]).tolist()
    [1.0, 3.0, 2.0]
    """

    @property
    def size(self) -> None:
        """Any."""
        return

    def __call__(self, theta: ArrayLike) -> Floats:
        """θ sorted, ties by index."""
        from colayer.layers.sorting import embed, sort

        return embed(sort(costs_of(theta)))


class MinimumSpanningTree:
    """Spanning trees of a connected graph: θ by edge, y = 1 on the edges of the tree.

    >>> MinimumSpanningTree(3, [(0, 1), (1, 2), (0, 2)])([3.0, 1.0, 2.0]).tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(self, nodes: int, edges: ArrayLike) -> None:
        from colayer.layers.spanning_tree import minimum_spanning_tree, pairs

        ends = pairs(edges)
        self.nodes = whole(nodes, "nodes", 1)
        minimum_spanning_tree(self.nodes, ends, np.zeros(len(ends)))  # refuses what is not a connected graph
        self.edges = ends.copy()

    @property
    def size(self) -> int:
        """The number of edges."""
        return len(self.edges)

    def __call__(self, theta: ArrayLike) -> Floats:
        """Kruskal's algorithm, ties by edge."""
        from colayer.layers.spanning_tree import minimum_spanning_tree

        return indicator(minimum_spanning_tree(self.nodes, self.edges, costs_of(theta, self.size)), self.size)


class PathCover:
    """Partitions of n tasks into paths of an acyclic graph: θ by arc, then by origin arc, then by destination arc.

    `indptr` and `heads` are the arcs in compressed rows (see `path_cover`); y = 1 on the arcs that are used.

    >>> PathCover([0, 2, 3, 3], [1, 2, 2])([3.0, 1.0, 2.0, 10.0, 10.0, 10.0, 0.0, 0.0, 0.0]).tolist()
    [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """

    def __init__(self, indptr: ArrayLike, heads: ArrayLike) -> None:
        from colayer.layers.path_cover import path_cover

        arcs = np.array(heads, dtype=np.int32)
        tasks = np.zeros(max(len(np.atleast_1d(indptr)) - 1, 0))
        path_cover(indptr, arcs, np.zeros(len(arcs)) - 1.0, tasks, tasks)  # refuses rows that are none
        self.indptr = np.array(indptr, dtype=np.int64)
        self.heads = arcs

    @property
    def size(self) -> int:
        """Arcs, and two for each task."""
        return len(self.heads) + 2 * (len(self.indptr) - 1)

    def __call__(self, theta: ArrayLike) -> Floats:
        """Shortest augmenting paths; see `path_cover`."""
        from colayer.layers.path_cover import embed, path_cover

        m, n = len(self.heads), len(self.indptr) - 1
        costs = costs_of(theta, self.size)
        successor = path_cover(self.indptr, self.heads, costs[:m], costs[m : m + n], costs[m + n :])
        return embed(successor, self.indptr, self.heads)
