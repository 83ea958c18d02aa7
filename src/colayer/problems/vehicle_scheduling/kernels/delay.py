"""Delays along routes: τ(v_1) = ξ_end[v_1]; delay(v) = max(τ(u) + ξ_travel[u, v] − ξ_begin[v], 0); τ = ξ_end + delay.

All scenarios move along a route together: the state is one vector of S delays, and each step is a loop over
contiguous arrays. Sums run over the scenarios first by position (along the route), then by index, then over the routes
by first task, so that a cost is a function of the solution alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner, njit
from colayer.problems.vehicle_scheduling.kernels.travel import Times, cross_district, nominal_travel


@inner(cache=True, nogil=True)
def step_into(times: Times, u: int, v: int, late: Floats, out: Floats) -> None:
    """Compute out[s], the delay of v in scenario s if its vehicle comes from u, where it was late by late[s]; O(S).

    `out` may be `late`. Each form has its own fused loop.
    """
    end = times.end[u]
    begin = times.begin[v]
    if times.explicit:
        travel = times.table[u, v]
        for s in range(len(out)):
            delay = end[s] + late[s] + travel[s] - begin[s]
            out[s] = delay if delay > 0.0 else 0.0
    else:
        nominal = nominal_travel(times, u, v)
        leave = times.leave[u]
        district = times.district[times.zone[v]]
        for s in range(len(out)):
            delay = end[s] + late[s] + (cross_district(district, s, leave[s] + nominal) - end[s]) - begin[s]
            out[s] = delay if delay > 0.0 else 0.0


@njit(cache=True, nogil=True)
def route_total(times: Times, route: Ints) -> float:
    """Return Σ_ω Σ_v delay(v) of the tasks of a route, in order; O(length · S). Divide by S for the mean."""
    scenarios = times.begin.shape[1]
    late = np.zeros(scenarios)
    totals = np.zeros(scenarios)
    for k in range(1, len(route)):
        step_into(times, route[k - 1], route[k], late, late)
        for s in range(scenarios):
            totals[s] += late[s]
    total = 0.0
    for s in range(scenarios):
        total += totals[s]
    return total


def first_tasks(successor: Ints) -> NDArray[np.bool_]:
    """Return whether each task is the first of its route."""
    first = np.ones(len(successor), np.bool_)
    first[successor[successor >= 0]] = False
    return first


@njit(cache=True, nogil=True)
def solution_cost(times: Times, successor: Ints, vehicle_cost: float, delay_cost: float) -> float:
    """Return vehicle_cost · routes + delay_cost · mean over ω of Σ_v delay(v); O(n · S).

    `successor[u]` is the task after u, −1 where the vehicle ends.
    """
    scenarios = times.begin.shape[1]
    first = np.empty(len(successor), np.bool_)
    for u in range(len(successor)):
        first[u] = True
    for u in range(len(successor)):
        if successor[u] >= 0:
            first[successor[u]] = False
    late = np.empty(scenarios)
    totals = np.empty(scenarios)
    vehicles = 0
    delay = 0.0
    for task in range(len(successor)):
        if not first[task]:
            continue
        vehicles += 1
        for s in range(scenarios):
            late[s] = 0.0
            totals[s] = 0.0
        u = task
        while successor[u] >= 0:
            step_into(times, u, successor[u], late, late)
            for s in range(scenarios):
                totals[s] += late[s]
            u = successor[u]
        total = 0.0
        for s in range(scenarios):
            total += totals[s]
        delay += total
    return float(vehicle_cost * vehicles + delay_cost * (delay / scenarios))


def solution_delays(times: Times, successor: Ints) -> Floats:
    """Return the delay of each task (rows, by index) in each scenario (columns) under a solution; O(n · S)."""
    delays: Floats = np.zeros(times.begin.shape)
    _delays_into(times, successor, first_tasks(successor), delays)
    return delays


@njit(cache=True, nogil=True)
def _delays_into(times: Times, successor: Ints, first: NDArray[np.bool_], delays: Floats) -> None:
    """Compute the delays of all tasks, 0 on entry, along the routes of these first tasks."""
    for task in range(len(successor)):
        if first[task]:
            u = task
            while successor[u] >= 0:
                step_into(times, u, successor[u], delays[u], delays[successor[u]])
                u = successor[u]
