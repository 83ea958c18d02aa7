"""How arcs relate: through the tasks at their ends."""

from __future__ import annotations

import numpy as np

from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.structure import Graph


def structure(instance: Instance) -> Graph:
    """Rows are arcs between tasks; those of origin and destination come from, or go to, one more node, the depot."""
    indptr, heads = instance.arcs
    n = instance.tasks
    tasks, depot = np.arange(n), np.full(n, n)
    tail = np.concatenate([np.repeat(tasks, np.diff(indptr)), depot, tasks])
    return Graph(n + 1, tail, np.concatenate([heads, tasks, depot]), directed=True)
