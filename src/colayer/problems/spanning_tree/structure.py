"""How (edge, stage) pairs relate: through the nodes of the graph, and to the other stage of the same edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.problem.structure import Graph, Groups
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.replacements import replacements
from colayer.problems.spanning_tree.kernels.trees import bottlenecks, completions


def structure(instance: Instance, y: NDArray[np.int8] | None = None) -> tuple[Graph, Groups]:
    """Return the graph, in which both rows of an edge connect its ends, and the edge of each row as its group.

    Given an answer y, a row of stage 1 has two θ offsets: c_e less what e saves in the second stage while all other
    edges of the first stage stay, and the range of costs if y buys e. Those of stage 2 are 0.
    """
    u, v = instance.arrays[:2]
    edge = np.arange(instance.edge_count)
    ends = instance.nodes, np.tile(u, 2), np.tile(v, 2)
    if y is None:
        return Graph(*ends), Groups(np.tile(edge, 2))
    bought = np.flatnonzero(y == 1)
    offsets = np.zeros((2 * len(edge), 2))
    offsets[: len(edge), 0] = instance.first - savings(bought, instance)
    offsets[bought, 1] = instance.cost_range
    return Graph(*ends, theta_offsets=offsets), Groups(np.tile(edge, 2))


def savings(forest: NDArray[np.int64], instance: Instance) -> NDArray[np.float64]:
    """Return what each edge saves in the second stage, on average over scenarios, beside the other edges of the forest.

    An edge that is not bought saves the largest cost on its path in the tree of each scenario, the forest for nothing;
    one that closes a cycle in the forest saves nothing, which is here the least cost of all.
    """
    u, v, first, second = instance.arrays
    completed = completions(u, v, forest, instance.scenario_trees)
    trees = np.hstack([np.tile(forest, (instance.scenarios, 1)), completed]).astype(np.int32)
    costs = second.copy()
    costs[:, forest] = min(first.min(), second.min())
    saved: NDArray[np.float64] = bottlenecks(u, v, trees, costs).mean(axis=0)
    saved[forest] = replacements(u, v, forest, completed, instance.scenario_trees, second).mean(axis=0)
    return saved
