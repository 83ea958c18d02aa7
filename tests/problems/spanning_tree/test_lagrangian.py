"""The Lagrangian bound and heuristic: bounds against brute force, what ends it, determinism."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.spanning_tree.cost import bound, cost
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.lagrangian import lagrangian, relative_gap
from colayer.problems.spanning_tree.rounding import approximation
from support.plain_trees import brute_force, small


@pytest.mark.parametrize("kind", ["whole", "positive", "real"])
def test_bound_and_cost_enclose_the_optimum(kind: str) -> None:
    """Sandwich: cheap bound ≤ Lagrangian bound ≤ optimum ≤ heuristic ≤ safe pipeline, on graphs of up to 10 edges."""
    met = 0
    for seed in range(40):
        instance = small(seed, kind)
        optimum = brute_force(instance)
        found = lagrangian(instance, tolerance=0.0)
        slack = 0.0 if instance.integral else 1e-9
        assert bound(instance) <= found.bound + slack
        assert found.bound <= optimum
        assert optimum <= found.cost + slack
        assert found.cost <= cost(approximation(instance), instance)
        assert found.cost == cost(found.solution, instance)
        met += found.cost <= optimum + slack
    assert met >= 38  # the heuristic is almost always optimal


@pytest.mark.parametrize("kind", ["whole", "real"])
def test_one_scenario_is_solved_at_once(kind: str) -> None:
    """The relaxation has nothing to relax: the optimum is the minimum spanning tree for min(c, d)."""
    rng = np.random.default_rng(4)
    edges = generate(0, width=8).edges
    m = len(edges)
    draw = (lambda size: rng.integers(-30, 30, size=size)) if kind == "whole" else (lambda size: rng.normal(size=size))
    instance = Instance(64, edges, draw(m), draw((1, m)))
    found = lagrangian(instance, tolerance=0.0)
    assert found.iterations == 1
    assert found.cost == pytest.approx(bound(instance), rel=1e-10)
    assert found.gap <= 1e-9


@pytest.mark.parametrize("width", [10, 20])
def test_gap_on_the_distribution_of_the_paper(width: int) -> None:
    """A gap of 0.01 % on grids, and none at all on most."""
    closed = 0
    for second_max in (10, 20, 30):
        for scenarios in (5, 20):
            instance = generate(second_max, width=width, scenarios=scenarios, second_max=second_max)
            found = lagrangian(instance, tolerance=0.0)
            assert found.gap <= 1e-4
            closed += found.gap == 0
    assert closed >= 4


def test_history_is_monotone_and_ends_in_the_result() -> None:
    instance = generate(5, width=10, scenarios=10)
    found = lagrangian(instance, tolerance=0.0)
    assert found.bounds.shape == found.costs.shape == (found.iterations,)
    assert np.all(np.diff(found.bounds) >= 0)
    assert np.all(np.diff(found.costs) <= 0)
    assert np.all(found.bounds <= found.costs)
    assert (found.bound, found.cost) == (found.bounds[-1], found.costs[-1])


def test_same_result_for_any_number_of_workers() -> None:
    """A graph large enough for threads."""
    instance = generate(2, width=30, scenarios=20, second_max=15)
    runs = [lagrangian(instance, iterations=45, tolerance=0.0, workers=workers) for workers in (1, 2, 3)]
    for run in runs[1:]:
        assert np.array_equal(run.bounds, runs[0].bounds)
        assert np.array_equal(run.costs, runs[0].costs)
        assert np.array_equal(run.solution.first_stage, runs[0].solution.first_stage)


def test_limits_end_the_ascent() -> None:
    instance = generate(9, width=15, scenarios=10)
    assert lagrangian(instance, iterations=3, tolerance=0.0).iterations == 3
    assert lagrangian(instance, tolerance=0.05).gap <= 0.05


def test_tree_edge_and_zero_bound() -> None:
    edge = lagrangian(Instance(2, [[0, 1]], [1.5], [[2.5], [0.1]]), tolerance=0.0)
    assert edge.cost == pytest.approx(1.3)
    assert edge.bound == pytest.approx(1.3)
    tree = lagrangian(Instance(4, [[0, 1], [1, 2], [2, 3]], [1, -2, 3], [[2, -3, 1], [0, 0, 0]]), tolerance=0.0)
    assert tree.cost == tree.bound == 1 - 2 + 0.5  # the edges cost min(c, mean d): 1 and 1, −2 and −1.5, 3 and 0.5
    zero = lagrangian(Instance(3, [[0, 1], [1, 2], [0, 2]], [0, 0, 2], [[0, 0, 5], [1, 0, 0]]), tolerance=0.0)
    assert zero.cost == zero.bound == zero.gap == 0
    assert relative_gap(1.0, 0.0) == np.inf
    assert relative_gap(-1.0, -2.0) == 0.5


@pytest.mark.parametrize("scale", [1e-25, 1e25])
def test_scale_of_the_costs_does_not_matter(scale: float) -> None:
    instance = generate(6, width=6, scenarios=5)
    scaled = Instance(instance.nodes, instance.edges, instance.first * scale, instance.second * scale)
    found, plain = lagrangian(scaled, tolerance=1e-9), lagrangian(instance, tolerance=0.0)
    assert found.cost == pytest.approx(scale * plain.cost)
    assert found.bound <= found.cost


def test_huge_whole_costs_do_not_overflow() -> None:
    rng = np.random.default_rng(1)
    edges = generate(1, width=3).edges
    first, second = rng.integers(-(2**44), 2**44, size=12), rng.integers(-(2**44), 2**44, size=(3, 12))
    found = lagrangian(Instance(9, edges, first, second), tolerance=0.0)
    assert 0 <= found.gap <= 1e-9
