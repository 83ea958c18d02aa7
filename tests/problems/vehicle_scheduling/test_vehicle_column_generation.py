"""Exact column generation: its kernels against all routes, the solver against all partitions."""

from __future__ import annotations

import itertools

import numpy as np
from support import plain_vehicles as plain
import pytest

from colayer.problems.vehicle_scheduling.cost import bound, cost
from colayer.problems.vehicle_scheduling.decoder import decode
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.labels import (
    enumerate_routes,
    longest_rest,
    new_labels,
    new_walk,
    price,
    rest_bounds,
    route_of,
)
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from colayer.problems.vehicle_scheduling.solution import checked, routes_of
from colayer.problems.vehicle_scheduling.solvers import exact


def hurried(seed: int, tasks: int, scenarios: int, vehicle_cost: float = 100.0, delay_cost: float = 2.0) -> Instance:
    """Delays of an hour and more, vehicles that cost less than being late: fewest vehicles is not optimal."""
    x = generate(seed, tasks=tasks, scenarios=scenarios)
    late = 4.0 * (x.scenario_begin - x.begin)
    ends = x.scenario_end - x.scenario_begin + x.begin + late
    return Instance(vehicle_cost, delay_cost, x.begin, x.end, x.begin + late, ends, city=x.city)


def all_routes(x: Instance) -> list[tuple[int, ...]]:
    heads: dict[int, list[int]] = {u: [] for u in range(x.tasks)}
    for u, v in plain.arcs(x):
        heads[u].append(v)
    found: list[tuple[int, ...]] = []
    stack = [(v,) for v in range(x.tasks)]
    while stack:
        route = stack.pop()
        found.append(route)
        stack += [(*route, v) for v in heads[route[-1]]]
    return found


def route_cost(x: Instance, route) -> float:
    late = sum(sum(plain.delays(x, list(route), s)) for s in range(x.scenarios)) / x.scenarios
    return x.vehicle_cost + x.delay_cost * late


def partitions(x: Instance):
    """All solutions: each task, by begin, goes behind an open route it fits or opens one."""
    arcs = set(plain.arcs(x))
    order = np.argsort(x.begin, kind="stable").tolist()

    def grow(k: int, routes: list[list[int]]):
        if k == len(order):
            yield [list(route) for route in routes]
            return
        v = order[k]
        for route in routes:
            if (route[-1], v) in arcs:
                route.append(v)
                yield from grow(k + 1, routes)
                route.pop()
        routes.append([v])
        yield from grow(k + 1, routes)
        routes.pop()

    return grow(0, [])


def least_cost(x: Instance) -> float:
    known: dict[tuple[int, ...], float] = {}

    def of(route: list[int]) -> float:
        key = tuple(route)
        if key not in known:
            known[key] = route_cost(x, route)
        return known[key]

    return min(sum(of(route) for route in routes) for routes in partitions(x))


class Pricing:
    """An instance, duals, and what the kernels need of them."""

    def __init__(self, x: Instance, duals) -> None:
        self.x, self.duals = x, duals
        self.order = np.argsort(x.begin, kind="stable")
        self.arc_costs = x.delay_cost * x.mean_delay
        self.rest = rest_bounds(self.order, *x.arcs, self.arc_costs, duals)
        self.costs = x.vehicle_cost, x.delay_cost
        self.reduced = {r: route_cost(x, r) - duals[list(r)].sum() for r in all_routes(x)}

    def price(self, width: int, size: int = 10_000):
        x = self.x
        labels, ends = new_labels(x.tasks, x.scenarios, size), np.full(x.tasks, -1)
        steps = longest_rest(self.order, *x.arcs)
        parts = itertools.pairwise([0, x.tasks // 2, x.tasks])  # in two chunks, as the clock would have it
        for low, high in parts:
            rule = *x.arcs, self.arc_costs, self.duals, self.rest, steps, *self.costs, width, labels, ends
            price(x.times, self.order, low, high, *rule)
        return labels, ends

    def enumerate(self, limit: float, budget: int, most: int = 100_000):
        x = self.x
        walk = new_walk(x.tasks, x.scenarios, most)
        rule = *x.arcs, self.arc_costs, self.duals, self.rest, *self.costs, limit, budget, walk
        calls, done = 1, enumerate_routes(x.times, *rule)
        while done == 0:
            calls, done = calls + 1, enumerate_routes(x.times, *rule)
        ends = walk.indptr[: walk.found[0] + 1].tolist()
        routes = {tuple(walk.tasks[a:b].tolist()): walk.delays[i] for i, (a, b) in enumerate(itertools.pairwise(ends))}
        return done, calls, routes


def pricings(count: int):
    rng = np.random.default_rng(7)
    for seed in range(count):
        x = hurried(seed, 13, 4)
        x = plain.explicit(x) if seed % 3 == 0 else x
        yield Pricing(x, rng.uniform(-20.0, 120.0, size=13))


def test_rest_bounds_from_below_what_continuations_cost() -> None:
    for case in pricings(4):
        for u in range(13):
            whole = [r for r in case.reduced if u in r]
            for r in whole:
                k = r.index(u)
                head = case.reduced[r[: k + 1]]
                assert case.rest[u] <= case.reduced[r] - head + 1e-9


def test_longest_rest() -> None:
    case = next(pricings(1))
    steps = longest_rest(case.order, *case.x.arcs)
    for u in range(13):
        assert steps[u] == max(len(r) for r in case.reduced if r[0] == u) - 1


def test_pricing_finds_the_best_route_to_every_last_task() -> None:
    """Dominance and bounds lose no negative route that is best for its end."""
    negative = 0
    for case in pricings(8):
        labels, ends = case.price(width=1000)
        assert labels.lost[0] == np.inf
        for v in range(13):
            least = min(value for r, value in case.reduced.items() if r[-1] == v)
            if least < -1e-9:
                negative += 1
                route = tuple(route_of(labels, ends[v]).tolist())
                assert np.isclose(labels.value[ends[v]], least, rtol=1e-9, atol=1e-9)
                assert np.isclose(case.reduced[route], least, rtol=1e-9, atol=1e-9)
            elif ends[v] >= 0:
                assert labels.value[ends[v]] >= least - 1e-9
    assert negative > 50


@pytest.mark.parametrize(("width", "size"), [(1, 10_000), (1000, 30)])
def test_pricing_without_room_says_what_may_be_lost(width: int, size: int) -> None:
    lost = 0
    for case in pricings(8):
        labels, ends = case.price(width, size)
        for v in range(13):
            least = min(value for r, value in case.reduced.items() if r[-1] == v)
            found = labels.value[ends[v]] if ends[v] >= 0 else 0.0
            assert min(found, labels.lost[0], 0.0) <= least + 1e-9
            lost += found > least + 1e-9 and least < 0
    assert lost > 0  # room was short indeed


@pytest.mark.parametrize("budget", [1, 7, 10**9])
def test_enumeration_finds_all_routes_below_the_limit_however_often_it_stops(budget: int) -> None:
    for case in pricings(4):
        limit = float(np.quantile(list(case.reduced.values()), 0.3))
        done, calls, routes = case.enumerate(limit, budget)
        assert done == 1
        assert (calls > 1) == (budget < 10**9)
        expected = {r for r, value in case.reduced.items() if value <= limit}
        assert set(routes) == expected
        for r, delay in routes.items():
            assert np.isclose(case.x.vehicle_cost + case.x.delay_cost * delay, route_cost(case.x, r))


def test_enumeration_without_room_says_so() -> None:
    case = next(pricings(1))
    assert case.enumerate(np.inf, 10**9, most=5)[0] == -1


@pytest.mark.parametrize("seed", range(12))
def test_exact_equals_brute_force(seed: int) -> None:
    """Over all partitions into routes along arcs, in both forms, with few and with many vehicles in the optimum."""
    tasks = 1 + seed % 7
    for x in (generate(seed, tasks=tasks, scenarios=3), hurried(seed, tasks, 2), hurried(seed, tasks, 4, 30.0)):
        y = plain.explicit(x) if seed % 2 else x
        solution, lower, proved = exact(y)
        assert proved
        assert np.isclose(cost(solution, y), least_cost(y), rtol=1e-9)
        assert lower <= cost(solution, y) <= lower * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_sandwich(seed: int) -> None:
    """Layer bound ≤ bound = optimum ≤ local search from the safe solution ≤ safe pipeline."""
    x = hurried(seed, 24, 8, 400.0) if seed % 2 else generate(seed, tasks=30, scenarios=10)
    solution, lower, proved = exact(x)
    assert proved
    assert np.array_equal(checked(solution, x), solution)
    safe = layer(safe_theta(x), x)
    chain = [bound(x), lower, cost(solution, x), cost(decode(safe, x, "ls"), x), cost(safe, x)]
    assert np.all(np.diff(chain) >= -1e-9 * chain[-1])
    assert np.isclose(lower, cost(solution, x), rtol=1e-9)
    assert np.isclose(cost(solution, x), plain.cost(x, solution), rtol=1e-12)


@pytest.mark.parametrize("seed", [0, 4])
def test_exact_improves_on_local_search_and_is_deterministic(seed: int) -> None:
    x = generate(seed, tasks=50, scenarios=50)
    solution, lower, proved = exact(x)
    again = exact(x)
    assert proved
    assert np.array_equal(solution, again[0])
    assert lower == again[1]
    assert cost(solution, x) < cost(decode(layer(safe_theta(x), x), x, "ls"), x) - 1.0


def test_stopped_at_once_the_bound_is_that_of_the_layer() -> None:
    x = hurried(1, 30, 6)
    solution, lower, proved = exact(x, time_limit=0.0)
    assert not proved
    assert np.isclose(lower, bound(x), rtol=1e-6)
    assert lower <= cost(exact(x)[0], x) <= cost(solution, x)


def test_a_good_start_is_never_lost() -> None:
    x = hurried(2, 30, 6)
    best = exact(x)[0]
    start = best.copy()
    solution, _, proved = exact(x, time_limit=0.0, start=start)
    assert not proved
    assert cost(solution, x) <= cost(best, x)
    assert np.array_equal(start, best)


def test_progress_closes_the_gap() -> None:
    x = hurried(3, 24, 6)
    told: list[tuple[float, float]] = []
    solution, lower, _ = exact(x, progress=lambda bound, best: told.append((bound, best)))
    bounds, costs = np.array(told).T
    assert np.all(np.diff(bounds) >= 0)
    assert np.all(np.diff(costs) <= 0)
    assert np.all(bounds <= costs)
    assert told[-1] == (lower, cost(solution, x))


def test_exact_at_the_edges() -> None:
    nan = np.nan
    one = Instance(10, 1, [0], [1], [[0]], [[1]], [[nan]], [[[0]]])
    solution, lower, proved = exact(one)
    assert (solution.tolist(), lower, proved) == ([-1], 10.0, True)
    apart = Instance(10, 1, [0, 0], [1, 1], [[0, 0]], [[1, 1]], np.full((2, 2), nan), np.zeros((1, 2, 2)))
    solution, lower, proved = exact(apart)
    assert (solution.tolist(), lower, proved) == ([-1, -1], 20.0, True)
    for vehicle_cost, delay_cost in ((0.0, 2.0), (5.0, 0.0), (0.0, 0.0)):
        x = hurried(4, 7, 1, vehicle_cost, delay_cost)
        solution, lower, proved = exact(x)
        assert proved
        assert np.isclose(cost(solution, x), least_cost(x), atol=1e-9)
        assert lower <= cost(solution, x) + 1e-12


def test_exact_by_hand() -> None:
    """Where a vehicle would be late, another one is taken as long as that costs less."""
    # 0 → 1 is on time; 1 → 2 arrives at 15 + 40 = 55 in the second scenario, 35 late, which costs 2 · 35 / 2 = 35
    travel = np.array([[np.nan, 5.0, 5.0], [np.nan, np.nan, 5.0], [np.nan] * 3])
    scenario = np.stack([np.nan_to_num(travel)] * 2)
    scenario[1, 0, 2], scenario[1, 1, 2] = 30.0, 40.0
    begin, end = np.array([0.0, 10.0, 20.0]), np.array([5.0, 15.0, 30.0])
    times = begin, end, np.stack([begin] * 2), np.stack([end] * 2), travel, scenario
    solution, lower, proved = exact(Instance(20.0, 2.0, *times))
    assert (routes_of(solution), lower, proved) == ([[0, 1], [2]], 40.0, True)
    solution, lower, proved = exact(Instance(50.0, 2.0, *times))
    assert (routes_of(solution), lower, proved) == ([[0, 1, 2]], 85.0, True)
