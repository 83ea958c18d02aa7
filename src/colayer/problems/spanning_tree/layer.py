"""The layer: a minimum spanning tree with the cheaper stage of each edge, θ = (c̄, d̄), ties by edge index."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer.layers.layer import costs_of
from colayer.layers.likelihood import matrix_tree
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.trees import scenario_trees
from colayer.problems.spanning_tree.solution import Solution

Stages = NDArray[np.int8]


def layer(theta: ArrayLike, instance: Instance) -> Stages:
    """Return the stage of each edge (1 or 2; 0: not in the tree) of least Σ c̄_e over stage 1 plus Σ d̄_e over stage 2.

    θ holds c̄ by edge, then d̄ by edge. Whatever the tree, each of its edges takes the cheaper stage, the first if
    c̄_e = d̄_e: the tree is the minimum spanning tree for min(c̄, d̄).
    """
    m = instance.edge_count
    first, second = costs_of(theta, 2 * m).reshape(2, m)
    u, v = instance.arrays[:2]
    tree = scenario_trees(instance.nodes, u, v, np.minimum(first, second)[np.newaxis])[0]
    stages = np.zeros(m, dtype=np.int8)
    stages[tree] = np.where(first[tree] <= second[tree], 1, 2)
    return stages


def embed(stages: Stages, instance: Instance) -> NDArray[np.float64]:
    """Return y as a vector: the indicator of the first stage by edge, then that of the second."""
    return np.concatenate([stages == 1, stages == 2]).astype(np.float64)


def target(solution: Solution, instance: Instance) -> NDArray[np.float64]:
    """Return (indicator of E_1, mean over s of those of E_s), a point of the convex hull of the layer's vectors."""
    m = instance.edge_count
    times = np.bincount(np.concatenate(solution.second_stage), minlength=m)
    vector = np.zeros(2 * m)
    vector[solution.first_stage] = 1.0
    vector[m:] = times / instance.scenarios
    return vector


def likelihood(
    theta: NDArray[np.float64], target: NDArray[np.float64], instance: Instance
) -> tuple[float, NDArray[np.float64]]:
    """Return value and gradient of the exact likelihood, by the matrix-tree theorem."""
    return matrix_tree(instance.nodes, instance.edges, theta, target, instance.elimination)


def mixed(stages: Stages, coefficients: NDArray[np.float64], instance: Instance) -> NDArray[np.float64]:
    """Return Σ_k c_k·embed(stages[k])."""
    total = np.zeros(2 * instance.edge_count)
    for row, coefficient in zip(stages, coefficients, strict=True):
        total += coefficient * embed(row, instance)
    return total
