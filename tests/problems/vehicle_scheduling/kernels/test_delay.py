"""Delays along routes and solutions: by hand, and against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.kernels.delay import first_tasks, route_total, solution_cost, solution_delays
from colayer.problems.vehicle_scheduling.solution import routes_of
from support import plain_vehicles as plain
from support.plain_vehicles import by_hand


def test_by_hand_is_the_recursion() -> None:
    """Scenario 1: delay(1) = 40 + 6 − 22 = 24, τ(1) = 42 + 24 = 66, delay(2) = 66 + 7 − 50 = 23."""
    x = by_hand()
    assert route_total(x.times, np.array([0, 1, 2])) == 47
    assert solution_delays(x.times, np.array([1, 2, -1])).tolist() == [[0, 0], [0, 24], [0, 23]]
    assert solution_cost(x.times, np.array([1, 2, -1]), 1000.0, 2.0) == 1000 + 47
    assert first_tasks(np.array([2, -1, -1])).tolist() == [True, True, False]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", ["city", "explicit"])
def test_delays_against_the_recursion(seed: int, form: str) -> None:
    x = generate(seed, tasks=30, scenarios=5 + seed)
    x = plain.explicit(x) if form == "explicit" else x
    for k in range(5):
        successor = plain.random_solution(x, k)
        late = solution_delays(x.times, successor)
        for route in routes_of(successor):
            total = 0.0
            for s in range(x.scenarios):
                expected = plain.delays(x, route, s)
                assert np.allclose(late[route, s], expected, rtol=1e-9, atol=1e-9)
                total += sum(expected)
            assert np.isclose(route_total(x.times, np.array(route)), total, rtol=1e-9, atol=1e-9)
