"""Features from a few steps of the prices: the share of scenarios in which an edge is worth its price.

The prices are those of the Lagrangian relaxation (`relaxation`): every scenario pays μ_es for edge e of the first
stage, c_e on average, more where it wants the edge and less where it does not, until all agree. Edges that belong
together, or stand for one another, show in the trees of a few steps; in features of single edges they do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.rounding import threshold_forests
from colayer.problems.spanning_tree.relaxation import Relaxation

STEPS = 8
_HALF = np.array([0.5])


def price_shares(instance: Instance, bottleneck: Floats) -> Floats:
    """Return the share of scenarios whose tree takes an edge at its price, (STEPS, m); `bottleneck` is D_es.

    It is 0 for edges that are no candidates (see `relaxation.candidates`). The first prices are the costs. Steps are as
    long as Polyak's towards the cost of buying what half of the scenarios take at these. If all agree, prices stay as
    they are. O(STEPS·S·(n α(n) + m)).
    """
    relaxation = Relaxation(instance, workers=1, bottleneck=bottleneck)
    shares = np.zeros((STEPS, instance.edge_count))
    target = 0.0
    for k in range(STEPS):
        value, norm = relaxation.solve()
        shares[k:, relaxation.edges] = relaxation.counts / instance.scenarios
        if norm == 0 or k == STEPS - 1:
            break
        if k == 0:
            target = _rounded(instance, relaxation.edges, shares[0, relaxation.edges])
        relaxation.step(max(target - relaxation.exact_bound(value), relaxation.unit), norm)
    relaxation.close()
    return shares


def _rounded(instance: Instance, edges: NDArray[np.int64], share: Floats) -> float:
    """Return the cost of buying the edges that half of the scenarios take, but for cycles, in the first stage."""
    u, v, first, second = instance.arrays
    order = np.argsort(-share, kind="stable")
    data = (edges[order], share[order], _HALF)
    _, _, costs = threshold_forests(u, v, first, second, instance.scenario_trees, *data)
    return float(costs[0]) / instance.scenarios
