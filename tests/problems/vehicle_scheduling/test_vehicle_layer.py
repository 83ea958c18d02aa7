"""The layer and the bound: against an assignment solver, and as theory says."""

from __future__ import annotations

import numpy as np
from support import plain_vehicles as plain
import pytest
from scipy.optimize import linear_sum_assignment

from colayer.errors import InputError
from colayer.problems.vehicle_scheduling import VehicleScheduling
from colayer.problems.vehicle_scheduling.cost import bound, cost
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.layer import embed, layer, safe_theta


def least_value(theta: np.ndarray, x: Instance) -> float:
    """The least value by an assignment of 2n × 2n: task to task, task to its own end, its own start to task."""
    n, arcs = x.tasks, plain.arcs(x)
    matrix = np.full((2 * n, 2 * n), 1e9)
    for k, (u, v) in enumerate(arcs):
        matrix[u, v] = theta[k]
    for v in range(n):
        matrix[n + v, v] = theta[len(arcs) + v]
        matrix[v, n + v] = theta[len(arcs) + n + v]
    matrix[n:, n:] = 0.0
    return float(matrix[linear_sum_assignment(matrix)].sum())


@pytest.mark.parametrize("seed", range(20))
def test_layer_is_optimal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = generate(seed, tasks=int(rng.integers(1, 30)), scenarios=2)
    for theta in (
        rng.normal(size=len(x.arcs[1]) + 2 * x.tasks),
        rng.integers(-3, 3, size=len(x.arcs[1]) + 2 * x.tasks).astype(float),
        safe_theta(x),
        np.zeros(len(x.arcs[1]) + 2 * x.tasks),
    ):
        y = layer(theta, x)
        assert np.isclose(theta @ embed(y, x), least_value(theta, x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2))])
def test_layer_refuses_another_length(wrong: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"^theta: an array of shape"):
        layer(wrong, generate(0, tasks=5, scenarios=1))


def test_layer_refuses_what_is_not_finite() -> None:
    x = generate(0, tasks=5, scenarios=1)
    theta = safe_theta(x)
    theta[-1] = np.nan
    with pytest.raises(InputError, match=r"^theta: not finite"):
        layer(theta, x)


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


@pytest.mark.parametrize("which", ["23", "extended"])
def test_permuting_the_tasks_permutes_the_solution(which: str) -> None:
    """Equivariance, at weights without ties."""
    problem = VehicleScheduling(features=which)
    x = generate(8, tasks=40, scenarios=12)
    order = np.random.default_rng(1).permutation(40)
    y = plain.permuted(x, order)
    weights = problem.safe_weights + 1e-3 * np.random.default_rng(2).random(len(problem.feature_names))
    one = problem.layer(problem.features(x).astype(np.float64) @ weights, x)
    two = problem.layer(problem.features(y).astype(np.float64) @ weights, y)
    place = np.empty(41, dtype=np.int64)
    place[order], place[-1] = np.arange(40), -1
    assert np.array_equal(two, place[one[order]])
    assert np.isclose(problem.cost(two, y), problem.cost(one, x), rtol=1e-12)
