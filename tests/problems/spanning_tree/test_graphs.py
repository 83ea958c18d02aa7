"""The graphs that instances are generated on."""

from __future__ import annotations

import networkx as nx
import numpy as np

from colayer.problems.spanning_tree.graphs import complete, geometric, grid


def test_grid() -> None:
    """Node by node, the edge to the right first."""
    nodes, edges = grid(3)
    assert nodes == 9
    assert edges.tolist() == [[0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [3, 6], [4, 5], [4, 7], [5, 8], [6, 7],
                              [7, 8]]  # fmt: skip
    assert len(grid(60)[1]) == 2 * 60 * 59


def test_other_graphs_are_simple_and_connected() -> None:
    assert complete(5)[1].tolist() == [list(pair) for pair in nx.complete_graph(5).edges]
    for seed in range(20):
        nodes, edges = geometric(60, np.random.default_rng(seed))
        graph = nx.Graph(edges.tolist())
        assert nx.is_connected(graph)
        assert graph.number_of_nodes() == nodes == 60
        assert graph.number_of_edges() == len(edges)
        assert 2.0 < 2 * len(edges) / nodes < 8.0


def test_a_geometric_graph_joins_all_that_is_near_and_its_shortest_tree() -> None:
    """The points drawn again: every pair within the radius is an edge, and the longer edges are those of a tree."""
    for seed in range(5):
        points = np.random.default_rng(seed).random((40, 2))
        _, edges = geometric(40, np.random.default_rng(seed))
        length = {(a, b): float(np.hypot(*(points[a] - points[b]))) for a in range(40) for b in range(a + 1, 40)}
        tree = nx.minimum_spanning_tree(nx.Graph([(*pair, {"weight": size}) for pair, size in length.items()]))
        radius = np.sqrt(6.0 / (np.pi * 40))
        near = {pair for pair, size in length.items() if size <= radius}
        assert {tuple(pair) for pair in edges.tolist()} == near | {tuple(sorted(pair)) for pair in tree.edges}
