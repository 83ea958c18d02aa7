"""The cost of a solution, its order of magnitude, and the bound that comes with one layer solve."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from colayer.layers.layer import log_pairs
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.delay import solution_cost
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from colayer.problems.vehicle_scheduling.near import NearArcs
from colayer.problems.vehicle_scheduling.solution import checked


def cost(successor: ArrayLike, instance: Instance) -> float:
    """Return vehicle_cost · vehicles + delay_cost · mean over the scenarios of the sum of all delays."""
    order = checked(successor, instance)
    return float(solution_cost(instance.times, order, instance.vehicle_cost, instance.delay_cost))


def scale(instance: Instance) -> float:
    """Return u(x) = n."""
    return float(instance.tasks)


def log_comparisons(instance: Instance) -> float:
    """Return log H: S(S − 1) comparisons say which of S ≤ Π_u (1 + successors of u) solutions are minimal."""
    return log_pairs(float(np.log1p(np.diff(instance.arcs[0])).sum())) + math.log(2.0)


def bound(instance: Instance) -> float:
    """Return the layer's least value under the safe weights.

    A vehicle that is late at u is no less late at v for it, so the delay of v is at least max(−slack(u, v), 0), and the
    cost of any solution at least its value under the safe weights. The sum of the delays is lowered by 1e-12 of itself:
    it is summed in another order than the cost, which it must not exceed by rounding.
    """
    near = None if "slacks" in instance.__dict__ else NearArcs.of(instance)
    if near is not None:
        return near.bound()
    successor = layer(safe_theta(instance), instance)
    indptr, heads = instance.arcs
    delay = 0.0
    for u in np.flatnonzero(successor >= 0).tolist():
        first, last = int(indptr[u]), int(indptr[u + 1])
        delay += float(instance.mean_delay[first + int(np.searchsorted(heads[first:last], successor[u]))])
    vehicles = int((successor < 0).sum())
    return instance.vehicle_cost * vehicles + instance.delay_cost * (delay * (1.0 - 1e-12))
