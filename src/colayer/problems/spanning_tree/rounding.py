"""The primal side of the relaxation: the mean of the relaxed trees, rounded to forests by `kernels.rounding`."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Ints
from colayer.problems.spanning_tree.cost import cost as cost_of
from colayer.problems.spanning_tree.decoder import complete, decode
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.rounding import descend, doubt_problem, threshold_forests
from colayer.problems.spanning_tree.layer import layer
from colayer.problems.spanning_tree.solution import Solution

NEWEST = 0.1  # weight of the newest trees in the mean that is rounded
THRESHOLDS = np.array([0.95, 0.8, 0.65, 0.5, 0.35, 0.2, 0.05])
DOUBT = 0.01  # edges with a fraction between this and 1 minus this are in doubt: the most doubtful ones,
DOUBTS = 64  # up to this many
SEARCH = 5  # iterations of the relaxation whose time a local search may take, about


def approximation(instance: Instance) -> Solution:
    """Return the safe pipeline's solution, the layer at (c, mean_s d) decoded: a 2-approximation for maximum weight."""
    theta = np.concatenate([instance.first, instance.second.mean(axis=0)])
    return decode(layer(theta, instance), instance)


class Incumbent:
    """The best solution, and the running mean of the relaxed trees from which new ones are rounded.

    The mean tends to an optimal solution of the relaxed problem, as in the volume algorithm (Barahona and Anbil 2000).
    """

    def __init__(self, instance: Instance, edges: Ints, start: Solution | None) -> None:
        self.instance, self.edges = instance, edges
        self.solution = approximation(instance)
        self.cost = cost_of(self.solution, instance)
        if start is not None and (cost := cost_of(start, instance)) < self.cost:
            self.solution, self.cost = start, cost
        self.forget()

    def forget(self) -> None:
        """Start the mean anew."""
        self.fraction = np.zeros(len(self.edges))
        self.averaged = 0

    def average(self, counts: Ints) -> None:
        """Take the newest trees into the mean; `counts` says how many scenarios take an edge in the first stage."""
        self.averaged += 1
        self.fraction += max(NEWEST, 1 / self.averaged) * (counts / self.instance.scenarios - self.fraction)

    def round(self) -> None:
        """Cut the mean at some thresholds, search around the best forest, and keep what is better than the best."""
        u, v, first, second = self.instance.arrays
        trees = self.instance.scenario_trees
        by_fraction = np.argsort(-self.fraction, kind="stable")
        data = (self.edges[by_fraction], self.fraction[by_fraction], THRESHOLDS)
        grown, sizes, costs = threshold_forests(u, v, first, second, trees, *data)
        best = int(np.argmin(costs))
        forest = grown[: sizes[best]]

        distance = np.abs(self.fraction - 0.5)
        nearest = np.argsort(distance, kind="stable")[:DOUBTS]
        doubt = np.sort(self.edges[nearest[distance[nearest] < 0.5 - DOUBT]])
        core = np.setdiff1d(forest, doubt)
        doubt_ends, rest_ends, rest_costs = doubt_problem(u, v, second, trees, core, doubt)
        if rest_costs.shape[1]:  # not where every edge in doubt closes a cycle
            chosen = np.isin(doubt, forest).astype(np.int8)
            evaluations = SEARCH * (len(self.edges) + self.instance.nodes) // len(doubt)
            tolerance = 0.0 if self.instance.integral else 1e-12 * abs(float(costs[best]))
            descend(doubt_ends, rest_ends, rest_costs, first[doubt], chosen, evaluations, tolerance)
            forest = np.concatenate([core, doubt[chosen == 1]])
        solution, cost = complete(np.sort(forest), self.instance)
        if cost < self.cost:
            self.solution, self.cost = solution, cost
