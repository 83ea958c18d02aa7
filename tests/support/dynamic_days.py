"""Days of dynamic vehicle scheduling for tests: tiny ones, a plain loop that plays them, brute force."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from colayer.problems.dynamic_vehicle_scheduling import City, Day, DynamicVehicleScheduling, State
from colayer.problems.dynamic_vehicle_scheduling.state import Decision, violation

PROBLEM = DynamicVehicleScheduling()


def play(day: Day, decide: Callable[[State], Any], problem: DynamicVehicleScheduling = PROBLEM) -> float:
    """The total cost of a policy."""
    state: State | None = problem.start(day)
    total = 0.0
    while state is not None:
        cost, state = problem.step(state, decide(state))
        total += cost
    return total


def states(day: Day, rule: str = "prize") -> Iterator[State]:
    """The states that a rule visits."""
    state: State | None = PROBLEM.start(day)
    while state is not None:
        yield state
        _, state = PROBLEM.step(state, PROBLEM.baseline(rule, state))


def small(seed: int, per_epoch: int = 3) -> Day:
    """A day of a few requests in an hour."""
    return PROBLEM.generate(seed, customers=12, clusters=2, per_epoch=per_epoch)


def decisions(state: State) -> Iterator[Decision]:
    """All feasible decisions."""
    requests = [int(r) for r in state.open]
    for count in range(len(requests) + 1):
        for chosen in itertools.combinations(requests, count):
            for routes in partitions(sorted(chosen, key=lambda r: (state.day.start[r], r))):
                if violation(routes, state) is None:
                    yield routes


def partitions(items: list[int]) -> Iterator[Decision]:
    """All ways to put items, in their order, on routes."""
    if not items:
        yield ()
        return
    *rest, last = items
    for routes in partitions(rest):
        yield (*routes, (last,))
        for k, route in enumerate(routes):
            yield (*routes[:k], (*route, last), *routes[k + 1 :])


def best_cost(state: State | None) -> float:
    """The least cost of the rest of the day, by brute force over all decisions."""
    if state is None:
        return 0.0
    costs = []
    for decision in decisions(state):
        cost, after = PROBLEM.step(state, decision)
        costs.append(cost + best_cost(after))
    return min(costs)


def line_city(minutes: list[float], close: float = 5 * 3600.0) -> City:
    """Customers on a line, so many minutes from the depot; visits of one minute, due by `close` − 30 minutes."""
    x = 60.0 * np.array([0.0, *minutes])
    n = len(minutes)
    return City(np.abs(x[:, None] - x), np.tile([close - 3600.0, close], (n, 1)), np.full(n, 60.0))


def line_day(epoch: list[int], location: list[int], start: list[float]) -> Day:
    """A day on the line: customers at −20, −10, 10 and 20 minutes, four epochs."""
    city = line_city([-20.0, -10.0, 10.0, 20.0])
    return Day(city, np.array(epoch), np.array(location), 3600.0 * np.array(start), np.full(len(epoch), 60.0))
