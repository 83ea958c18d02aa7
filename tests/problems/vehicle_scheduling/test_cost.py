"""Cost and bound: by hand, against plain Python, and as theory says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.cost import bound, cost, scale
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from support import plain_vehicles as plain
from support.plain_vehicles import by_hand, least_value


def test_an_instance_costed_by_hand() -> None:
    """Scenario 1: delay(1) = 40 + 6 − 22 = 24, τ(1) = 42 + 24 = 66, delay(2) = 66 + 7 − 50 = 23; 2·(24 + 23)/2 = 47."""
    x = by_hand()
    assert cost([1, 2, -1], x) == 1000 + 47
    assert cost([-1, 2, -1], x) == 2000  # task 2 is not late: 42 + 7 < 50
    assert cost([2, -1, -1], x) == 2000
    assert cost([-1, -1, -1], x) == 3000
    assert scale(x) == 3.0
    # one vehicle, and the delay of (0, 1) without what follows from it
    assert bound(x) == pytest.approx(1000 + 2 * 12, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", ["city", "explicit"])
def test_costs_against_the_recursion(seed: int, form: str) -> None:
    x = generate(seed, tasks=30, scenarios=5 + seed)
    x = plain.explicit(x) if form == "explicit" else x
    for k in range(5):
        successor = plain.random_solution(x, k)
        assert math.isclose(cost(successor, x), plain.cost(x, successor), rel_tol=1e-12)


def test_one_task_one_scenario_no_arcs() -> None:
    x = generate(0, tasks=1, scenarios=1)
    assert cost([-1], x) == 1000
    assert len(x.arcs[1]) == 0
    together = Instance(
        10, 1, [0, 0], [5, 5], [[0, 0]], [[5, 5]], np.full((2, 2), math.nan), np.full((1, 2, 2), math.nan)
    )
    assert cost([-1, -1], together) == 20


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("form", ["city", "explicit"])
def test_bound_is_at_most_the_cost_of_any_solution(seed: int, form: str) -> None:
    x = generate(seed, tasks=25, scenarios=6)
    x = plain.explicit(x) if form == "explicit" else x
    lower = bound(x)
    assert np.isclose(lower, least_value(safe_theta(x), x), rtol=1e-9)
    assert lower <= cost(layer(safe_theta(x), x), x)
    for k in range(20):
        assert lower <= cost(plain.random_solution(x, k), x)


@pytest.mark.parametrize("seed", range(10))
def test_bound_is_the_cost_where_nothing_propagates(seed: int) -> None:
    """Two tasks: a route has at most one arc, and the safe solution is optimal; no rounding above the cost."""
    x = generate(seed, tasks=2, scenarios=9)
    safe = cost(layer(safe_theta(x), x), x)
    assert bound(x) <= safe
    assert np.isclose(bound(x), safe, rtol=1e-11)


def test_bound_without_delay_is_exact() -> None:
    nan = np.nan
    x = Instance(7.1, 2, [0, 0, 9], [1, 1, 10], [[0, 0, 9]], [[1, 1, 10]], [[nan, nan, 1]] * 3, [[[0, 0, 1]] * 3])
    assert bound(x) == cost(layer(safe_theta(x), x), x) == 2 * 7.1
