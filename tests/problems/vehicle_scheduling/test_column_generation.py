"""Exact column generation against all partitions into routes, and what it returns when it is stopped."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.column_generation import exact
from colayer.problems.vehicle_scheduling.cost import bound, cost
from colayer.problems.vehicle_scheduling.decoder import decode
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from colayer.problems.vehicle_scheduling.solution import checked, routes_of
from support import plain_vehicles as plain
from support.plain_vehicles import hurried, least_cost


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
