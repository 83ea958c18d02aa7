"""Kernels of the primal side: forests by threshold, and the local search over the edges in doubt."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np

from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.kernels.rounding import descend, doubt_problem, threshold_forests


def test_threshold_forests_cost_what_the_decoder_says() -> None:
    instance = generate(4, width=6, scenarios=5)
    u, v, first, second = instance.arrays
    rng = np.random.default_rng(2)
    fraction = -np.sort(-rng.random(instance.edge_count))
    order = rng.permutation(instance.edge_count)
    thresholds = np.array([1.1, 0.8, 0.5, 0.5, 0.0])
    forest, sizes, costs = threshold_forests(u, v, first, second, instance.scenario_trees, order, fraction, thresholds)
    assert sizes[0] == 0
    assert sizes[-1] == instance.nodes - 1
    assert costs[2] == costs[3]
    for size, value in zip(sizes, costs, strict=True):
        assert value / instance.scenarios == complete(np.sort(forest[:size]), instance)[1]


def test_the_problem_of_the_doubtful_edges_is_the_whole_problem_up_to_a_constant() -> None:
    """The descent on the contracted problem finds a choice that no flip and no exchange improves in the whole one."""
    for seed in range(6):
        instance = generate(seed, width=5, scenarios=4, second_max=12)
        u, v, first, second = instance.arrays
        rng = np.random.default_rng(seed)
        doubt = np.sort(rng.choice(instance.edge_count, size=9, replace=False))
        others = np.setdiff1d(np.arange(instance.edge_count), doubt)
        grown, sizes, _ = threshold_forests(
            u, v, first, second, instance.scenario_trees, rng.permutation(others), np.ones(len(others)), np.ones(1)
        )
        core = np.sort(grown[: sizes[0] // 3])
        chosen = np.zeros(9, dtype=np.int8)
        descend(*doubt_problem(u, v, second, instance.scenario_trees, core, doubt), first[doubt], chosen, 10_000, 0.0)

        def whole(
            choice: np.ndarray, core: np.ndarray = core, doubt: np.ndarray = doubt, x: Instance = instance
        ) -> float:
            forest = np.concatenate([core, doubt[choice == 1]])
            graph = nx.MultiGraph(x.edges[forest].tolist())
            return complete(np.sort(forest), x)[1] if nx.is_forest(graph) else np.inf

        found = whole(chosen)
        assert found <= whole(np.zeros(9, dtype=np.int8))
        for i, j in itertools.product(range(9), repeat=2):
            other = chosen.copy()
            other[i] = 1 - other[i]
            if i != j and chosen[i] != chosen[j]:
                other[j] = 1 - other[j]
            assert found <= whole(other)
