"""The decoder h: keep the layer's first stage, complete it in each scenario, or buy nothing in the first stage."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.problems.spanning_tree.cost import stages_cost
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.losses import costs_into
from colayer.problems.spanning_tree.kernels.trees import completions, total
from colayer.problems.spanning_tree.solution import Solution


def decode(stages: ArrayLike, instance: Instance) -> Solution:
    """Return the better of two solutions, the first at equal cost: E_1 = the edges of stage 1, and E_1 = ∅.

    Each is completed by Kruskal's algorithm with weights d_s. If all costs are ≤ 0, E_1 = ∅ makes the layer with the
    safe weights a 2-approximation of the maximum-weight problem (paper, section 4.3).
    """
    values = np.asarray(stages)
    m = instance.edge_count
    if values.shape != (m,) or values.dtype.kind not in "iu" or ((values < 0) | (values > 2)).any():
        raise InputError(f"expected {m} stages, one per edge: 0, 1 or 2", where="y")
    solution, cost = complete(np.flatnonzero(values == 1), instance)
    return complete((), instance)[0] if nothing_cost(instance) < cost else solution


def best(thetas: Floats, instance: Instance, seed: int = 0) -> tuple[int, Solution, float]:
    """Return (row, solution, cost) of the first row of `thetas` with least cost; nothing is drawn."""
    stages, costs = solved(thetas, instance)
    row = int(np.argmin(costs))
    return row, decode(stages[row], instance), float(costs[row])


def solved(thetas: Floats, instance: Instance) -> tuple[NDArray[np.int8], Floats]:
    """Return the (K, m) stages of the layer, one row per row of `thetas`, and the costs of the decoded solutions."""
    m = instance.edge_count
    rows = np.asarray(thetas, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise InputError("not finite", where="theta")
    u, v, first, _ = instance.arrays
    stages, costs = np.empty((len(rows), m), dtype=np.int8), np.empty(len(rows))
    costs_into(
        rows[:, :m].copy(), rows[:, m:].copy(), u, v, first, *tree_ends(instance), instance.nodes,
        nothing_cost(instance), stages, costs,
    )  # fmt: skip
    return stages, costs


def complete(forest: ArrayLike, instance: Instance) -> tuple[Solution, float]:
    """Return the best solution whose first stage is `forest` (edge indices), and its cost."""
    u, v = instance.arrays[:2]
    edges = np.sort(np.array(forest, dtype=np.int64))
    rows = completions(u, v, edges, instance.scenario_trees)
    if len(rows) == 0:
        raise InputError("its edges close a cycle, expected a forest", where="first_stage")
    rows = np.sort(rows, axis=1)
    return Solution(edges, tuple(rows)), stages_cost(edges, rows, instance)


def nothing_cost(instance: Instance) -> float:
    """Return the cost of E_1 = ∅."""
    return float(total(np.empty(0), _tree_costs(instance)))


def tree_ends(instance: Instance) -> tuple[NDArray[np.int32], Floats]:
    """Return both nodes, (S·(n − 1), 2), and the cost of the edges of `scenario_trees`, scenario after scenario."""
    return instance.edges.astype(np.int32)[instance.scenario_trees.ravel()], _tree_costs(instance).ravel()


def _tree_costs(instance: Instance) -> Floats:
    """Return the costs (S, n − 1) of the edges of `scenario_trees`, increasing."""
    return instance.second[np.arange(instance.scenarios)[:, np.newaxis], instance.scenario_trees]
