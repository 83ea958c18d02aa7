"""Vehicle scheduling in plain Python: the definitions, one scenario and one arc at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

from colayer.problems.vehicle_scheduling.generator import generate
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


def hurried(seed: int, tasks: int, scenarios: int, vehicle_cost: float = 100.0, delay_cost: float = 2.0) -> Instance:
    """Delays of an hour and more, vehicles that cost less than being late: fewest vehicles is not optimal."""
    x = generate(seed, tasks=tasks, scenarios=scenarios)
    late = 4.0 * (x.scenario_begin - x.begin)
    ends = x.scenario_end - x.scenario_begin + x.begin + late
    return Instance(vehicle_cost, delay_cost, x.begin, x.end, x.begin + late, ends, city=x.city)


def crowded(seed: int, tasks: int, scenarios: int, form: str = "city") -> Instance:
    """All tasks within five hours and long delays: routes are late from end to end."""
    x = generate(seed, tasks=3 * tasks, scenarios=scenarios)
    keep = np.arange(tasks, 2 * tasks)
    small = permuted(x, keep)
    late = 2.5 * (small.scenario_begin - small.begin) + small.begin
    ends = small.scenario_end + (late - small.scenario_begin)
    small = Instance(300.0, 2.0, small.begin, small.end, late, ends, city=small.city)
    return explicit(small) if form == "explicit" else small


def all_routes(x: Instance) -> list[tuple[int, ...]]:
    """Every path along arcs, of one task and more."""
    heads: dict[int, list[int]] = {u: [] for u in range(x.tasks)}
    for u, v in arcs(x):
        heads[u].append(v)
    found: list[tuple[int, ...]] = []
    stack = [(v,) for v in range(x.tasks)]
    while stack:
        route = stack.pop()
        found.append(route)
        stack += [(*route, v) for v in heads[route[-1]]]
    return found


def route_cost(x: Instance, route) -> float:  # type: ignore[no-untyped-def]
    """A vehicle and its expected delays."""
    late = sum(sum(delays(x, list(route), s)) for s in range(x.scenarios)) / x.scenarios
    return x.vehicle_cost + x.delay_cost * late


def partitions(x: Instance) -> Iterator[list[list[int]]]:
    """All solutions: each task, by begin, goes behind an open route it fits or opens one."""
    there = set(arcs(x))
    order = np.argsort(x.begin, kind="stable").tolist()

    def grow(k: int, routes: list[list[int]]) -> Iterator[list[list[int]]]:
        if k == len(order):
            yield [list(route) for route in routes]
            return
        v = order[k]
        for route in routes:
            if (route[-1], v) in there:
                route.append(v)
                yield from grow(k + 1, routes)
                route.pop()
        routes.append([v])
        yield from grow(k + 1, routes)
        routes.pop()

    return grow(0, [])


def least_cost(x: Instance) -> float:
    """Over all solutions."""
    known: dict[tuple[int, ...], float] = {}

    def of(route: list[int]) -> float:
        key = tuple(route)
        if key not in known:
            known[key] = route_cost(x, route)
        return known[key]

    return min(sum(of(route) for route in routes) for routes in partitions(x))


def total_delay(x: Instance, successor) -> float:  # type: ignore[no-untyped-def]
    """Σ_ω Σ_v delay(v)."""
    return sum(sum(delays(x, route, s)) for route in routes(successor) for s in range(x.scenarios))


def by_hand() -> Instance:
    """Tasks 0 → 1 → 2, travel 5 each; two scenarios: all on time, and task 0 ends 30 minutes late."""
    travel = np.array([[math.nan, 5, 5], [math.nan, math.nan, 5], [math.nan, math.nan, math.nan]])
    scenario_travel = np.array([travel, [[math.nan, 6, 8], [math.nan, math.nan, 7], [math.nan, math.nan, math.nan]]])
    return Instance(
        vehicle_cost=1000,
        delay_cost=2,
        begin=[0, 20, 50],
        end=[10, 40, 60],
        scenario_begin=[[0, 20, 50], [0, 22, 50]],
        scenario_end=[[10, 40, 60], [40, 42, 61]],
        travel=travel,
        scenario_travel=scenario_travel,
    )


def least_value(theta: np.ndarray, x: Instance) -> float:
    """The layer's least value by an assignment of 2n × 2n: task to task, task to its end, its start to task."""
    n, there = x.tasks, arcs(x)
    matrix = np.full((2 * n, 2 * n), 1e9)
    for k, (u, v) in enumerate(there):
        matrix[u, v] = theta[k]
    for v in range(n):
        matrix[n + v, v] = theta[len(there) + v]
        matrix[v, n + v] = theta[len(there) + n + v]
    matrix[n:, n:] = 0.0
    return float(matrix[linear_sum_assignment(matrix)].sum())
