"""Layer, decoder, cost and bound: by hand, by enumeration, and against plain Python."""

from __future__ import annotations

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colayer.errors import InputError
from colayer.layers.spanning_tree import complete_forest
from colayer.problems.spanning_tree.cost import bound, cost, scale
from colayer.problems.spanning_tree.decoder import best, complete, decode
from colayer.problems.spanning_tree.instance import GRAPHS, Instance, generate
from colayer.problems.spanning_tree.layer import embed, layer, target
from colayer.problems.spanning_tree.solution import Solution, checked

#: A square 0-1-2-3 with a diagonal 0-2; two scenarios. Worked out in the test below.
SQUARE = Instance(
    4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], [4.0, 1.0, 5.0, 2.0, 9.0],
    [[3.0, 6.0, 1.0, 7.0, 2.0], [5.0, 4.0, 3.0, 8.0, 0.0]],
)  # fmt: skip


def spanning_trees(instance: Instance) -> list[tuple[int, ...]]:
    """All of them, by trying every subset of n − 1 edges."""
    found = []
    for subset in combinations(range(instance.edge_count), instance.nodes - 1):
        graph = nx.MultiGraph(instance.edges[list(subset)].tolist())
        if graph.number_of_nodes() == instance.nodes and nx.is_connected(graph):
            found.append(subset)
    return found


def plain_cost(solution: Solution, instance: Instance) -> float:
    first = sum(instance.first[e] for e in solution.first_stage)
    second = [sum(instance.second[s][e] for e in edges) for s, edges in enumerate(solution.second_stage)]
    return first + sum(second) / len(second)


def random_instance(rng: np.random.Generator, signs: str = "mixed") -> Instance:
    """A small multigraph with costs that are all different."""
    nodes = int(rng.integers(2, 6))
    pairs = [(int(rng.integers(k)), k) for k in range(1, nodes)]
    pairs += [tuple(rng.choice(nodes, 2, replace=False).tolist()) for _ in range(int(rng.integers(0, 5)))]
    edges = rng.permutation(pairs)
    first, second = rng.random(len(edges)) * 10, rng.random((int(rng.integers(1, 4)), len(edges))) * 10
    shift = {"positive": 0.0, "mixed": 5.0, "negative": 10.0}[signs]
    return Instance(nodes, edges, first - shift, second - shift)


def test_by_hand() -> None:
    """θ = (c, mean d) = (4, 1, 5, 2, 9 | 4, 5, 2, 7.5, 1): the cheaper costs are 4, 1, 2, 2, 1.

    Kruskal takes edges 1 and 4 (cost 1), then 2 and not 3 (cost 2, which would close 0-2-3; ties by index). Edge 1 is
    first stage, 2 and 4 are second stage. Completing {1}: scenario 0 takes 2 (1) and 4 (2), scenario 1 takes 4 (0) and
    2 (3). Cost 1 + (3 + 3)/2 = 4. With nothing in the first stage: 1 + 2 + 3 = 6 and 0 + 3 + 4 = 7, cost 6.5.
    The bound: min(c, d_0) = (3, 1, 1, 2, 2) gives 1 + 1 + 2 = 4,
    min(c, d_1) = (4, 1, 3, 2, 0) gives 0 + 1 + 2 = 3, so 3.5.
    """
    theta = np.concatenate([SQUARE.first, SQUARE.second.mean(axis=0)])
    stages = layer(theta, SQUARE)
    assert stages.tolist() == [0, 1, 2, 0, 2]
    solution = decode(stages, SQUARE)
    assert solution.first_stage.tolist() == [1]
    assert [edges.tolist() for edges in solution.second_stage] == [[2, 4], [2, 4]]
    assert cost(solution, SQUARE) == 4.0
    assert complete((), SQUARE)[1] == 6.5
    assert bound(SQUARE) == 3.5
    assert scale(SQUARE) == 3.0
    assert embed(stages).tolist() == [0, 1, 0, 0, 0, 0, 0, 1, 0, 1]
    assert target(complete((), SQUARE)[0], SQUARE).tolist() == [0] * 5 + [0.5, 0.5, 1.0, 0.0, 1.0]


def test_layer_is_optimal_for_the_linear_objective() -> None:
    """g(y, θ) = ⟨θ, embed(y)⟩ is least over all spanning trees and all stages of their edges."""
    rng = np.random.default_rng(0)
    for _ in range(25):
        instance = random_instance(rng)
        theta = rng.normal(size=2 * instance.edge_count)
        values = []
        for tree in spanning_trees(instance):
            for stages in product((1, 2), repeat=len(tree)):
                y = np.zeros(instance.edge_count, dtype=np.int8)
                y[list(tree)] = stages
                values.append(theta @ embed(y))
        y = layer(theta, instance)
        assert theta @ embed(y) == pytest.approx(min(values))
        assert tuple(np.flatnonzero(y)) in spanning_trees(instance)


def test_ties_go_to_the_first_stage_and_the_smaller_index() -> None:
    instance = Instance(2, [(0, 1), (1, 0), (0, 1)], [1.0] * 3, [[1.0] * 3])
    assert layer([5.0, 4.0, 4.0, 4.0, 4.0, 4.0], instance).tolist() == [2, 0, 0]
    assert layer([4.0, 4.0, 4.0, 4.0, 4.0, 4.0], instance).tolist() == [1, 0, 0]
    assert layer([4.0, 3.0, 4.0, 4.0, 4.0, 4.0], instance).tolist() == [0, 1, 0]


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


def test_cost_has_one_rounding_where_the_data_are_whole() -> None:
    """Equal solutions cost the same to the bit, whatever the order of sums; else nothing could be compared."""
    for seed in range(20):
        instance = generate(seed, width=6, scenarios=7)
        solution = decode(layer(np.random.default_rng(seed).normal(size=2 * instance.edge_count), instance), instance)
        whole = 7 * int(instance.first[solution.first_stage].sum())
        whole += sum(int(instance.second[s][edges].sum()) for s, edges in enumerate(solution.second_stage))
        assert cost(solution, instance) == whole / 7


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


@pytest.mark.parametrize("theta", [np.zeros(9), np.zeros((2, 5)), np.full(10, np.nan), np.full(10, np.inf)])
def test_layer_refuses(theta: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"^theta: "):
        layer(theta, SQUARE)


@pytest.mark.parametrize("stages", [[0, 1, 2, 0], [0.0, 1.0, 2.0, 0.0, 2.0], [0, 1, 3, 0, 2], [0, -1, 2, 0, 2]])
def test_decoder_refuses_what_are_no_stages(stages: list) -> None:
    with pytest.raises(InputError, match=r"^y: expected 5 stages"):
        decode(stages, SQUARE)


def test_decoder_refuses_a_cycle() -> None:
    with pytest.raises(InputError, match=r"^first_stage: its edges close a cycle"):
        decode([1, 1, 0, 0, 1], SQUARE)


def test_cost_refuses_what_is_no_solution() -> None:
    with pytest.raises(InputError, match=r"^second_stage\[1\]"):
        cost(Solution(np.array([1]), (np.array([2, 4]), np.array([2, 3, 4]))), SQUARE)
