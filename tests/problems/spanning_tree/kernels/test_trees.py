"""Kernels on the minimum spanning trees of the scenarios, against walks along them."""

from __future__ import annotations

import itertools

import networkx as nx
import pytest

from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.kernels.trees import bottlenecks


def paths_maximum(instance: Instance, s: int) -> list[float]:
    """D_es by walking the minimum spanning tree of scenario s."""
    tree = nx.Graph()
    for e in instance.scenario_trees[s]:
        tree.add_edge(*instance.edges[e].tolist(), cost=instance.second[s, e])
    values = []
    for u, v in instance.edges.tolist():
        path = nx.shortest_path(tree, u, v)
        values.append(max(tree.edges[pair]["cost"] for pair in itertools.pairwise(path)))
    return values


@pytest.mark.parametrize("seed", range(5))
def test_bottlenecks_are_the_largest_costs_on_the_paths_of_the_scenario_trees(seed: int) -> None:
    instance = generate(seed, width=4, scenarios=3, graph="geometric")
    u, v, _, second = instance.arrays
    found = bottlenecks(u, v, instance.scenario_trees, second)
    assert found.tolist() == [paths_maximum(instance, s) for s in range(instance.scenarios)]
