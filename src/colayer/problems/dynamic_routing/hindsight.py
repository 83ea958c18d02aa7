"""Hindsight: routes over all requests of a day, each with its release time."""

from __future__ import annotations

import numpy as np

from colayer.problems.dynamic_routing.city import REQUESTS
from colayer.problems.dynamic_routing.instance import RoutingDay
from colayer.problems.dynamic_routing.kernels.routes import HOUR, RELEASE
from colayer.problems.dynamic_routing.search import Budget, collect
from colayer.problems.dynamic_routing.state import RoutingState, start, step
from colayer.problems.dynamic_vehicle_scheduling.state import Decision


def hindsight(day: RoutingDay, state: RoutingState | None, budget: Budget) -> list[Decision]:
    """Return good decisions for a day, or for the rest of it, knowing all of its requests.

    A route leaves when its last request is known. Where driving times break the triangle inequality, a request that
    must go earlier may be on it: then it goes alone.
    """
    here = start(day) if state is None else state
    known = np.concatenate([here.open, np.flatnonzero(day.epoch > here.epoch)])
    columns = [getattr(day, field)[known] for field in REQUESTS]
    columns[0] = HOUR * (np.maximum(columns[0], here.epoch) + 1)
    requests = np.ascontiguousarray(np.stack(columns, axis=1))
    required = np.ones(len(known), dtype=np.bool_)
    routes = collect(day.city, requests, np.zeros(len(known)), required, here.leave, budget)
    plans = [(int(requests[route, RELEASE].max()), [int(known[i]) for i in route]) for route in routes]
    decisions = []
    after: RoutingState | None = here
    while after is not None:
        due = [route for leave, route in plans if leave == after.leave]
        gone = {request for route in due for request in route}
        alone = {int(request) for request in after.open[after.must]} - gone
        plans = [(leave, [r for r in route if r not in alone]) for leave, route in plans if leave != after.leave]
        decision = tuple(tuple(route) for route in [*due, *([r] for r in sorted(alone))] if route)
        decisions.append(decision)
        _, after = step(after, decision)
    return decisions
