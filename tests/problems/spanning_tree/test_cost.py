"""Cost, scale, bound and the constants of the guarantee, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.spanning_tree.cost import bound, cost, scale, stages_cost, tree_approximation
from colayer.problems.spanning_tree.decoder import decode
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.layer import layer
from colayer.problems.spanning_tree.solution import Solution
from support.errors import rejects
from support.plain_trees import SQUARE


def test_by_hand() -> None:
    """Edge 1 now, 2 and 4 in both scenarios: 1 + (1 + 2 + 3 + 0)/2 = 4.

    The bound: min(c, d_0) = (3, 1, 1, 2, 2) gives 1 + 1 + 2 = 4, min(c, d_1) = (4, 1, 3, 2, 0) gives 0 + 1 + 2 = 3, so
    3.5.
    """
    solution = Solution(np.array([1]), (np.array([2, 4]), np.array([4, 2])))
    assert cost(solution, SQUARE) == 4.0
    assert stages_cost(np.array([1]), np.array([[2, 4], [4, 2]]), SQUARE) == 4.0
    assert bound(SQUARE) == 3.5
    assert scale(SQUARE) == 3.0


def test_the_bound_is_at_most_the_cost_where_sums_are_rounded() -> None:
    """One scenario: bound and optimum are the same sum, made in different orders."""
    rng = np.random.default_rng(0)
    for seed in range(50):
        edges = generate(seed, width=4).edges
        instance = Instance(16, edges, rng.normal(size=24) / 3, rng.normal(size=(1, 24)) / 7)
        solution = decode(layer(np.concatenate([instance.first, instance.second[0]]), instance), instance)
        assert bound(instance) <= cost(solution, instance) == pytest.approx(bound(instance), rel=1e-9)


def test_cost_has_one_rounding_where_the_data_are_whole() -> None:
    """Equal solutions cost the same to the bit, whatever the order of sums; else nothing could be compared."""
    for seed in range(20):
        instance = generate(seed, width=6, scenarios=7)
        solution = decode(layer(np.random.default_rng(seed).normal(size=2 * instance.edge_count), instance), instance)
        whole = 7 * int(instance.first[solution.first_stage].sum())
        whole += sum(int(instance.second[s][edges].sum()) for s, edges in enumerate(solution.second_stage))
        assert cost(solution, instance) == whole / 7


def test_cost_refuses_what_is_no_solution() -> None:
    with rejects(InputError, where="second_stage[1]"):
        cost(Solution(np.array([1]), (np.array([2, 4]), np.array([2, 3, 4]))), SQUARE)


def test_constants_are_those_of_the_maximum_weight_problem_alone() -> None:
    """Costs ≤ 0, S scenarios: a = (S − 1)/(2S − 1) and b = S/(2S − 1); a positive cost, and there is no guarantee."""
    found = tree_approximation(generate(0, width=3, scenarios=5))
    assert found is not None
    assert (found.a, found.b) == (4 / 9, 5 / 9)
    edges = [(0, 1), (1, 2)]
    assert tree_approximation(Instance(3, edges, [0.0, -1.0], [[-2.0, 0.0]])) is not None
    assert tree_approximation(Instance(3, edges, [0.5, -1.0], [[-2.0, 0.0]])) is None
    assert tree_approximation(Instance(3, edges, [0.0, -1.0], [[-2.0, 0.5]])) is None
