"""The two-stage spanning tree problem in plain Python: small graphs, and everything there is on them, one by one."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
from scipy.optimize import LinearConstraint, milp

from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.solution import Solution

#: A square 0-1-2-3 with a diagonal 0-2, two scenarios: what the layer, the decoder and the cost make of it by hand is
#: in their tests.
SQUARE = Instance(
    4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], [4.0, 1.0, 5.0, 2.0, 9.0],
    [[3.0, 6.0, 1.0, 7.0, 2.0], [5.0, 4.0, 3.0, 8.0, 0.0]],
)  # fmt: skip


def forests(instance: Instance) -> list[tuple[int, ...]]:
    """All first stages."""
    found = []
    for size in range(instance.nodes):
        for edges in itertools.combinations(range(instance.edge_count), size):
            graph = nx.MultiGraph(instance.edges[list(edges)].tolist())
            if not edges or nx.is_forest(graph):
                found.append(edges)
    return found


def brute_force(instance: Instance) -> float:
    """The least cost over all first stages, each completed by Kruskal's algorithm."""
    return min(complete(np.array(edges, dtype=np.int64), instance)[1] for edges in forests(instance))


def spanning_trees(instance: Instance) -> list[tuple[int, ...]]:
    """All of them, by trying every subset of n − 1 edges."""
    found = []
    for subset in itertools.combinations(range(instance.edge_count), instance.nodes - 1):
        graph = nx.MultiGraph(instance.edges[list(subset)].tolist())
        if graph.number_of_nodes() == instance.nodes and nx.is_connected(graph):
            found.append(subset)
    return found


def plain_cost(solution: Solution, instance: Instance) -> float:
    """The definition, sum by sum."""
    first = sum(instance.first[e] for e in solution.first_stage)
    second = [sum(instance.second[s][e] for e in edges) for s, edges in enumerate(solution.second_stage)]
    return first + sum(second) / len(second)


def small(seed: int, kind: str = "whole") -> Instance:
    """A random connected multigraph of 2 to 6 nodes and up to 10 edges."""
    rng = np.random.default_rng([17, seed])
    n = int(rng.integers(2, 7))
    tree = [(int(rng.integers(k)), k) for k in range(1, n)]
    more = [tuple(rng.choice(n, size=2, replace=False).tolist()) for _ in range(int(rng.integers(0, 12 - n)))]
    m = len(tree) + len(more)
    scenarios = int(rng.integers(1, 5))
    if kind == "whole":
        first, second = rng.integers(-9, 5, size=m), rng.integers(-9, 7, size=(scenarios, m))
    elif kind == "positive":
        first, second = rng.integers(1, 9, size=m), rng.integers(0, 20, size=(scenarios, m))
    else:
        first, second = rng.normal(size=m), rng.normal(0.3, 1.5, size=(scenarios, m))
    return Instance(n, tree + more, first, second)


def signed(seed: int, low: int = -9, high: int = 6) -> Instance:
    """A random connected multigraph of 3 to 6 nodes and 10 edges, whole costs from `low` on and below `high`."""
    rng = np.random.default_rng([23, seed])
    n = int(rng.integers(3, 7))
    tree = [(int(rng.integers(k)), k) for k in range(1, n)]
    more = [tuple(rng.choice(n, size=2, replace=False).tolist()) for _ in range(11 - n)]
    first, second = rng.integers(low, high, size=10), rng.integers(low, high + 2, size=(int(rng.integers(2, 6)), 10))
    return Instance(n, tree + more, first, second)


def random_instance(rng: np.random.Generator, signs: str = "mixed") -> Instance:
    """A small multigraph with costs that are all different."""
    nodes = int(rng.integers(2, 6))
    pairs = [(int(rng.integers(k)), k) for k in range(1, nodes)]
    pairs += [tuple(rng.choice(nodes, 2, replace=False).tolist()) for _ in range(int(rng.integers(0, 5)))]
    edges = rng.permutation(pairs)
    first, second = rng.random(len(edges)) * 10, rng.random((int(rng.integers(1, 4)), len(edges))) * 10
    shift = {"positive": 0.0, "mixed": 5.0, "negative": 10.0}[signs]
    return Instance(nodes, edges, first - shift, second - shift)


def least_cost(instance: Instance) -> float:
    """The optimum by SciPy's HiGHS: cycles are cut off as they appear, first from the relaxation, then from 0/1."""
    n, m, s = instance.nodes, instance.edge_count, instance.scenarios
    costs = np.concatenate([instance.first, instance.second.ravel() / s])
    rows = [_columns(np.ones(m), k, s) for k in range(s)]
    lower, upper, whole = [n - 1.0] * s, [n - 1.0] * s, np.zeros(len(costs))
    while True:
        cuts = LinearConstraint(np.array(rows), lower, upper)
        found = milp(costs, constraints=cuts, bounds=(0, 1), integrality=whole)
        assert found.success, found.message
        before = len(rows)
        for k in range(s):
            values = found.x[:m] + found.x[m:].reshape(s, m)[k]
            component = np.arange(n)
            for u, v in instance.edges[np.argsort(-values, kind="stable")]:
                if component[u] == component[v]:
                    continue
                component[component == component[v]] = component[u]
                members = component == component[u]
                inside = members[instance.edges].all(axis=1)
                if values[inside].sum() > members.sum() - 1 + 1e-6:
                    rows.append(_columns(inside, k, s))
                    lower.append(-np.inf)
                    upper.append(members.sum() - 1.0)
        if len(rows) == before and whole.all():
            return float(found.fun)
        if len(rows) == before:
            whole = np.ones(len(costs))


def _columns(edges: np.ndarray, scenario: int, scenarios: int) -> np.ndarray:
    """The row of a program that counts these edges in the first stage and in one scenario."""
    return np.concatenate([edges, *(edges * (k == scenario) for k in range(scenarios))]).astype(float)
