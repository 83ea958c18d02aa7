"""Baselines and the exact solver as the problem offers them."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.spanning_tree.cost import bound, cost
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.solvers import BASELINES, exact

#: A square with a diagonal, two scenarios. In the first stage the edges 0–1 and 1–2 are worth their price.
HAND = Instance(
    4, [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], [-5, -4, -1, -1, 0], [[0, -2, -3, -6, -1], [-1, 0, -6, -3, 0]]
)


def test_hand_computed_instance() -> None:
    """E_1 = {0–1, 1–2} with −6 in each scenario: −15. Without a first stage: −11 and −10; mean −10.5."""
    solution, lower, proved = exact(HAND)
    assert proved
    assert lower == cost(solution, HAND) == -15
    assert solution.first_stage.tolist() == [0, 1]
    assert [edges.tolist() for edges in solution.second_stage] == [[3], [2]]
    nothing = BASELINES["no first stage"](HAND)
    assert nothing.first_stage.tolist() == []
    assert cost(nothing, HAND) == -10.5


def test_baselines_are_ordered_and_above_the_bound() -> None:
    """The approximation is never worse than E_1 = ∅, the Lagrangian heuristic never worse than the approximation."""
    for seed in range(4):
        instance = generate(seed, width=8, scenarios=6, second_max=15)
        costs = {name: cost(rule(instance), instance) for name, rule in BASELINES.items()}
        assert bound(instance) <= costs["lagrangian"] <= costs["approximation"] <= costs["no first stage"]


def test_the_approximation_keeps_its_ratio() -> None:
    """At least half of the maximum weight, costs being ≤ 0 (paper, section 4.3)."""
    for seed in range(6):
        instance = generate(seed, width=4, scenarios=4, second_max=25)
        _, optimum, _ = exact(instance)
        assert cost(BASELINES["approximation"](instance), instance) <= optimum / 2


@pytest.mark.parametrize("graph", ["grid", "geometric", "complete"])
def test_exact_proves_on_each_kind_of_graph(graph: str) -> None:
    instance = generate(3, width=6, scenarios=5, graph=graph)
    told: list[tuple[float, float]] = []
    solution, lower, proved = exact(instance, progress=lambda low, high: told.append((low, high)))
    assert proved
    assert lower <= cost(solution, instance) <= lower + 1e-4 * abs(lower)
    assert all(low <= high for low, high in told)
    assert told[-1][1] == cost(solution, instance)


def test_exact_starts_from_what_is_known_and_honours_the_time_limit() -> None:
    instance = generate(1, width=20, scenarios=10)
    best, _, _ = exact(instance)
    solution, lower, _ = exact(instance, time_limit=0.0, start=best)
    assert np.isfinite(lower)
    assert cost(solution, instance) <= cost(best, instance)


def test_exact_proves_where_all_costs_are_zero() -> None:
    instance = Instance(3, [[0, 1], [1, 2], [0, 2]], np.zeros(3), np.zeros((2, 3)))
    assert exact(instance)[1:] == (0.0, True)
