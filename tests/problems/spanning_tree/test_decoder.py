"""The decoder: the best completion of the first stage, or none of it, by enumeration and against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colayer.errors import InputError
from colayer.layers.spanning_tree import complete_forest
from colayer.problems.spanning_tree.cost import bound, cost
from colayer.problems.spanning_tree.decoder import best, complete, decode, nothing_cost, tree_ends
from colayer.problems.spanning_tree.instance import GRAPHS, Instance, generate
from colayer.problems.spanning_tree.layer import layer
from colayer.problems.spanning_tree.solution import checked
from support.errors import rejects
from support.plain_trees import SQUARE, plain_cost, random_instance, spanning_trees


def test_by_hand() -> None:
    """Completing {1}: scenario 0 takes 2 (1) and 4 (2), scenario 1 takes 4 (0) and 2 (3); 1 + (3 + 3)/2 = 4.

    With nothing in the first stage: 1 + 2 + 3 = 6 and 0 + 3 + 4 = 7, mean 6.5.
    """
    solution = decode([0, 1, 2, 0, 2], SQUARE)
    assert solution.first_stage.tolist() == [1]
    assert [edges.tolist() for edges in solution.second_stage] == [[2, 4], [2, 4]]
    assert complete([1], SQUARE)[1] == 4.0
    assert complete((), SQUARE)[1] == nothing_cost(SQUARE) == 6.5
    assert decode([0, 2, 2, 0, 2], SQUARE).first_stage.tolist() == []
    assert decode([0, 0, 2, 0, 1], SQUARE).first_stage.tolist() == []  # 9 + (4 + 7)/2 against 6.5


def test_tree_ends_are_the_scenario_trees_one_after_the_other() -> None:
    ends, costs = tree_ends(SQUARE)
    assert costs.tolist() == [1.0, 2.0, 3.0, 0.0, 3.0, 4.0]
    assert ends.tolist() == [[2, 3], [0, 2], [0, 1], [0, 2], [2, 3], [1, 2]]


@pytest.mark.parametrize("signs", ["positive", "mixed", "negative"])
def test_decoder_keeps_the_best_completion_or_nothing(signs: str) -> None:
    """By enumeration of the trees that hold the first stage, whatever the sign of the costs."""
    rng = np.random.default_rng(1)
    chosen_nothing = 0
    for _ in range(25):
        instance = random_instance(rng, signs)
        trees = spanning_trees(instance)
        y = layer(rng.normal(size=2 * instance.edge_count), instance)

        def cheapest(forest: set, instance: Instance = instance, trees: list = trees) -> float:
            return sum(instance.first[e] for e in forest) + np.mean(
                [min(sum(d[e] for e in tree if e not in forest) for tree in trees if forest <= set(tree))
                 for d in instance.second]
            )  # fmt: skip

        kept = set(np.flatnonzero(y == 1).tolist())
        solution = checked(decode(y, instance), instance)
        assert cost(solution, instance) == pytest.approx(min(cheapest(kept), cheapest(set())))
        assert cost(solution, instance) == pytest.approx(plain_cost(solution, instance))
        assert set(solution.first_stage.tolist()) in (kept, set())
        chosen_nothing += bool(kept) and len(solution.first_stage) == 0
        assert bound(instance) <= cost(solution, instance)
        # nothing is cheaper than each scenario on its own
        separate = [min(sum(np.minimum(instance.first, d)[list(tree)]) for tree in trees) for d in instance.second]
        assert bound(instance) == pytest.approx(np.mean(separate))
    assert 0 < chosen_nothing < 25


@given(st.integers(0, 10**6), st.sampled_from(GRAPHS), st.integers(2, 5), st.integers(1, 4), st.integers(0, 6))
def test_completion_equals_kruskal_on_all_edges(
    seed: int, graph: str, width: int, scenarios: int, second_max: int
) -> None:
    """The kernel looks at the edges of the scenario's tree alone; with ties too, nothing is lost by that."""
    instance = generate(seed, width=width, scenarios=scenarios, second_max=second_max, graph=graph)
    rng = np.random.default_rng(seed)
    forest = np.flatnonzero(layer(rng.normal(size=2 * instance.edge_count), instance) == 1)
    solution, value = complete(forest, instance)
    for s, edges in enumerate(solution.second_stage):
        assert edges.tolist() == complete_forest(instance.nodes, instance.edges, instance.second[s], forest).tolist()
    assert value == cost(solution, instance) == pytest.approx(plain_cost(solution, instance))


def test_best_is_the_first_of_the_cheapest_rows() -> None:
    """Costed by the compiled pipeline: the same numbers as row by row."""
    rng = np.random.default_rng(2)
    for seed in range(5):
        instance = generate(seed, width=5, scenarios=3)
        thetas = rng.normal(size=(9, 2 * instance.edge_count))
        thetas[7] = thetas[2]
        values = [cost(decode(layer(theta, instance), instance), instance) for theta in thetas]
        row, solution, value = best(thetas, instance)
        assert (row, value) == (int(np.argmin(values)), min(values))
        assert cost(solution, instance) == value


@pytest.mark.parametrize("scenarios", [1, 3])
def test_a_tree_and_a_single_edge(scenarios: int) -> None:
    """Where there is one spanning tree, the layer chooses stages alone; the best ones are c against the mean of d."""
    rng = np.random.default_rng(3)
    for nodes in (2, 7):
        edges = [(int(rng.integers(k)), k) for k in range(1, nodes)]
        instance = Instance(nodes, edges, rng.normal(size=nodes - 1), rng.normal(size=(scenarios, nodes - 1)))
        mean = instance.second.mean(axis=0)
        solution = decode(layer(np.concatenate([instance.first, mean]), instance), instance)
        assert solution.first_stage.tolist() == np.flatnonzero(instance.first <= mean).tolist()
        assert cost(solution, instance) == pytest.approx(np.minimum(instance.first, mean).sum())


def test_solutions_follow_a_renumbering_of_nodes_and_edges() -> None:
    """Without ties, numbers are names: the same solution, renamed."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        instance = random_instance(rng)
        m = instance.edge_count
        nodes, edges = rng.permutation(instance.nodes), rng.permutation(m)
        renamed = Instance(
            instance.nodes, nodes[instance.edges[edges]][:, ::-1], instance.first[edges], instance.second[:, edges]
        )
        theta = rng.normal(size=2 * m)
        y = layer(theta, instance)
        y_renamed = layer(np.concatenate([theta[:m][edges], theta[m:][edges]]), renamed)
        assert np.array_equal(y_renamed, y[edges])
        one, two = decode(y, instance), decode(y_renamed, renamed)
        assert np.array_equal(np.sort(edges[two.first_stage]), one.first_stage)
        for s in range(instance.scenarios):
            assert np.array_equal(np.sort(edges[two.second_stage[s]]), one.second_stage[s])


@pytest.mark.parametrize("stages", [[0, 1, 2, 0], [0.0, 1.0, 2.0, 0.0, 2.0], [0, 1, 3, 0, 2], [0, -1, 2, 0, 2]])
def test_decoder_refuses_what_are_no_stages(stages: list) -> None:
    with rejects(InputError, where="y"):
        decode(stages, SQUARE)


def test_decoder_refuses_a_cycle() -> None:
    with rejects(InputError, where="first_stage"):
        decode([1, 1, 0, 0, 1], SQUARE)


def test_best_refuses_theta_that_is_not_finite() -> None:
    with rejects(InputError, where="theta"):
        best(np.full((2, 10), np.nan), SQUARE)
