"""The best decisions for a day that is known: an exact path cover in which each route has an epoch.

Request v may leave in the epochs from the one it comes in, r_v, to the last one whose vehicles reach it, l_v. A route
that leaves in epoch e takes requests with r_v ≤ e ≤ l_v. Binary x_uve, o_ve, d_ue say which arcs, first and last
requests the routes of epoch e have:

    min  Σ t_uv x_uve + Σ t_0v o_ve + Σ t_u0 d_ue,   Σ_e in-arcs of (v, e) = 1,   in-arcs = out-arcs of (v, e).

Where only neighbours on a route must have an epoch in common, it is an assignment (`kernels/later.py`). If each of its
routes has an epoch, they are the best. Else the linear program, by HiGHS, is integral for most days, and HiGHS branches
where it is not.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csr_array

from colayer._runtime.arrays import Ints
from colayer.problems.dynamic_vehicle_scheduling.drawn import last_epochs
from colayer.problems.dynamic_vehicle_scheduling.instance import Day
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import arcs
from colayer.problems.dynamic_vehicle_scheduling.kernels.later import cover_into
from colayer.problems.dynamic_vehicle_scheduling.state import Decision, State, routes_of, start

_WHOLE = 1e-6  # how far a whole number may be from one


def hindsight(day: Day, state: State | None = None) -> list[Decision]:
    """Return the decisions of least cost for the rest of the day, knowing it; each route leaves as late as it can."""
    now = start(day) if state is None else state
    known = np.concatenate([now.open, np.flatnonzero(day.epoch > now.epoch)])
    epochs = day.city.epochs
    decisions: list[list[tuple[int, ...]]] = [[] for _ in range(now.epoch, epochs)]
    if len(known):
        last = last_epochs(day.city, day.epoch[known], day.location[known], day.start[known])
        release = np.maximum(day.epoch[known], now.epoch)
        for route in _relaxed(day, known, release, last) or _cover(day, known, release, last):
            leaves = int(last[route].min())
            decisions[leaves - now.epoch].append(tuple(known[route].tolist()))
    return [tuple(sorted(decision)) for decision in decisions]


def _relaxed(day: Day, known: Ints, release: Ints, last: Ints) -> list[list[int]] | None:
    """Return routes whose neighbours have an epoch in common, of least travel time; None if one has no epoch."""
    successor, duals = np.empty(len(known), dtype=np.int64), np.empty((2, len(known)))
    requests = release, day.location[known], day.start[known], day.duration[known], last
    cover_into(*requests, day.city.times, successor, *duals)
    routes = routes_of(successor)
    return routes if all(release[route].max() <= last[route].min() for route in routes) else None


def _cover(day: Day, known: Ints, release: Ints, last: Ints) -> list[list[int]]:
    """Return routes of least travel time, as positions in `known`."""
    travel, place = day.city.times, day.location[known]
    indptr, heads, times = arcs(place, day.start[known], day.duration[known], travel)
    tails = np.repeat(np.arange(len(known)), np.diff(indptr))
    n = len(known)
    costs, rows_in, rows_out = [], [], []  # of each column; −1: the depot
    pairs: list[Ints] = []  # requests that may leave, by epoch
    for epoch in range(int(release.min()), day.city.epochs):
        here = (release <= epoch) & (epoch <= last)
        number = np.cumsum(here) - 1 + sum(map(len, pairs))
        own = np.flatnonzero(here)
        both = here[tails] & here[heads]
        depot = np.full(len(own), -1)
        costs += [times[both], travel[0, place[own]], travel[place[own], 0]]
        rows_in += [number[heads[both]], number[own], depot]
        rows_out += [number[tails[both]], depot, number[own]]
        pairs.append(own)
    request = np.concatenate(pairs)
    into, out = np.concatenate(rows_in), np.concatenate(rows_out)
    columns = np.arange(len(into))
    enters, leaves = into >= 0, out >= 0
    size = len(request)
    coordinates = (
        np.concatenate([into[enters], out[leaves], size + request[into[enters]]]),
        np.concatenate([columns[enters], columns[leaves], columns[enters]]),
    )
    signs = np.concatenate([np.ones(enters.sum()), -np.ones(leaves.sum()), np.ones(enters.sum())])
    matrix = csr_array((signs, coordinates), shape=(size + n, len(columns)))
    right = np.concatenate([np.zeros(size), np.ones(n)])
    rows = LinearConstraint(matrix, right, right)
    objective, whole = np.concatenate(costs), np.ones(len(columns))
    found = milp(objective, constraints=rows)
    if found.success and np.abs(found.x - np.round(found.x)).max() > _WHOLE:
        found = milp(objective, constraints=rows, integrality=whole, options={"mip_rel_gap": 0.0})
    assert found.success, found.message  # every request alone is a solution
    used = np.flatnonzero(found.x > 0.5)
    after = {int(request[out[k]]): int(request[into[k]]) for k in used if into[k] >= 0 and out[k] >= 0}
    routes = []
    for k in used:
        if out[k] < 0:
            route = [int(request[into[k]])]
            while route[-1] in after:
                route.append(after[route[-1]])
            routes.append(route)
    return routes
