"""The Lagrangian bound and heuristic: kernels against plain Python, bounds against brute force, determinism."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.problems.spanning_tree.cost import bound, cost
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.kernels.rounding import descend, doubt_problem, threshold_forests
from colayer.problems.spanning_tree.kernels.trees import bottlenecks
from colayer.problems.spanning_tree.lagrangian import lagrangian, relative_gap
from colayer.problems.spanning_tree.relaxation import Relaxation, candidates
from colayer.problems.spanning_tree.rounding import approximation


def forests(instance: Instance) -> list[tuple[int, ...]]:
    """All first stages."""
    found = []
    for size in range(instance.nodes):
        for edges in itertools.combinations(range(instance.edge_count), size):
            graph = nx.MultiGraph(instance.edges[list(edges)].tolist())
            if not edges or nx.is_forest(graph):
                found.append(edges)
    return found


def brute_force(instance: Instance) -> float:
    """The least cost over all first stages, each completed by Kruskal's algorithm."""
    return min(complete(np.array(edges, dtype=np.int64), instance)[1] for edges in forests(instance))


def small(seed: int, kind: str = "whole") -> Instance:
    """A random connected multigraph of 2 to 6 nodes and up to 10 edges."""
    rng = np.random.default_rng([17, seed])
    n = int(rng.integers(2, 7))
    tree = [(int(rng.integers(k)), k) for k in range(1, n)]
    more = [tuple(rng.choice(n, size=2, replace=False).tolist()) for _ in range(int(rng.integers(0, 12 - n)))]
    m = len(tree) + len(more)
    scenarios = int(rng.integers(1, 5))
    if kind == "whole":
        first, second = rng.integers(-9, 5, size=m), rng.integers(-9, 7, size=(scenarios, m))
    elif kind == "positive":
        first, second = rng.integers(1, 9, size=m), rng.integers(0, 20, size=(scenarios, m))
    else:
        first, second = rng.normal(size=m), rng.normal(0.3, 1.5, size=(scenarios, m))
    return Instance(n, tree + more, first, second)


def paths_maximum(instance: Instance, s: int) -> list[float]:
    """D_es by walking the minimum spanning tree of scenario s."""
    tree = nx.Graph()
    for e in instance.scenario_trees[s]:
        tree.add_edge(*instance.edges[e].tolist(), cost=instance.second[s, e])
    values = []
    for u, v in instance.edges.tolist():
        path = nx.shortest_path(tree, u, v)
        values.append(max(tree.edges[pair]["cost"] for pair in itertools.pairwise(path)))
    return values


@pytest.mark.parametrize("seed", range(5))
def test_bottlenecks_are_the_largest_costs_on_the_paths_of_the_scenario_trees(seed: int) -> None:
    instance = generate(seed, width=4, scenarios=3, graph="geometric")
    u, v, _, second = instance.arrays
    found = bottlenecks(u, v, instance.scenario_trees, second)
    assert found.tolist() == [paths_maximum(instance, s) for s in range(instance.scenarios)]


def test_relaxation_is_the_formula_at_any_prices() -> None:
    """S·L(μ) = Σ_s MST(min(d_s, μ_s)), the trees by networkx; only candidates have a price."""
    instance = generate(3, width=5, scenarios=4)
    relaxation = Relaxation(instance)
    rng = np.random.default_rng(0)
    for _ in range(5):
        relaxation.price += rng.integers(-(2**17), 2**17, size=relaxation.price.shape)
        value, norm = relaxation.solve()
        expected = 0
        for s in range(instance.scenarios):
            weights = ((instance.second[s] - relaxation.base) / relaxation.unit).astype(np.int64)
            weights[relaxation.edges] = np.minimum(weights[relaxation.edges], relaxation.price[s])
            graph = nx.Graph()
            graph.add_weighted_edges_from(
                (*ends, int(w)) for ends, w in zip(instance.edges.tolist(), weights, strict=True)
            )
            expected += round(nx.minimum_spanning_tree(graph).size(weight="weight"))
        assert value == expected
        x = relaxation.taken
        assert norm == pytest.approx(float(((x - x.mean(axis=0)) ** 2).sum()))


def test_a_step_keeps_the_sum_of_the_prices_to_the_unit() -> None:
    """Only then does the bound need no term for the first stage."""
    instance = generate(1, width=6, scenarios=7)
    relaxation = Relaxation(instance)
    for _ in range(10):
        _, norm = relaxation.solve()
        relaxation.step(3.7, norm)
    assert np.array_equal(relaxation.price.sum(axis=0), 7 * relaxation.first)
    assert np.abs(relaxation.price - relaxation.first).max() > 0


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


def test_candidates_hold_an_optimal_first_stage() -> None:
    """An edge with c_e ≥ mean_s D_es can be left out of any first stage."""
    left_out = 0
    for seed in range(30):
        instance = small(seed)
        kept = set(candidates(instance)[0].tolist())
        best = min(
            complete(np.array(edges, dtype=np.int64), instance)[1] for edges in forests(instance) if set(edges) <= kept
        )
        assert best == brute_force(instance)
        left_out += instance.edge_count - len(kept)
    assert left_out > 50


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
    told: list[tuple[float, float]] = []
    found = lagrangian(instance, tolerance=0.0, progress=lambda low, high: told.append((low, high)))
    assert found.bounds.shape == found.costs.shape == (found.iterations,)
    assert np.all(np.diff(found.bounds) >= 0)
    assert np.all(np.diff(found.costs) <= 0)
    assert np.all(found.bounds <= found.costs)
    assert (found.bound, found.cost) == (found.bounds[-1], found.costs[-1])
    assert told == list(zip(found.bounds.tolist(), found.costs.tolist(), strict=True))


def test_same_result_for_any_number_of_workers() -> None:
    """A graph large enough for threads."""
    instance = generate(2, width=30, scenarios=20, second_max=15)
    runs = [lagrangian(instance, iterations=45, tolerance=0.0, workers=workers) for workers in (1, 2, 3)]
    for run in runs[1:]:
        assert np.array_equal(run.bounds, runs[0].bounds)
        assert np.array_equal(run.costs, runs[0].costs)
        assert np.array_equal(run.solution.first_stage, runs[0].solution.first_stage)


def test_start_is_used_and_never_lost() -> None:
    instance = generate(8, width=12, scenarios=10)
    best = lagrangian(instance, tolerance=0.0)
    again = lagrangian(instance, iterations=1, tolerance=0.0, start=best.solution)
    assert again.costs[0] <= best.cost


def test_limits_end_the_ascent() -> None:
    instance = generate(9, width=15, scenarios=10)
    assert lagrangian(instance, iterations=3, tolerance=0.0).iterations == 3
    assert lagrangian(instance, time_limit=0.0, tolerance=0.0).iterations == 1
    assert lagrangian(instance, tolerance=0.05).gap <= 0.05
    for wrong in ({"iterations": 0}, {"tolerance": -1.0}, {"tolerance": float("nan")}):
        with pytest.raises(OptionError, match="out of range"):
            lagrangian(instance, **wrong)  # type: ignore[arg-type]


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


def test_threshold_forests_cost_what_the_decoder_says() -> None:
    instance = generate(4, width=6, scenarios=5)
    u, v, first, second = instance.arrays
    rng = np.random.default_rng(2)
    fraction = -np.sort(-rng.random(instance.edge_count))
    order = rng.permutation(instance.edge_count)
    thresholds = np.array([1.1, 0.8, 0.5, 0.5, 0.0])
    forest, sizes, costs = threshold_forests(u, v, first, second, instance.scenario_trees, order, fraction, thresholds)
    assert sizes[0] == 0
    assert sizes[-1] == instance.nodes - 1
    assert costs[2] == costs[3]
    for size, value in zip(sizes, costs, strict=True):
        assert value / instance.scenarios == complete(np.sort(forest[:size]), instance)[1]


def test_the_problem_of_the_doubtful_edges_is_the_whole_problem_up_to_a_constant() -> None:
    """The descent on the contracted problem finds a choice that no flip and no exchange improves in the whole one."""
    for seed in range(6):
        instance = generate(seed, width=5, scenarios=4, second_max=12)
        u, v, first, second = instance.arrays
        rng = np.random.default_rng(seed)
        doubt = np.sort(rng.choice(instance.edge_count, size=9, replace=False))
        others = np.setdiff1d(np.arange(instance.edge_count), doubt)
        grown, sizes, _ = threshold_forests(
            u, v, first, second, instance.scenario_trees, rng.permutation(others), np.ones(len(others)), np.ones(1)
        )
        core = np.sort(grown[: sizes[0] // 3])
        chosen = np.zeros(9, dtype=np.int8)
        descend(*doubt_problem(u, v, second, instance.scenario_trees, core, doubt), first[doubt], chosen, 10_000, 0.0)

        def whole(
            choice: np.ndarray, core: np.ndarray = core, doubt: np.ndarray = doubt, x: Instance = instance
        ) -> float:
            forest = np.concatenate([core, doubt[choice == 1]])
            graph = nx.MultiGraph(x.edges[forest].tolist())
            return complete(np.sort(forest), x)[1] if nx.is_forest(graph) else np.inf

        found = whole(chosen)
        assert found <= whole(np.zeros(9, dtype=np.int8))
        for i, j in itertools.product(range(9), repeat=2):
            other = chosen.copy()
            other[i] = 1 - other[i]
            if i != j and chosen[i] != chosen[j]:
                other[j] = 1 - other[j]
            assert found <= whole(other)
