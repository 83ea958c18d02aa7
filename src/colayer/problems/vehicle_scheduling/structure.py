"""How arcs relate: through the tasks at their ends and, in a solution, through propagated delays."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Ints
from colayer.problem.structure import Graph
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.layer import embed
from colayer.problems.vehicle_scheduling.reference import arcs_of


def structure(instance: Instance, y: Ints | None = None) -> Graph:
    """Return the graph whose rows are arcs between tasks; origin and destination arcs use one more node, the depot.

    Given a solution y, the θ offsets of an arc are costs: its expected delay, the same once its tail is as late as in
    y, with its consequences, the lateness of the tail, and a minute of delay if y uses the arc.
    """
    indptr, heads = instance.arcs
    n, counts = instance.tasks, np.diff(indptr)
    tasks, depot = np.arange(n), np.full(n, n)
    tail = np.concatenate([np.repeat(tasks, counts), depot, tasks])
    head = np.concatenate([heads, tasks, depot])
    if y is None:
        return Graph(n + 1, tail, head, directed=True)
    late, delays, chained, _ = arcs_of(y, instance)
    offsets = np.zeros((len(tail), 5))
    rows = offsets[: len(heads)]
    for k, values in enumerate((instance.mean_delay, delays, chained, np.repeat(late.mean(axis=1), counts))):
        rows[:, k] = instance.delay_cost * values
    offsets[:, 4] = instance.delay_cost * embed(y, instance)
    return Graph(n + 1, tail, head, True, offsets)
