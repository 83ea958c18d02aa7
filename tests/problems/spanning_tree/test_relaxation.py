"""The relaxation at any prices is its formula, a step keeps the prices' sum, and fixed edges are free of it."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import generate
from colayer.problems.spanning_tree.relaxation import Relaxation, candidates
from support.plain_trees import brute_force, forests, small


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


@pytest.mark.parametrize("inside", [0, 1])
def test_the_bound_with_an_edge_fixed_holds_for_the_first_stages_that_agree(inside: int) -> None:
    """Out of the first stage or in it: L(μ) is at most the least cost of such a first stage."""
    tried = 0
    for seed in range(30):
        instance = small(seed)
        relaxation = Relaxation(instance, workers=1)
        if len(relaxation.edges) == 0:
            continue
        edge = int(relaxation.edges[0])
        costs = [
            complete(np.array(forest, dtype=np.int64), instance)[1]
            for forest in forests(instance)
            if (edge in forest) == bool(inside)
        ]
        relaxation.reset(relaxation.price, {0: inside})
        for _ in range(5):
            value, norm = relaxation.solve()
            assert np.all(relaxation.taken[:, 0] == inside)
            assert relaxation.bound(value) <= min(costs)
            if norm == 0:
                break
            relaxation.step(1.0, norm)
        tried += 1
    assert tried > 20


def test_bounds_of_whole_costs_are_rounded_up_to_what_a_cost_can_be() -> None:
    """Multiples of 1/S: with 4 scenarios and a unit of at most 1, one unit more than a whole bound is 1/4 more."""
    instance = generate(3, width=5, scenarios=4)
    relaxation = Relaxation(instance, workers=1)
    value, _ = relaxation.solve()
    ones = round(1 / relaxation.unit)
    whole = value - value % ones
    assert relaxation.bound(whole) == relaxation.exact_bound(whole)
    assert relaxation.bound(whole + 1) == relaxation.bound(whole + ones) == relaxation.bound(whole) + 0.25
