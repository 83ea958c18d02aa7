"""The knapsack against enumeration, against HiGHS, and at its boundaries."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from colayer.errors import InputError
from colayer.layers import Knapsack
from colayer.layers import knapsack as module
from colayer.layers.knapsack import knapsack
from support.errors import rejects


def by_enumeration(theta: np.ndarray, weights: np.ndarray, capacity: int) -> np.ndarray:
    """The best set of items of negative θ; of equal ones the first with the smallest indices."""
    best = None
    for choice in product((1.0, 0.0), repeat=len(theta)):
        y = np.array(choice)
        if weights @ y <= capacity and not (y * (theta >= 0.0)).any() and (best is None or theta @ y < theta @ best):
            best = y
    return best


def test_is_the_best_of_all_sets_with_ties_by_index() -> None:
    """Whole θ, so that sums of equal value are equal: the very set is compared."""
    rng = np.random.default_rng(0)
    for _ in range(1500):
        n = int(rng.integers(1, 7))
        weights, capacity = rng.integers(0, 8, n), int(rng.integers(0, 20))
        theta = rng.integers(-4, 2, n).astype(float)
        assert Knapsack(weights, capacity)(theta).tolist() == by_enumeration(theta, weights, capacity).tolist()


def test_is_the_best_of_all_sets_for_any_costs() -> None:
    rng = np.random.default_rng(1)
    for _ in range(2000):
        n = int(rng.integers(1, 8))
        weights, capacity = rng.integers(0, 30, n), int(rng.integers(0, 70))
        theta = rng.normal(size=n) - 0.5
        y = Knapsack(weights, capacity)(theta)
        assert weights @ y <= capacity
        assert theta @ y == pytest.approx(theta @ by_enumeration(theta, weights, capacity))


@pytest.mark.parametrize("kind", ["uncorrelated", "correlated", "even weights"])
def test_agrees_with_highs(kind: str) -> None:
    """Value near to weight is what leaves many items in doubt, so that the dynamic program has work to do."""
    rng = np.random.default_rng(2)
    for _ in range(15):
        n = int(rng.integers(20, 60))
        weights = rng.integers(1, 100, n) * (2 if kind == "even weights" else 1)
        value = weights + rng.integers(1, 12, n) if kind == "correlated" else rng.integers(1, 100, n)
        capacity = int(weights.sum() // 3)
        rows = LinearConstraint(weights[None, :], ub=capacity)
        theirs = milp(-value, integrality=1, bounds=Bounds(0, 1), constraints=rows, options={"mip_rel_gap": 0.0})
        chosen = knapsack(-value, weights, capacity)
        assert weights[chosen].sum() <= capacity
        assert value[chosen].sum() == round(-theirs.fun)


def test_small_cases() -> None:
    assert knapsack([-1.0], [1], 0).tolist() == []
    assert knapsack([-1.0, -2.0], [0, 1], 0).tolist() == [0]  # no weight, no capacity needed
    assert knapsack([-1.0, 0.0, 1.0], [1, 1, 1], 9).tolist() == [0]  # what does not pay stays out
    assert knapsack([-1.0, -1.0, -1.0], [2, 2, 2], 4).tolist() == [0, 1]
    assert knapsack([], [], 3).tolist() == []
    assert knapsack([-5.0, -1.0], [10, 1], 9).tolist() == [1]  # too heavy alone
    assert Knapsack([1.0, 2.0], 2.0)([-1.0, -3.0]).tolist() == [0.0, 1.0]  # whole numbers of any type


def test_a_capacity_in_units_no_item_has() -> None:
    """Weights of common divisor 10 and room for 25: as with room for 20."""
    theta = [-3.0, -4.0, -5.0]
    assert knapsack(theta, [10, 10, 20], 25).tolist() == knapsack(theta, [1, 1, 2], 2).tolist() == [0, 1]


def test_a_capacity_beyond_64_bits_holds_everything() -> None:
    assert Knapsack([1, 2], 2**80)([-1.0, -1.0]).tolist() == [1.0, 1.0]
    assert Knapsack([1, 2], 2.0)([-1.0, -3.0]).tolist() == [0.0, 1.0]


def test_refuses_what_no_table_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CELLS", 100)
    with rejects(InputError, where="capacity"):
        knapsack(-(np.arange(40.0) + 100), np.arange(40) + 100, 2000)


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: Knapsack([1.5], 2), "weights[0]"),
        (lambda: Knapsack([1, -1], 2), "weights[1]"),
        (lambda: Knapsack([np.nan], 2), "weights[0]"),
        (lambda: Knapsack([[1]], 2), "weights"),
        (lambda: Knapsack([1, 2**80], 2), "weights[1]"),
        (lambda: Knapsack(["1"], 2), "weights[0]"),
        (lambda: Knapsack([1], np.inf), "capacity"),
        (lambda: Knapsack([1], -1), "capacity"),
        (lambda: Knapsack([1], 1.5), "capacity"),
        (lambda: Knapsack([1, 2], 2)([1.0]), "theta"),
        (lambda: Knapsack([1], 2)([np.nan]), "theta[0]"),
    ],
)
def test_names_what_is_wrong(call, where: str) -> None:
    with rejects(InputError, where=where):
        call()
