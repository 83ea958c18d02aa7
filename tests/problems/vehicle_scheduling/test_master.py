"""The master of the column generation: routes that cover every task once at least cost, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.master import Master


def master_of(routes: dict[tuple[int, ...], float], tasks: int = 3) -> Master:
    master = Master(tasks)
    for route, cost in routes.items():
        assert master.add(np.array(route), cost)
    return master


def chosen(routes: list | None) -> list[list[int]]:
    assert routes is not None
    return sorted(route.tolist() for route in routes)


#: 0 → 1 and 2 alone cost 7 + 4, three vehicles 12, 0 and 1 → 2 cost 4 + 8.
ROUTES = {(0,): 4.0, (1,): 4.0, (2,): 4.0, (0, 1): 7.0, (1, 2): 8.0}


def test_relaxed_by_hand() -> None:
    """The least cover is whole, and its duals price every route: none is below 0, those chosen are 0."""
    value, duals, routes = master_of(ROUTES).relax(10.0)
    assert value == pytest.approx(11.0)
    assert chosen(routes) == [[0, 1], [2]]
    reduced = {route: cost - duals[list(route)].sum() for route, cost in ROUTES.items()}
    assert min(reduced.values()) == pytest.approx(0.0, abs=1e-9)
    assert reduced[0, 1] == reduced[(2,)] == pytest.approx(0.0, abs=1e-9)


def test_fractions_are_told_by_no_routes() -> None:
    """Three pairs of three tasks at 2 each: a half of each is 3, the least whole cover a pair and a task alone is 4."""
    pairs = {(0, 1): 2.0, (1, 2): 2.0, (0, 2): 2.0, (0,): 2.0, (1,): 2.0, (2,): 2.0}
    master = master_of(pairs)
    value, _, routes = master.relax(10.0)
    assert value == pytest.approx(3.0)
    assert routes is None
    found, bound = master.integer(master.columns(), math.inf, 10.0)
    assert found is not None
    assert bound == pytest.approx(4.0)
    assert sorted(task for route in found for task in route.tolist()) == [0, 1, 2]


def test_a_route_is_added_once_and_improves_the_next_relaxation() -> None:
    master = master_of(ROUTES)
    master.relax(10.0)
    assert not master.add(np.array([0, 1]), 1.0)
    assert master.relax(10.0)[0] == pytest.approx(11.0)
    assert master.add(np.array([0, 1, 2]), 9.0)
    value, _, routes = master.relax(10.0)
    assert value == pytest.approx(9.0)
    assert chosen(routes) == [[0, 1, 2]]


def test_columns_are_the_routes_in_the_order_they_came() -> None:
    costs, indptr, tasks = master_of(ROUTES).columns()
    assert costs.tolist() == [4.0, 4.0, 4.0, 7.0, 8.0]
    assert indptr.tolist() == [0, 1, 2, 3, 5, 7]
    assert tasks.tolist() == [0, 1, 2, 0, 1, 1, 2]


def test_integer_over_other_columns_and_where_there_is_no_cover() -> None:
    """The columns given are all there is: nothing there, or a task on no route, is no solution and no bound."""
    master = master_of(ROUTES)
    columns = np.array([8.0, 4.0]), np.array([0, 2, 3]), np.array([1, 2, 0], dtype=np.int32)
    routes, bound = master.integer(columns, math.inf, 10.0)
    assert chosen(routes) == [[0], [1, 2]]
    assert bound == pytest.approx(12.0)
    nothing = np.empty(0), np.array([0]), np.empty(0, dtype=np.int32)
    assert master.integer(nothing, math.inf, 10.0) == (None, math.inf)
    short = np.array([8.0]), np.array([0, 2]), np.array([1, 2], dtype=np.int32)
    assert master.integer(short, math.inf, 10.0) == (None, math.inf)


def test_out_of_time_there_is_no_value() -> None:
    """Five thousand routes are more than HiGHS solves before it first looks at the clock."""
    rng = np.random.default_rng(0)
    master = Master(200)
    for _ in range(5000):
        master.add(np.sort(rng.choice(200, size=6, replace=False)), float(rng.random()))
    for task in range(200):
        master.add(np.array([task]), 1.0)
    value, _, routes = master.relax(0.0)
    assert (value, routes) == (math.inf, None)
    assert math.isfinite(master.relax(60.0)[0])
