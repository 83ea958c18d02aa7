"""A few steps of the prices, against the same steps in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.kernels.trees import bottlenecks
from colayer.problems.spanning_tree.prices import STEPS, price_shares
from colayer.problems.spanning_tree.relaxation import MOMENTUM
from support.plain_trees import SQUARE, signed, small


def shares_of(instance: Instance) -> np.ndarray:
    u, v, _, second = instance.arrays
    found: np.ndarray = price_shares(instance, bottlenecks(u, v, instance.scenario_trees, second))
    return found


def joins(component: list[int], ends: tuple[int, int]) -> bool:
    """Whether an edge joins two components; they are one then."""
    a, b = component[ends[0]], component[ends[1]]
    component[:] = [a if c == b else c for c in component]
    return a != b


def taken_at(prices: np.ndarray, s: int, edges: np.ndarray, instance: Instance) -> tuple[np.ndarray, float]:
    """Which candidates the tree of scenario s takes at their price, before edges at their cost where equal; its weight.

    Kruskal's algorithm, ties by index.
    """
    ends = instance.edges.tolist()
    offers = [(prices[j], 0, j, e) for j, e in enumerate(edges)]
    offers += [(instance.second[s, e], 1, e, e) for e in range(instance.edge_count)]
    component, inside, weight = list(range(instance.nodes)), np.zeros(len(edges)), 0.0
    for cost, later, j, e in sorted(offers):
        if joins(component, ends[e]):
            weight += cost
            if not later:
                inside[j] = 1.0
    return inside, weight


def plain_shares(instance: Instance) -> np.ndarray:
    """Prices from c on, moved by steps towards the cost of what half of the scenarios take at first."""
    u, v, first, second = instance.arrays
    worth = bottlenecks(u, v, instance.scenario_trees, second).mean(axis=0)
    edges = np.flatnonzero(first < worth)
    prices = np.tile(first[edges], (instance.scenarios, 1))
    shares, direction = np.zeros((STEPS, instance.edge_count)), np.zeros(prices.shape)
    for k in range(STEPS):
        found = [taken_at(prices[s], s, edges, instance) for s in range(instance.scenarios)]
        taken, value = np.array([inside for inside, _ in found]), np.mean([weight for _, weight in found])
        shares[k:, edges] = taken.mean(axis=0)
        slope = taken - taken.mean(axis=0)
        if not slope.any():
            break
        if k == 0:
            component: list[int] = list(range(instance.nodes))
            share = taken.mean(axis=0)
            by_share = [edges[j] for j in np.argsort(-share, kind="stable") if share[j] >= 0.5]
            target = complete([e for e in by_share if joins(component, instance.edges[e].tolist())], instance)[1]
        direction = MOMENTUM * direction + (1 - MOMENTUM) * slope
        squared = max((direction**2).sum(), ((1 - MOMENTUM) * slope**2).sum() * (1 - MOMENTUM))
        step = (1 - MOMENTUM) * max(target - value, 0.0) * instance.scenarios / squared
        prices = prices + min(step, instance.cost_range) * direction
    return shares


@pytest.mark.parametrize("seed", [*range(3), *range(4, 20)])  # of 3, a price meets a cost, and rounding decides
def test_shares_are_those_of_plain_steps(seed: int) -> None:
    """Costs that are all different: no ties that rounding to units could break otherwise."""
    instance = small(seed, "normal")
    assert shares_of(instance) == pytest.approx(plain_shares(instance))


@pytest.mark.parametrize("instance", [SQUARE, signed(0), signed(1), generate(0, width=5, scenarios=7)])
def test_the_first_share_is_who_takes_an_edge_at_its_cost(instance: Instance) -> None:
    u, v, first, second = instance.arrays
    edges = np.flatnonzero(first < bottlenecks(u, v, instance.scenario_trees, second).mean(axis=0))
    found = [taken_at(first[edges], s, edges, instance)[0] for s in range(instance.scenarios)]
    expected = np.zeros(instance.edge_count)
    expected[edges] = np.mean(found, axis=0)
    assert shares_of(instance)[0] == pytest.approx(expected)


def test_where_all_scenarios_agree_shares_stay() -> None:
    same = Instance(3, [(0, 1), (1, 2), (0, 2)], [1.0, 5.0, 5.0], [[2.0, 3.0, 4.0]] * 4)
    assert shares_of(same).tolist() == [[1.0, 0.0, 0.0]] * STEPS


def test_later_steps_agree_more() -> None:
    """That is what prices are for: fewer edges are taken by some scenarios and not by others."""
    shares = np.array([shares_of(generate(seed, width=8, scenarios=10)) for seed in range(10)])
    doubt = (shares * (1.0 - shares)).mean(axis=(0, 2))
    assert doubt[-1] < 0.8 * doubt[0]
