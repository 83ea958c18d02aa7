"""Vehicle scheduling in plain Python: the definitions, one scenario and one arc at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np

from colayer.problems.vehicle_scheduling.instance import Instance


def hour(minute: float) -> int:
    return min(max(math.floor(minute / 60), 0), 23)


def trip(city, s: int, leaves: float, duration: float, origin, destination) -> float:  # type: ignore[no-untyped-def]
    """When a trip that leaves at ξ1 arrives."""

    def district(point, minute):  # type: ignore[no-untyped-def]
        x, y = (min(int(c / city.district_width), city.districts - 1) for c in point)
        return city.district_delay[s, hour(minute), x, y]

    second = leaves + district(origin, leaves)
    third = second + duration + city.inter_delay[s, hour(second)]
    return float(third + district(destination, third))


def nominal(x: Instance, u: int, v: int) -> float:
    """NaN where there is no arc."""
    if x.city is None:
        return float(x.travel[u, v])
    return math.dist(x.city.finish[u], x.city.start[v])


def travel(x: Instance, s: int, u: int, v: int) -> float:
    if x.city is None:
        return float(x.scenario_travel[s, u, v])
    leaves = float(x.scenario_end[s, u])
    return trip(x.city, s, leaves, nominal(x, u, v), x.city.finish[u], x.city.start[v]) - leaves


def slack(x: Instance, s: int, u: int, v: int) -> float:
    return float(x.scenario_begin[s, v] - (x.scenario_end[s, u] + travel(x, s, u, v)))


def arcs(x: Instance) -> list[tuple[int, int]]:
    tasks = range(x.tasks)
    return [(u, v) for u in tasks for v in tasks if x.begin[v] >= x.end[u] + nominal(x, u, v)]


def routes(successor) -> list[list[int]]:  # type: ignore[no-untyped-def]
    followers = {int(v) for v in successor if v >= 0}
    found = []
    for task in range(len(successor)):
        if task not in followers:
            route = [task]
            while successor[route[-1]] >= 0:
                route.append(int(successor[route[-1]]))
            found.append(route)
    return found


def delays(x: Instance, route: list[int], s: int) -> list[float]:
    """delay(v) = max(τ(u) + ξ_travel − ξ_begin[v], 0), τ(v) = ξ_end[v] + delay(v); the first task is never late."""
    found = [0.0]
    for u, v in itertools.pairwise(route):
        leaves = x.scenario_end[s, u] + found[-1]
        found.append(max(float(leaves + travel(x, s, u, v) - x.scenario_begin[s, v]), 0.0))
    return found


def cost(x: Instance, successor) -> float:  # type: ignore[no-untyped-def]
    total = 0.0
    for route in routes(successor):
        late = sum(sum(delays(x, route, s)) for s in range(x.scenarios)) / x.scenarios
        total += x.vehicle_cost + x.delay_cost * late
    return total


def explicit(x: Instance) -> Instance:
    """The same instance with travel tables in place of the city."""
    n = x.tasks
    nan = math.nan
    there = set(arcs(x))
    table = [[nominal(x, u, v) if (u, v) in there else nan for v in range(n)] for u in range(n)]
    scenario = [
        [[travel(x, s, u, v) if (u, v) in there else nan for v in range(n)] for u in range(n)]
        for s in range(x.scenarios)
    ]
    return Instance(
        x.vehicle_cost, x.delay_cost, x.begin, x.end, x.scenario_begin, x.scenario_end, np.array(table),
        np.array(scenario),
    )  # fmt: skip


def permuted(x: Instance, order) -> Instance:  # type: ignore[no-untyped-def]
    """Task k of the new instance is task order[k] of the old one."""
    from colayer.problems.vehicle_scheduling.city import City

    c = x.city
    city = City(c.width, c.district_width, c.start[order], c.finish[order], c.district_delay, c.inter_delay)
    scenarios = x.scenario_begin[:, order], x.scenario_end[:, order]
    return Instance(x.vehicle_cost, x.delay_cost, x.begin[order], x.end[order], *scenarios, city=city)


def random_solution(x: Instance, seed: int) -> np.ndarray:
    """Each task, in order of its begin, followed by a random task that is still free, or by none."""
    rng = np.random.default_rng(seed)
    successor = np.full(x.tasks, -1, dtype=np.int64)
    free = set(range(x.tasks))
    heads: dict[int, list[int]] = {u: [] for u in range(x.tasks)}
    for u, v in arcs(x):
        heads[u].append(v)
    for u in range(x.tasks):
        choice = [v for v in heads[u] if v in free]
        if choice and rng.random() < 0.9:
            successor[u] = rng.choice(choice[:5])
            free.remove(int(successor[u]))
    return successor
