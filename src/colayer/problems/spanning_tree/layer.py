"""The layer: a minimum spanning tree with the cheaper stage of each edge, θ = (c̄, d̄), ties by edge index."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer.errors import InputError
from colayer.layers.likelihood import matrix_tree
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.trees import stage_tree
from colayer.problems.spanning_tree.solution import Solution

Stages = NDArray[np.int8]


def layer(theta: ArrayLike, instance: Instance) -> Stages:
    """Return the stage of each edge (1 or 2; 0: not in the tree) that minimises Σ c̄_e over stage 1 plus Σ d̄_e over
    stage 2.

    θ holds c̄ by edge, then d̄ by edge. If c̄_e = d̄_e the stage is the first.
    """
    m = instance.edge_count
    values = np.array(theta, dtype=np.float64)
    if values.shape != (2 * m,):
        raise InputError(f"shape {values.shape}, expected two entries per edge, ({2 * m},)", where="theta")
    if not np.isfinite(values).all():
        raise InputError("not finite", where="theta")
    u, v = instance.arrays[:2]
    stages: Stages = stage_tree(instance.nodes, u, v, values[:m], values[m:])
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
