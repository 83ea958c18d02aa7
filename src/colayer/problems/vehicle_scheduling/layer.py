"""The layer: a path cover of the tasks of least cost under θ."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.deadline import look
from colayer.errors import InputError
from colayer.layers.likelihood import path_cover
from colayer.layers.path_cover import embed as embed_cover
from colayer.layers.path_cover import mixed as mixed_covers
from colayer.layers.path_cover import path_cover_into
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.solution import checked

#: What the layer takes, about, on cities of 1000 to 5000 tasks: it is one step, which a deadline does not interrupt.
SECONDS_PER_ARC = 6e-8


def layer(theta: ArrayLike, instance: Instance) -> Ints:
    """Return the successor of each task, −1 where its vehicle ends.

    θ has one entry per arc: task arcs by (u, v), then origin arcs by task, then destination arcs by task. The arcs are
    those of the instance, whose order is that of time, so the kernel is called without further checks.
    """
    values = np.require(theta, np.float64, ["C", "W"])
    n, arcs = instance.tasks, len(instance.arcs[1])
    if values.shape != (arcs + 2 * n,):
        raise InputError(
            f"an array of shape {values.shape}, expected one entry for each of {arcs + 2 * n} arcs", where="theta"
        )
    if not np.isfinite(values).all():
        raise InputError("not finite", where="theta")
    look(SECONDS_PER_ARC * arcs)
    successor = np.empty(n, dtype=np.int64)
    costs = values[:arcs], values[arcs : arcs + n], values[arcs + n :]
    path_cover_into(*instance.arcs, *costs, instance.latest_first, successor, np.empty(n), np.empty(n))
    return successor


def embed(successor: Ints, instance: Instance) -> Floats:
    """Return 1 on the arcs that are used, in the order of θ."""
    return embed_cover(successor, *instance.arcs)


def safe_theta(instance: Instance) -> Floats:
    """Return θ under the safe weights, in float64: delay_cost · E[max(−slack, 0)], then vehicle_cost, then 0."""
    n = instance.tasks
    return np.concatenate([instance.delay_cost * instance.mean_delay, np.full(n, instance.vehicle_cost), np.zeros(n)])


def target(solution: Ints, instance: Instance) -> Floats:
    """Return the embedded solution, which is an answer of the layer as well."""
    return embed(checked(solution, instance), instance)


def likelihood(theta: Floats, target: Floats, instance: Instance) -> tuple[float, Floats]:
    """Return the composite likelihood of the cover against its exchanges, a surrogate, and its gradient."""
    return path_cover(*instance.arcs, theta, target)


def mixed(covers: Ints, coefficients: Floats, instance: Instance) -> Floats:
    """Return Σ_k c_k·embed(covers[k])."""
    return mixed_covers(covers, coefficients, *instance.arcs)
