"""Days of dynamic routing for tests: a line that is costed by hand, tiny days, plain loops and brute force."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from colayer.problems.dynamic_routing import DynamicRouting, RoutingCity, RoutingDay, RoutingState
from colayer.problems.dynamic_routing.kernels.tour import (
    ARC,
    FIRST,
    LATE,
    LEAVE,
    LENGTH,
    LOAD,
    NEXT,
    PREVIOUS,
    READY,
    ROW,
)
from colayer.problems.dynamic_routing.search import RouteSearch

MINUTE, HOUR = 60, 3600
#: Small budgets: the days are tiny.
PROBLEM = DynamicRouting(iterations=200, futures=2, future_iterations=50)


def line_city(capacity: int = 3) -> RoutingCity:
    """Customers at −20, −10, 10 and 20 minutes of a line; windows open at 1:00 to 4:00, the depot closes at 6:00."""
    at = MINUTE * np.array([0, -20, -10, 10, 20])
    windows = [[0, 6 * HOUR], [HOUR, 3 * HOUR], [2 * HOUR, 4 * HOUR], [3 * HOUR, 5 * HOUR], [4 * HOUR, 5 * HOUR]]
    points = np.column_stack([at, np.zeros(5)])
    return RoutingCity(np.abs(at[:, None] - at), windows, [0, 1, 1, 2, 2], [0, 60, 60, 60, 60], capacity, points)


def line_day(requests: Sequence[tuple[int, int, int, int, int]], capacity: int = 3) -> RoutingDay:
    """A day of the line: epoch, place, opening, closing (minutes) and demand of each request; a minute of service."""
    columns = np.array(requests).T
    service = np.full(len(requests), 60)
    return RoutingDay(line_city(capacity), *columns[:2], *(MINUTE * columns[2:4]), columns[4], service, per_epoch=2)


def small(seed: int, per_epoch: int = 3) -> RoutingDay:
    """A day of a few requests in an hour."""
    return PROBLEM.generate(seed, customers=12, clusters=2, per_epoch=per_epoch)


def play(day: RoutingDay, decide: Callable[[RoutingState], Any], problem: DynamicRouting = PROBLEM) -> float:
    """The total cost of a policy."""
    total, state = 0.0, problem.start(day)
    while state is not None:
        cost, state = problem.step(state, decide(state))
        total += cost
    return total


def states(day: RoutingDay, rule: str = "prize") -> Iterator[RoutingState]:
    """The states that a rule visits."""
    state: RoutingState | None = PROBLEM.start(day)
    while state is not None:
        yield state
        _, state = PROBLEM.step(state, PROBLEM.baseline(rule, state))


def schedule(city: RoutingCity, requests: Any, route: Sequence[int], leave: int) -> int | None:
    """The driving time of a route, or None if it is late or too heavy: a plain loop."""
    time, place, drives, load = leave, 0, 0, 0
    for i in route:
        _, here, opening, closing, demand, service = (int(value) for value in requests[i])
        time = max(time + int(city.travel[place, here]), opening)
        drives += int(city.travel[place, here])
        load += demand
        if time > closing:
            return None
        time, place = time + service, here
    drives += int(city.travel[place, 0])
    return None if time + city.travel[place, 0] > city.closing or load > city.capacity else drives


def least_value(city: RoutingCity, requests: Any, prizes: Any, required: Any) -> float:
    """The least driving time and prizes of what is left out, over all sets of routes: for a handful of requests."""
    everyone = range(len(requests))
    routes = {}
    for count in range(1, len(requests) + 1):
        for chosen in itertools.combinations(everyone, count):
            leave = max(int(requests[i, 0]) for i in chosen)
            found = [schedule(city, requests, order, leave) for order in itertools.permutations(chosen)]
            routes[chosen] = min((drives for drives in found if drives is not None), default=None)

    def best(left: tuple[int, ...]) -> float:
        if not left:
            return 0.0
        first, rest = left[0], left[1:]
        options = [] if required[first] else [float(prizes[first]) + best(rest)]
        for count in range(len(rest) + 1):
            for others in itertools.combinations(rest, count):
                drives = routes[(first, *others)]
                if drives is not None:
                    options.append(drives + best(tuple(i for i in rest if i not in others)))
        return min(options)

    return best(tuple(everyone))


def rows_of(tour: Any, route: Any) -> dict[int, list[int]]:
    """The requests of each route of a tour, in their order."""
    rows = {}
    for r in np.flatnonzero(route[:, LENGTH]).tolist():
        rows[r] = [int(route[r, FIRST])]
        while len(rows[r]) < route[r, LENGTH]:
            rows[r].append(int(tour[rows[r][-1], NEXT]))
    return rows


def check_tour(search: RouteSearch, tour: Any, route: Any) -> None:
    """Compare the books of a tour with plain sums along its routes."""
    requests, times, depot = search.requests, search.city.travel, len(search.requests)
    for r, own in rows_of(tour, route).items():
        assert tour[own[-1], NEXT] == depot
        assert [int(i) for i in tour[own, PREVIOUS]] == [depot, *own[:-1]]
        assert (tour[own, ROW] == r).all()
        assert route[r, LOAD] == requests[own, 4].sum()
        assert route[r, LEAVE] == requests[own, 0].max()
        ready, here = int(route[r, LEAVE]), 0
        for i in own:
            ready = max(ready + int(times[here, requests[i, 1]]), int(requests[i, 2])) + int(requests[i, 5])
            here = int(requests[i, 1])
            assert tour[i, READY] == ready
        late, there = search.city.closing, 0
        for i in reversed(own):
            arc = int(times[requests[i, 1], there])
            late, there = min(int(requests[i, 3]), late - arc - int(requests[i, 5])), int(requests[i, 1])
            assert (tour[i, ARC], tour[i, LATE]) == (arc, late)
