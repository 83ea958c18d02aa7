"""The cost of a solution, its order of magnitude, and a lower bound."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from colayer.layers.layer import log_pairs
from colayer.problem.approximation import Approximation
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.trees import scenario_trees, total
from colayer.problems.spanning_tree.solution import Solution, checked

_SLACK = 1e-12  # of rounding, over the sum of absolute values


def cost(solution: Solution, instance: Instance) -> float:
    """Return Σ_{E_1} c_e + (1/|S|) Σ_s Σ_{E_s} d_es."""
    sound = checked(solution, instance)
    return stages_cost(sound.first_stage, np.array(sound.second_stage), instance)


def stages_cost(first_stage: NDArray[np.int64], second_stage: NDArray[np.int64], instance: Instance) -> float:
    """Return the cost of E_1 (increasing) and of the E_s in the rows of `second_stage` (in any order), not checked.

    Sums are taken in one order, by increasing cost within a scenario, as in the compiled evaluator.
    """
    values = instance.second[np.arange(instance.scenarios)[:, np.newaxis], second_stage]
    return float(total(instance.first[first_stage], np.sort(values, axis=1)))


def scale(instance: Instance) -> float:
    """Return u(x) = |V| − 1."""
    return float(instance.nodes - 1)


def bound(instance: Instance) -> float:
    """Return the mean over s of the minimum spanning tree for min(c, d_s): no scenario can be cheaper."""
    u, v, first, second = instance.arrays
    cheaper = np.minimum(first, second)
    trees = scenario_trees(instance.nodes, u, v, cheaper)
    values = cheaper[np.arange(instance.scenarios)[:, np.newaxis], trees]
    value = float(total(np.empty(0), values))
    # sums that are not exact might come out above the cost of an optimal solution
    return value if instance.integral else value - _SLACK * float(total(np.empty(0), np.abs(values)))


def log_comparisons(instance: Instance) -> float:
    """Return log H: Kruskal's algorithm on min(c̄, d̄) compares pairs of the 2m entries of θ."""
    return log_pairs(math.log(2 * instance.edge_count))


def tree_approximation(instance: Instance) -> Approximation | None:
    """Return the guarantee for the maximum-weight problem, costs ≤ 0 (paper, proposition 2, constants of its proof)."""
    if (instance.first > 0).any() or (instance.second > 0).any():
        return None
    scenarios = instance.scenarios
    return Approximation(a=(scenarios - 1) / (2 * scenarios - 1), b=scenarios / (2 * scenarios - 1))
