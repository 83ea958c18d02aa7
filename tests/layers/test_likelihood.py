"""Negative log-likelihoods against enumeration, finite differences, and determinants."""

from __future__ import annotations

from itertools import combinations, permutations, product

import networkx
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from colayer.errors import InputError
from colayer.layers.likelihood import Elimination, matrix_tree, path_cover, plackett_luce
from support.errors import rejects

TRIANGLE = np.array([[0, 1], [1, 2], [0, 2]])
PARALLEL = np.array([[0, 1], [1, 0], [1, 2], [2, 0], [2, 3], [3, 2]])
BRIDGE = np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 3]])
K4 = np.array(list(combinations(range(4), 2)))
GRAPHS = {"edge": np.array([[0, 1]]), "triangle": TRIANGLE, "parallel": PARALLEL, "bridge": BRIDGE, "k4": K4}


def staged_trees(edges):
    """All (tree, stage of each edge) as rows of 2m indicators."""
    n, m = int(edges.max()) + 1, len(edges)
    rows = []
    for chosen in combinations(range(m), n - 1):
        if (
            networkx.is_connected(networkx.Graph([tuple(edges[e]) for e in chosen]))
            and len({node for e in chosen for node in edges[e]}) == n
        ):
            for stages in product((0, 1), repeat=n - 1):
                row = np.zeros(2 * m)
                row[[e + stage * m for e, stage in zip(chosen, stages, strict=True)]] = 1.0
                rows.append(row)
    return np.array(rows)


def differences(value, theta, step=1e-5):
    """Central finite differences."""
    units = step * np.eye(len(theta))
    return np.array([(value(theta + unit) - value(theta - unit)) / (2 * step) for unit in units])


@pytest.mark.parametrize("spread", [1.0, 30.0, 400.0])
@pytest.mark.parametrize("name", GRAPHS)
def test_matrix_tree_against_all_staged_trees(name, spread):
    """Value and E[Y] by summation over everything, also where weights differ by hundreds of orders of magnitude."""
    edges = GRAPHS[name]
    rng = np.random.default_rng(len(edges))
    rows = staged_trees(edges)
    theta = spread * rng.normal(size=2 * len(edges))
    target = rng.dirichlet(np.ones(len(rows))) @ rows  # fractional
    energies = -(rows @ theta)
    value, gradient = matrix_tree(int(edges.max()) + 1, edges, theta, target)
    assert_allclose(value, theta @ target + logsumexp(energies), rtol=1e-12, atol=1e-12)
    assert_allclose(gradient, target - np.exp(energies - logsumexp(energies)) @ rows, atol=1e-12)


def test_matrix_tree_gradient_against_finite_differences():
    rng = np.random.default_rng(5)
    theta, target = rng.normal(size=2 * len(BRIDGE)), rng.random(2 * len(BRIDGE))
    _, gradient = matrix_tree(6, BRIDGE, theta, target)
    assert_allclose(gradient, differences(lambda t: matrix_tree(6, BRIDGE, t, target)[0], theta), atol=1e-8)


def test_matrix_tree_on_a_grid_is_the_determinant():
    graph = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(7, 9))
    edges = np.array(graph.edges)
    m = len(edges)
    theta = np.random.default_rng(1).normal(size=2 * m)
    laplacian = np.zeros((63, 63))
    weights = np.exp(-theta[:m]) + np.exp(-theta[m:])
    for (u, v), weight in zip(edges, weights, strict=True):
        laplacian[[u, v], [u, v]] += weight
        laplacian[[u, v], [v, u]] -= weight
    value, gradient = matrix_tree(63, edges, theta, np.zeros(2 * m))
    assert value == pytest.approx(np.linalg.slogdet(laplacian[1:, 1:])[1], rel=1e-12)
    resistance = networkx.resistance_distance(
        networkx.Graph([(u, v, {"weight": w}) for (u, v), w in zip(edges.tolist(), weights, strict=True)]),
        weight="weight",
        invert_weight=False,
    )
    inside = [weight * resistance[u][v] for (u, v), weight in zip(edges.tolist(), weights, strict=True)]
    assert_allclose(-(gradient[:m] + gradient[m:]), inside, atol=1e-9)


@pytest.mark.parametrize("spread", [1.0, 1000.0])
def test_a_random_tree_has_one_edge_less_than_nodes(spread):
    """The marginals sum to n − 1, and lie in [0, 1], on a graph with much fill."""
    graph = networkx.gnm_random_graph(60, 200, seed=3)
    assert networkx.is_connected(graph)
    edges = np.array(graph.edges)
    theta = spread * np.random.default_rng(2).normal(size=2 * len(edges))
    _, gradient = matrix_tree(60, edges, theta, np.zeros(2 * len(edges)))
    assert_allclose(-gradient.sum(), 59.0, rtol=1e-11)
    assert np.all((-gradient >= 0.0) & (-gradient <= 1.0))


def test_elimination_can_be_reused_and_changes_nothing():
    plan = Elimination.of(4, K4)
    theta, target = np.random.default_rng(0).normal(size=(2, 12))
    value, gradient = matrix_tree(4, K4, theta, target)
    again, same = matrix_tree(4, K4, theta, target, plan)
    assert value == again
    assert np.array_equal(gradient, same)
    with rejects(InputError, where="edges"):
        Elimination.of(4, np.array([[0, 1], [2, 3]]))


def test_shifting_all_costs_shifts_the_sum():
    """Trees have n − 1 edges: a constant on every cost cancels against the target's, also a huge one."""
    rows = staged_trees(BRIDGE)
    theta = np.random.default_rng(3).normal(size=2 * len(BRIDGE))
    value, gradient = matrix_tree(6, BRIDGE, theta, rows[5])
    shifted, same = matrix_tree(6, BRIDGE, theta + 1000.0, rows[5])
    assert shifted == pytest.approx(value, abs=1e-9)
    assert_allclose(same, gradient, atol=1e-12)


# Arcs 0→2, 0→3, 1→2, 1→3, 1→4, 2→4, 3→4 in compressed rows: some exchanges can join what they part, some cannot.
INDPTR, HEADS = np.array([0, 2, 5, 6, 7, 7]), np.array([2, 3, 2, 3, 4, 4, 4], dtype=np.int32)
TAILS = np.array([0, 0, 1, 1, 1, 2, 3])


def covers():
    """All path covers as rows of arcs + 2n indicators."""
    n, arcs = len(INDPTR) - 1, len(HEADS)
    rows = []
    for choice in product(*([*np.flatnonzero(v == HEADS), arcs + v] for v in range(n))):
        row = np.zeros(arcs + 2 * n)
        row[list(choice)] = 1.0
        row[arcs + n :] = 1.0 - np.bincount(TAILS, weights=row[:arcs], minlength=n)
        if row.min() >= 0.0:
            rows.append(row)
    return np.array(rows)


def exchanges(target, a):
    """The covers that use arc a where ȳ does not, or the other way round, and differ from ȳ at its neighbours alone."""
    n, arcs = len(INDPTR) - 1, len(HEADS)

    def ends(row):
        used = np.flatnonzero(row[:arcs])
        after, before = np.full(n, -1), np.full(n, -1)
        after[TAILS[used]], before[HEADS[used]] = HEADS[used], TAILS[used]
        return after, before

    after, before = ends(target)
    u, w = TAILS[a], HEADS[a]
    may_leave, may_enter = {u, before[w]}, {w, after[u]}
    found = []
    for row in covers():
        row_after, row_before = ends(row)
        if (
            row[a] != target[a]
            and set(np.flatnonzero(row_after != after)) <= may_leave
            and set(np.flatnonzero(row_before != before)) <= may_enter
        ):
            found.append(row)
    return found


@pytest.mark.parametrize("spread", [1.0, 300.0])
def test_path_cover_against_all_exchanges(spread):
    """Value and gradient by going through all covers, for every cover as the target."""
    rng = np.random.default_rng(7)
    sizes = set()
    for target in covers():
        theta = spread * rng.normal(size=len(target))
        expected, slope = 0.0, np.zeros(len(target))
        for a in range(len(HEADS)):
            rows = np.array([target, *exchanges(target, a)])
            sizes.add(len(rows))
            energies = -(rows @ theta)
            expected += logsumexp(energies) - energies[0]
            slope += target - np.exp(energies - logsumexp(energies)) @ rows
        value, gradient = path_cover(INDPTR, HEADS, theta, target)
        assert_allclose(value, expected, rtol=1e-12, atol=1e-12)
        assert_allclose(gradient, slope, atol=1e-12)
    assert sizes == {2, 3}  # with and without an arc to join by


def test_path_cover_gradient_against_finite_differences():
    theta, target = np.random.default_rng(9).normal(size=17), covers()[4]
    _, gradient = path_cover(INDPTR, HEADS, theta, target)
    assert_allclose(gradient, differences(lambda t: path_cover(INDPTR, HEADS, t, target)[0], theta), atol=1e-8)


def test_path_cover_prefers_the_best_cover():
    """As θ grows the value of the best cover goes to 0, that of any other does not."""
    theta, rows = np.random.default_rng(2).normal(size=17), covers()
    best = int(np.argmin(rows @ theta))
    values = [path_cover(INDPTR, HEADS, 200 * theta, row)[0] for row in rows]
    assert values[best] == pytest.approx(0.0, abs=1e-6)
    assert int(np.argmin(values)) == best


def test_path_cover_of_tasks_without_arcs():
    """Nothing to exchange: probability 1."""
    value, gradient = path_cover(np.zeros(3, dtype=np.int64), np.zeros(0, dtype=np.int32), np.arange(4.0), np.ones(4))
    assert value == 0.0
    assert np.array_equal(gradient, np.zeros(4))


def test_path_cover_refuses_what_is_no_cover():
    target = covers()[3]
    for wrong in (0.5 * target + 0.5 * covers()[0], np.ones(17), np.zeros(17)):
        with rejects(InputError, where="target"):
            path_cover(INDPTR, HEADS, np.zeros(17), wrong)


@pytest.mark.parametrize("spread", [1.0, 50.0])
def test_plackett_luce_sums_to_one(spread):
    theta = spread * np.random.default_rng(4).normal(size=5)
    values = np.array([plackett_luce(theta, np.array(order))[0] for order in permutations(range(5))])
    assert logsumexp(-values) == pytest.approx(0.0, abs=1e-12)
    mode = list(permutations(range(5)))[int(np.argmin(values))]
    assert mode == tuple(np.argsort(theta))


def test_plackett_luce_gradient():
    """Finite differences, and far-apart costs without overflow."""
    theta, order = np.random.default_rng(6).normal(size=7), np.random.default_rng(7).permutation(7)
    _, gradient = plackett_luce(theta, order)
    assert_allclose(gradient, differences(lambda t: plackett_luce(t, order)[0], theta), atol=1e-8)
    value, gradient = plackett_luce(np.array([1e4, -1e4, 0.0]), np.array([1, 2, 0]))
    assert value == pytest.approx(0.0, abs=1e-9)
    assert_allclose(gradient, np.zeros(3), atol=1e-9)
    value, gradient = plackett_luce(np.array([1e4, -1e4, 0.0]), np.array([0, 1, 2]))
    assert value == pytest.approx(2e4)
    assert_allclose(gradient, [1.0, -1.0, 0.0], atol=1e-9)


def test_wrong_shapes_and_numbers_are_refused():
    with rejects(InputError, where="theta"):
        matrix_tree(3, TRIANGLE, np.zeros(3), np.zeros(6))
    with rejects(InputError, where="target[2]"):
        matrix_tree(3, TRIANGLE, np.zeros(6), np.array([0, 0, np.nan, 0, 0, 0]))
