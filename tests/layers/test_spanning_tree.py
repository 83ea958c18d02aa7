"""The spanning tree layer against enumeration, plain Python, scipy and networkx."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree

from colayer.errors import InputError
from colayer.layers.spanning_tree import complete_forest, embed, minimum_spanning_tree
from support.errors import rejects

TRIANGLE = [(0, 1), (1, 2), (0, 2)]


def is_tree(nodes: int, edges: list[tuple[int, int]]) -> bool:
    """n − 1 edges that reach every node."""
    reached = {0}
    for _ in range(nodes):
        reached |= {b for edge in edges for a, b in (edge, edge[::-1]) if a in reached}
    return len(edges) == nodes - 1 and len(reached) == nodes


def graph(rng: np.random.Generator, nodes: int, extra: int) -> np.ndarray:
    """A random connected graph, parallel edges and all: a random tree and `extra` edges, shuffled."""
    pairs = [(int(rng.integers(k)), k) for k in range(1, nodes)]
    while len(pairs) < nodes - 1 + extra:
        a, b = rng.integers(nodes, size=2).tolist()
        if a != b:
            pairs.append((a, b))
    return rng.permutation(pairs)


def by_hand(nodes: int, edges: np.ndarray, costs: np.ndarray, forest: tuple[int, ...] = ()) -> list[int]:
    """Kruskal's algorithm with sets; ties by index."""
    component = list(range(nodes))
    taken = []
    for e in [*forest, *sorted(range(len(edges)), key=lambda e: (costs[e], e))]:
        a, b = (component[i] for i in edges[e])
        if a != b:
            taken.append(e)
            component = [a if c == b else c for c in component]
    return sorted(taken[len(forest) :])


def test_takes_the_cheapest_of_all_trees() -> None:
    """By enumeration, for either sign of the costs, parallel edges among them."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        nodes = int(rng.integers(2, 6))
        edges = graph(rng, nodes, extra=int(rng.integers(0, 5)))
        costs = rng.normal(size=len(edges))
        values = [
            costs[list(subset)].sum()
            for subset in combinations(range(len(edges)), nodes - 1)
            if is_tree(nodes, [tuple(edges[e]) for e in subset])
        ]
        tree = minimum_spanning_tree(nodes, edges, costs)
        assert is_tree(nodes, [tuple(edges[e]) for e in tree])
        assert costs @ embed(tree, len(edges)) == pytest.approx(min(values))


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(0, 60), st.integers(1, 40))
def test_equals_the_plain_algorithm_edge_by_edge(seed: int, nodes: int, extra: int, distinct: int) -> None:
    """Also where many costs are equal: ties go to the smaller index."""
    rng = np.random.default_rng(seed)
    edges = graph(rng, nodes, extra)
    costs = rng.integers(-distinct, distinct, len(edges)).astype(float)
    tree = minimum_spanning_tree(nodes, edges, costs)
    assert tree.tolist() == by_hand(nodes, edges, costs)
    forest = tuple(rng.permutation(tree)[: int(rng.integers(0, nodes))].tolist())
    other = rng.normal(size=len(edges))
    assert complete_forest(nodes, edges, other, forest).tolist() == by_hand(nodes, edges, other, forest)


def test_agrees_with_scipy_and_networkx_on_large_graphs() -> None:
    rng = np.random.default_rng(1)
    for nodes in (500, 2000):
        pairs = nx.connected_watts_strogatz_graph(nodes, 6, 0.3, seed=1)
        edges = np.array(pairs.edges)
        costs = rng.random(len(edges)) + 0.1
        tree = minimum_spanning_tree(nodes, edges, costs)
        matrix = csr_matrix((costs, edges.T), shape=(nodes, nodes))
        assert costs[tree].sum() == pytest.approx(scipy_tree(matrix).sum())
        pairs.add_weighted_edges_from((a, b, cost) for (a, b), cost in zip(edges.tolist(), costs, strict=True))
        theirs = {frozenset(edge) for edge in nx.minimum_spanning_edges(pairs, data=False)}
        assert {frozenset(edge) for edge in edges[tree].tolist()} == theirs


def test_contracts_the_forest() -> None:
    """Completing with networkx on the contracted graph: the same cost, for trees that the forest forces apart."""
    rng = np.random.default_rng(2)
    edges = graph(rng, 40, 80)
    costs = rng.normal(size=len(edges))
    forest = by_hand(40, edges, -costs)[::3]
    contracted = nx.Graph(edges[forest].tolist())
    contracted.add_nodes_from(range(40))
    component = {node: k for k, part in enumerate(nx.connected_components(contracted)) for node in part}
    quotient = nx.MultiGraph()
    for (a, b), cost in zip(edges.tolist(), costs, strict=True):
        quotient.add_edge(component[a], component[b], weight=cost)
    expected = sum(data["weight"] for *_, data in nx.minimum_spanning_edges(quotient, data=True))
    completion = complete_forest(40, edges, costs, forest)
    assert costs[completion].sum() == pytest.approx(expected)
    assert len(completion) + len(forest) == 39


def test_small_cases() -> None:
    assert minimum_spanning_tree(1, np.empty((0, 2), dtype=int), []).tolist() == []
    assert minimum_spanning_tree(2, [(1, 0)], [5.0]).tolist() == [0]
    assert minimum_spanning_tree(2, [(0, 0), (0, 1), (1, 0)], [-9.0, 2.0, 1.0]).tolist() == [2]  # a loop is no use
    assert complete_forest(3, TRIANGLE, [1.0, 1.0, 1.0], [0, 2]).tolist() == []
    assert embed(np.array([0, 2]), 3).tolist() == [1.0, 0.0, 1.0]


def test_leaves_its_input_alone() -> None:
    edges, costs, forest = np.array(TRIANGLE), np.array([3.0, 1.0, 2.0]), np.array([0])
    complete_forest(3, edges, costs, forest)
    assert edges.tolist() == [[0, 1], [1, 2], [0, 2]]
    assert costs.tolist() == [3.0, 1.0, 2.0]
    assert forest.tolist() == [0]


@pytest.mark.parametrize(
    ("nodes", "edges", "costs", "forest", "where"),
    [
        (3, [(0, 1, 2)], [1.0], [], "edges"),
        (3, [(0.0, 1.0)], [1.0], [], "edges"),
        (3, [(0, 3)], [1.0], [], "edges"),
        (3, [(-1, 0)], [1.0], [], "edges"),
        (0, np.empty((0, 2), dtype=int), [], [], "nodes"),
        (3, TRIANGLE, [1.0, 2.0], [], "costs"),
        (3, TRIANGLE, [1.0, np.nan, 2.0], [], "costs[1]"),
        (3, TRIANGLE, [1.0, 2.0, 3.0], [3], "forest"),
        (3, TRIANGLE, [1.0, 2.0, 3.0], [0, 1, 2], "forest"),
        (3, TRIANGLE, [1.0, 2.0, 3.0], [0, 0], "forest"),
        (4, TRIANGLE, [1.0, 2.0, 3.0], [], "edges"),
    ],
)
def test_names_what_is_wrong(nodes: int, edges: list, costs: list, forest: list, where: str) -> None:
    with rejects(InputError, where=where):
        complete_forest(nodes, edges, costs, forest)
