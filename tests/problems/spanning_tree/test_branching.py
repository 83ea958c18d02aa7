"""Branch and bound on the relaxation: optimal against brute force, valid bounds wherever it ends."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from colayer.problems.spanning_tree import branching
from colayer.problems.spanning_tree.branching import branch_and_bound
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.rounding import approximation
from support.plain_trees import brute_force, least_cost, signed


def gap_instance() -> Instance:
    """Whose relaxation leaves a gap: found by looking at seeds."""
    for seed in itertools.count():
        instance = generate(seed, width=6, scenarios=8, second_max=15)
        if lagrangian(instance, tolerance=0.0).gap > 0:
            return instance
    raise AssertionError


@pytest.mark.parametrize("signs", [(-9, 0), (-9, 6), (0, 9)])
def test_branch_and_bound_equals_brute_force(signs: tuple[int, int]) -> None:
    for seed in range(12):
        instance = signed(seed, *signs)
        solution, bound = branch_and_bound(instance)
        assert bound == cost(solution, instance) == brute_force(instance) == pytest.approx(least_cost(instance))


@pytest.mark.parametrize("width", [4, 5, 6])
def test_the_optimum_on_grids_is_that_of_a_program(width: int) -> None:
    """Lagrangian bound ≤ optimum ≤ heuristic ≤ safe pipeline."""
    for second_max in (10, 20):
        instance = generate(100 + second_max, width=width, scenarios=6, second_max=second_max)
        optimum = branch_and_bound(instance)[1]
        found = lagrangian(instance, tolerance=0.0)
        assert optimum == pytest.approx(least_cost(instance))
        assert found.bound <= optimum <= found.cost <= cost(approximation(instance), instance)


def test_branching_closes_the_gap_that_the_relaxation_leaves() -> None:
    instance = gap_instance()
    solution, bound = branch_and_bound(instance)
    assert bound == cost(solution, instance) == pytest.approx(least_cost(instance))
    assert bound > lagrangian(instance, tolerance=0.0).bound
    # a gap that is good enough ends the search after the first relaxation
    calls: list[float] = []
    _, loose = branch_and_bound(instance, progress=lambda low, high: calls.append(low), tolerance=0.05)
    assert loose < bound
    assert calls == sorted(calls)


def test_branching_bounds_stay_valid_where_costs_are_not_whole() -> None:
    rng = np.random.default_rng(8)
    for _ in range(8):
        n = 5
        edges = [(k - 1, k) for k in range(1, n)] + [(0, 2), (1, 3), (2, 4), (0, 4)]
        instance = Instance(n, edges, rng.normal(size=8), rng.normal(size=(3, 8)))
        solution, bound = branch_and_bound(instance)
        optimum = brute_force(instance)
        assert bound <= optimum
        assert bound == pytest.approx(optimum, rel=1e-8)
        assert cost(solution, instance) == pytest.approx(optimum, rel=1e-8)


def test_branching_out_of_time_has_a_finite_bound() -> None:
    instance = generate(3, width=8, scenarios=10)
    solution, bound = branch_and_bound(instance, time_limit=0.0)
    assert np.isfinite(bound)
    assert bound <= branch_and_bound(instance)[1] <= cost(solution, instance)


def test_no_memory_for_prices_ends_the_search_with_a_valid_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = gap_instance()
    optimum = branch_and_bound(instance)[1]
    monkeypatch.setattr(branching, "MEMORY", 1)
    solution, bound = branch_and_bound(instance)
    assert bound < optimum <= cost(solution, instance)


def test_a_start_is_never_lost() -> None:
    instance = gap_instance()
    best = branch_and_bound(instance)[0]
    again, _ = branch_and_bound(instance, time_limit=0.0, start=best)
    assert cost(again, instance) == cost(best, instance)
