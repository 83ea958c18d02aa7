"""Shortest paths against enumeration, scipy and networkx: acyclic graphs, costs of either sign, negative cycles."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from colayer.errors import InputError
from colayer.layers import ShortestPath
from colayer.layers.shortest_path import shortest_path
from support.errors import rejects


def draw(rng: np.random.Generator, acyclic: bool, most: int = 8) -> tuple[int, np.ndarray, int, int]:
    """Any small graph: parallel arcs, loops (unless acyclic), parts that are not connected."""
    nodes = int(rng.integers(1, most))
    arcs = rng.integers(nodes, size=(int(rng.integers(0, 3 * nodes)), 2))
    if acyclic:
        arcs = np.sort(arcs[arcs[:, 0] != arcs[:, 1]], axis=1)
        arcs = rng.permutation(nodes)[arcs]  # the order is for the layer to find
    source, target = rng.integers(nodes, size=2).tolist()
    return nodes, arcs, source, target


def simple_paths(nodes: int, arcs: np.ndarray, source: int, target: int) -> list[list[int]]:
    """Every path without repeated nodes, as lists of arcs."""
    found = []

    def extend(path: list[int], seen: list[int]) -> None:
        if seen[-1] == target:
            found.append(path)
            return
        for k, (u, v) in enumerate(arcs.tolist()):
            if u == seen[-1] and v not in seen:
                extend([*path, k], [*seen, v])

    extend([], [source])
    return found


def check_path(arcs: np.ndarray, path: list[int], source: int, target: int) -> None:
    node = source
    for k in path:
        assert arcs[k, 0] == node
        node = arcs[k, 1]
    assert node == target


@pytest.mark.parametrize("acyclic", [True, False])
def test_is_the_shortest_of_all_paths(acyclic: bool) -> None:
    """By enumeration; with cycles the costs are ≥ 0, without they have either sign."""
    rng = np.random.default_rng(0)
    solved = 0
    for _ in range(2500):
        nodes, arcs, source, target = draw(rng, acyclic)
        costs = rng.normal(size=len(arcs)) if acyclic else rng.integers(0, 5, len(arcs)).astype(float)
        paths = simple_paths(nodes, arcs, source, target)
        if not paths:
            with rejects(InputError, where="target"):
                ShortestPath(nodes, arcs, source, target)
            continue
        layer = ShortestPath(nodes, arcs, source, target)
        path = layer.path(costs)
        check_path(arcs, path.tolist(), source, target)
        assert costs[path].sum() == pytest.approx(min(costs[p].sum() for p in paths))
        assert np.flatnonzero(layer(costs)).tolist() == sorted(path.tolist())
        solved += 1
    assert solved > 1000


def test_costs_of_either_sign_with_cycles_against_networkx() -> None:
    """The same length, or the same refusal: a negative cycle counts where it lies on a way to the target."""
    rng = np.random.default_rng(1)
    refused = solved = 0
    for _ in range(2500):
        nodes, arcs, source, target = draw(rng, acyclic=False)
        costs = rng.integers(-2, 9, len(arcs)).astype(float)
        if not simple_paths(nodes, arcs, source, target):
            continue
        layer = ShortestPath(nodes, arcs, source, target)
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(range(nodes))
        graph.add_weighted_edges_from((u, v, c) for (u, v), c in zip(arcs.tolist(), costs, strict=True))
        useful = {*nx.descendants(graph, source), source} & {*nx.ancestors(graph, target), target}
        graph = graph.subgraph(useful)
        cheapest = nx.DiGraph()
        cheapest.add_nodes_from(graph)
        for u, v, c in graph.edges(data="weight"):
            if not cheapest.has_edge(u, v) or c < cheapest[u][v]["weight"]:
                cheapest.add_edge(u, v, weight=c)
        if nx.negative_edge_cycle(cheapest):
            with rejects(InputError, where="theta"):
                layer(costs)
            refused += 1
        else:
            path = layer.path(costs)
            check_path(arcs, path.tolist(), source, target)
            assert costs[path].sum() == nx.bellman_ford_path_length(cheapest, source, target)
            solved += 1
    assert refused > 100
    assert solved > 1000


def test_agrees_with_scipy_on_large_graphs() -> None:
    rng = np.random.default_rng(2)
    for nodes in (200, 2000):
        arcs = np.unique(rng.integers(nodes, size=(8 * nodes, 2)), axis=0)
        costs = rng.random(len(arcs)) + 0.01
        lengths = dijkstra(csr_array((costs, arcs.T), shape=(nodes, nodes)), indices=0)
        for target in np.flatnonzero(np.isfinite(lengths))[:: nodes // 20].tolist():
            path = shortest_path(nodes, arcs, costs, 0, target)
            assert costs[path].sum() == pytest.approx(lengths[target])


def test_says_which_node_the_negative_cycle_goes_through() -> None:
    with rejects(InputError, where="theta"):
        shortest_path(4, [(0, 1), (1, 2), (2, 1), (2, 3)], [1.0, 1.0, -2.0, 1.0], 0, 3)


def test_a_negative_cycle_that_cannot_matter_is_none() -> None:
    """Nodes 2 and 3 are on no way from 0 to 1; so the rest is acyclic, too."""
    layer = ShortestPath(4, [(0, 1), (0, 2), (2, 3), (3, 2)], 0, 1)
    assert layer.acyclic
    assert layer([1.0, -1.0, -1.0, -1.0]).tolist() == [1.0, 0.0, 0.0, 0.0]


def test_ties_go_to_the_smaller_arc() -> None:
    """In an acyclic graph, at every node: parallel arcs here, and two ways round."""
    assert shortest_path(2, [(0, 1), (0, 1)], [1.0, 1.0], 0, 1).tolist() == [0]
    assert shortest_path(4, [(2, 3), (1, 3), (0, 1), (0, 2)], [1.0] * 4, 0, 3).tolist() == [3, 0]


def test_small_cases() -> None:
    assert shortest_path(1, [], [], 0, 0).tolist() == []
    assert ShortestPath(1, [(0, 0)], 0, 0)([5.0]).tolist() == [0.0]  # a loop is no use
    assert shortest_path(3, [(0, 1), (1, 0)], [1.0, 1.0], 1, 1).tolist() == []
    assert not ShortestPath(1, [(0, 0)], 0, 0).acyclic


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ((3, [(0, 1, 2)], 0, 1), "arcs"),
        ((3, [(0.0, 1.0)], 0, 1), "arcs"),
        ((3, [(0, 3)], 0, 1), "arcs"),
        ((3, [(0, -1)], 0, 1), "arcs"),
        ((3, [(0, 1)], 3, 1), "source"),
        ((3, [(0, 1)], 0, -1), "target"),
        ((3, [(0, 1)], 0, 2), "target"),
        ((2, [(1, 0)], 0, 1), "target"),
    ],
)
def test_names_what_is_wrong_with_the_graph(arguments: tuple, where: str) -> None:
    with rejects(InputError, where=where):
        ShortestPath(*arguments)


@pytest.mark.parametrize(
    ("theta", "where"),
    [([1.0], "theta"), ([1.0, np.nan], "theta[1]"), (1.0, "theta")],
)
def test_names_what_is_wrong_with_theta(theta: list, where: str) -> None:
    with rejects(InputError, where=where):
        ShortestPath(3, [(0, 1), (1, 2)], 0, 2)(theta)
