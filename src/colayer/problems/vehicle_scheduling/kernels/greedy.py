"""Tasks by begin, each to the vehicle that would wait for it the longest: a solution without a list of arcs."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Ints
from colayer._runtime.compiled import njit
from colayer.problems.vehicle_scheduling.kernels.travel import Times, is_arc, nominal_travel


@njit(cache=True, nogil=True)
def greedy_into(times: Times, order: Ints, least: float, successor: Ints) -> None:
    """Fill `successor`: tasks in `order`, the last first as in the layer; O(n · vehicles), O(n) memory.

    A task goes to the vehicle with the most scheduled slack, the first of equals, or to a new one if none has `least`.
    """
    n = len(order)
    last = np.empty(n, np.int64)  # last task of each vehicle
    vehicles = 0
    for position in range(n - 1, -1, -1):
        v = order[position]
        successor[v] = -1
        most = least
        chosen = -1
        for k in range(vehicles):
            u = last[k]
            wait = times.task_begin[v] - times.task_end[u]
            if wait >= most and is_arc(times, u, v):
                slack = wait - nominal_travel(times, u, v)
                if slack > most or (chosen < 0 and slack == least):
                    most = slack
                    chosen = k
        if chosen < 0:
            last[vehicles] = v
            vehicles += 1
        else:
            successor[last[chosen]] = v
            last[chosen] = v
