"""Graphs to generate instances on: (number of nodes, (m, 2) edges), connected, without parallel edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.layers.spanning_tree import minimum_spanning_tree

Graph = tuple[int, NDArray[np.int64]]

#: The expected degree of a node in the middle of a random geometric graph.
_DEGREE = 6.0


def grid(width: int) -> Graph:
    """Return width × width nodes, row by row; each node has first the edge to the right, then the edge down."""
    node = np.arange(width * width).reshape(width, width)
    right = np.stack([node[:, :-1], node[:, 1:]], axis=-1).reshape(-1, 2)
    down = np.stack([node[:-1], node[1:]], axis=-1).reshape(-1, 2)
    edges = np.concatenate([right, down])
    return width * width, edges[np.lexsort((edges[:, 1], edges[:, 0]))]


def complete(nodes: int) -> Graph:
    """Return a graph with an edge between every two nodes."""
    return nodes, np.stack(np.triu_indices(nodes, 1), axis=-1)


def geometric(nodes: int, rng: np.random.Generator) -> Graph:
    """Join uniform points in the unit square that are near; add the shortest edges that make the graph connected.

    The radius is that of a disc with six points expected in it. The longer edges of the Euclidean minimum spanning tree
    are added: nothing shorter joins the components.
    """
    points = rng.random((nodes, 2))
    _, pairs = complete(nodes)
    length = np.hypot(*(points[pairs[:, 0]] - points[pairs[:, 1]]).T)
    near = length <= np.sqrt(_DEGREE / (np.pi * nodes))
    near[minimum_spanning_tree(nodes, pairs, length)] = True
    return nodes, pairs[near]
