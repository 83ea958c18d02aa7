"""Two exact solvers that share little, against each other and against brute force."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from colayer.problems.spanning_tree import exact as exact_module
from colayer.problems.spanning_tree.branching import branch_and_bound
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.exact import mixed_integer
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.rounding import approximation


def brute_force(instance: Instance) -> float:
    """The least cost over all first stages."""
    best = np.inf
    for size in range(instance.nodes):
        for edges in itertools.combinations(range(instance.edge_count), size):
            if not edges or nx.is_forest(nx.MultiGraph(instance.edges[list(edges)].tolist())):
                best = min(best, complete(np.array(edges, dtype=np.int64), instance)[1])
    return best


def small(seed: int, low: int = -9, high: int = 6) -> Instance:
    """A random connected multigraph of 3 to 6 nodes and up to 10 edges."""
    rng = np.random.default_rng([23, seed])
    n = int(rng.integers(3, 7))
    tree = [(int(rng.integers(k)), k) for k in range(1, n)]
    more = [tuple(rng.choice(n, size=2, replace=False).tolist()) for _ in range(11 - n)]
    first, second = rng.integers(low, high, size=10), rng.integers(low, high + 2, size=(int(rng.integers(2, 6)), 10))
    return Instance(n, tree + more, first, second)


@pytest.fixture
def weak_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """One iteration only, and a bound below it: HiGHS has to do the work."""

    def weak(instance: Instance, **options: object) -> object:
        found = lagrangian(instance, iterations=1, tolerance=0.0)
        object.__setattr__(found, "bound", found.bound - 10.0)
        object.__setattr__(found, "solution", approximation(instance))
        object.__setattr__(found, "cost", cost(found.solution, instance))
        return found

    monkeypatch.setattr(exact_module, "lagrangian", weak)


@pytest.mark.usefixtures("weak_start")
@pytest.mark.parametrize("signs", [(-9, 0), (-9, 6), (0, 9)])
def test_mixed_integer_equals_brute_force(signs: tuple[int, int]) -> None:
    """Costs ≤ 0, of both signs, and ≥ 0."""
    for seed in range(12):
        instance = small(seed, *signs)
        solution, bound, proved = mixed_integer(instance)
        assert proved
        assert bound == cost(solution, instance)
        assert bound == pytest.approx(brute_force(instance))


@pytest.mark.parametrize("signs", [(-9, 0), (-9, 6), (0, 9)])
def test_branch_and_bound_equals_brute_force(signs: tuple[int, int]) -> None:
    for seed in range(12):
        instance = small(seed, *signs)
        solution, bound = branch_and_bound(instance)
        assert bound == cost(solution, instance) == brute_force(instance)


@pytest.mark.usefixtures("weak_start")
@pytest.mark.parametrize("width", [4, 5, 6])
def test_both_solvers_agree_on_grids(width: int) -> None:
    """Sandwich: Lagrangian bound ≤ optimum ≤ heuristic ≤ safe pipeline, the optimum being HiGHS's."""
    for second_max in (10, 20):
        instance = generate(100 + second_max, width=width, scenarios=6, second_max=second_max)
        solution, _, proved = mixed_integer(instance)
        optimum = cost(solution, instance)
        found = lagrangian(instance, tolerance=0.0)
        assert proved
        assert found.bound <= optimum <= found.cost <= cost(approximation(instance), instance)
        assert branch_and_bound(instance)[1] == optimum


@pytest.mark.usefixtures("weak_start")
def test_mixed_integer_out_of_time_keeps_a_valid_bound() -> None:
    instance = generate(3, width=6, scenarios=10)
    optimum = branch_and_bound(instance)[1]
    solution, bound, proved = mixed_integer(instance, time_limit=0.0)
    assert not proved
    assert bound <= optimum <= cost(solution, instance)


def test_mixed_integer_is_silent(capfd: pytest.CaptureFixture[str], weak_start: None) -> None:
    told: list[tuple[float, float]] = []
    mixed_integer(small(0), progress=lambda low, high: told.append((low, high)))
    assert capfd.readouterr() == ("", "")
    assert told
    assert all(low <= high for low, high in told)


def gap_instance() -> Instance:
    """Whose relaxation leaves a gap: found by looking at seeds."""
    for seed in itertools.count():
        instance = generate(seed, width=6, scenarios=8, second_max=15)
        if lagrangian(instance, tolerance=0.0).gap > 0:
            return instance
    raise AssertionError


def test_branching_closes_the_gap_that_the_relaxation_leaves(weak_start: None) -> None:
    instance = gap_instance()
    solution, bound = branch_and_bound(instance)
    assert bound == cost(solution, instance) == pytest.approx(cost(mixed_integer(instance)[0], instance))
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
