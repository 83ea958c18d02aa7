"""Solvers beside the pipeline: the plain rule of the comparison tables, and exact column generation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from colayer.problems.vehicle_scheduling.column_generation import exact
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.routes import scheduled_travel
from colayer.problems.vehicle_scheduling.layer import layer

__all__ = ["BASELINES", "exact"]


def _deterministic(instance: Instance) -> NDArray[np.int64]:
    """The layer with scheduled travel times as costs, a vehicle costing more than all travel together."""
    n = instance.tasks
    indptr, heads = instance.arcs
    travel = scheduled_travel(instance.times, indptr, heads)
    vehicle = 1.0 + n * float(travel.max(initial=0.0))
    return layer(np.concatenate([travel, np.full(n, vehicle), np.zeros(n)]), instance)


#: The plain rules by name: functions from an instance to a solution.
#:
#: deterministic: as few vehicles as the schedule allows, then least scheduled travel; delays are not looked at.
BASELINES: dict[str, Callable[[Instance], NDArray[np.int64]]] = {"deterministic": _deterministic}
