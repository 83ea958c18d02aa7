"""One interface: every layer maps θ to the embedded y, leaves its input alone, repeats itself and can be pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.layers import (
    Assignment,
    Knapsack,
    Layer,
    LinearProgram,
    MinimumSpanningTree,
    PathCover,
    ShortestPath,
    Sorting,
    TopK,
    sorting,
    spanning_tree,
)
from colayer.layers import path_cover as covers
from colayer.layers.layer import costs_of, indicator
from support.errors import rejects

TRIANGLE = [(0, 1), (1, 2), (0, 2)]
#: how to make a layer, length of θ
LAYERS = {
    "sorting": (lambda: Sorting(), 5),
    "top-k": (lambda: TopK(2), 5),
    "spanning tree": (lambda: MinimumSpanningTree(3, TRIANGLE), 3),
    "path cover": (lambda: PathCover([0, 2, 3, 3], [1, 2, 2]), 9),
    "assignment": (lambda: Assignment(2, 3), 6),
    "knapsack": (lambda: Knapsack([1, 2, 3], 4), 3),
    "acyclic path": (lambda: ShortestPath(3, TRIANGLE, 0, 2), 3),
    "path": (lambda: ShortestPath(3, [*TRIANGLE, (1, 0)], 0, 2), 4),
    "program": (lambda: LinearProgram(([[1.0, 1.0, 1.0]], 1.0, 2.0), bounds=(0.0, 1.0), integrality=1), 3),
}


@pytest.fixture(params=LAYERS, name="case")
def case_of(request: pytest.FixtureRequest) -> tuple[Layer, np.ndarray]:
    make, n = LAYERS[request.param]
    return make(), np.random.default_rng(0).random((50, n)) + 0.1


def test_maps_theta_to_a_vector_of_its_length(case: tuple[Layer, np.ndarray]) -> None:
    layer, thetas = case
    assert isinstance(layer, Layer)
    assert layer.size in (None, thetas.shape[1])
    for theta in thetas:
        y = layer(theta)
        assert y.shape == theta.shape
        assert y.dtype == np.float64


def test_no_other_answer_is_better(case: tuple[Layer, np.ndarray]) -> None:
    """y(θ) is best for θ among the answers for all the other θ."""
    layer, thetas = case
    answers = np.array([layer(theta) for theta in thetas])
    values = thetas @ answers.T
    assert (values >= values.diagonal()[:, None] - 1e-9).all()


def test_leaves_theta_alone_and_repeats_itself_also_when_pickled(case: tuple[Layer, np.ndarray]) -> None:
    """A list, a read-only view with steps, and a copy in another process get the same answer."""
    layer, thetas = case
    copy = pickle.loads(pickle.dumps(layer))
    for theta in thetas[:10]:
        before = theta.copy()
        y = layer(theta).tobytes()
        assert theta.tobytes() == before.tobytes()
        spread = np.repeat(theta, 2)
        spread.flags.writeable = False
        assert layer(theta.tolist()).tobytes() == layer(spread[::2]).tobytes() == copy(theta).tobytes() == y


def test_does_not_follow_changes_of_what_it_was_made_from() -> None:
    weights = np.array([1, 2, 3])
    arcs = np.array(TRIANGLE)
    knapsack, path, tree = Knapsack(weights, 3), ShortestPath(3, arcs, 0, 2), MinimumSpanningTree(3, arcs)
    theta = -np.array([3.0, 1.0, 2.0])
    before = [layer(theta).tolist() for layer in (knapsack, path, tree)]
    weights[:] = 9
    arcs[:] = 0
    assert [layer(theta).tolist() for layer in (knapsack, path, tree)] == before


@pytest.mark.parametrize("kind", LAYERS)
def test_refuses_theta_that_is_none(kind: str) -> None:
    make, n = LAYERS[kind]
    layer = make()
    with rejects(InputError, where="theta[0]"):
        layer(np.full(n, np.nan))
    if layer.size is not None:
        with rejects(InputError, where="theta"):
            layer(np.ones(n + 1))


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("wrong", [1j, "1.0", [1.0, 2.0]], ids=["complex", "text", "ragged"])
def test_refuses_theta_that_is_no_vector_of_real_numbers(kind: str, wrong: object) -> None:
    """Complex numbers would lose a part in silence, and text would be read as numbers."""
    make, n = LAYERS[kind]
    layer = make()
    with rejects(InputError, where="theta"):
        layer([wrong, *[0.5] * (n - 1)])


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: TopK(2.5), "k"),
        (lambda: TopK(True), "k"),
        (lambda: MinimumSpanningTree(2.0, [(0, 1)]), "nodes"),
        (lambda: MinimumSpanningTree(0, []), "nodes"),
        (lambda: MinimumSpanningTree(2, 5), "edges"),
        (lambda: ShortestPath(3, TRIANGLE, 0.5, 2), "source"),
    ],
)
def test_refuses_counts_that_are_not_whole(make: Callable[[], object], where: str) -> None:
    with rejects(InputError, where=where):
        make()


def test_whole_numbers_of_numpy_count_as_such() -> None:
    assert TopK(np.int64(1))([2.0, 1.0]).tolist() == [0.0, 1.0]
    assert hash(TopK(np.int64(1))) == hash(TopK(1))


def test_a_single_node_is_a_tree() -> None:
    layer = MinimumSpanningTree(1, [])
    assert layer.size == 0
    assert layer([]).shape == (0,)


def test_the_objects_give_what_the_functions_give() -> None:
    """Sorting, spanning tree and path cover are thin coats around functions on arrays."""
    theta = np.random.default_rng(1).normal(size=9)
    assert Sorting()(theta).tolist() == sorting.embed(sorting.sort(theta)).tolist()
    tree = spanning_tree.minimum_spanning_tree(3, TRIANGLE, theta[:3])
    assert MinimumSpanningTree(3, TRIANGLE)(theta[:3]).tolist() == spanning_tree.embed(tree, 3).tolist()
    indptr, heads = np.array([0, 2, 3, 3]), np.array([1, 2, 2], dtype=np.int32)
    successor = covers.path_cover(indptr, heads, theta[:3], theta[3:6], theta[6:])
    assert PathCover(indptr, heads)(theta).tolist() == covers.embed(successor, indptr, heads).tolist()


def test_refuses_graphs_that_are_none() -> None:
    with rejects(InputError, where="edges"):
        MinimumSpanningTree(4, TRIANGLE)
    with rejects(InputError, where="heads[0]"):
        PathCover([0, 1], [1])


def test_costs_are_copied_only_where_it_takes_a_copy() -> None:
    """Kernels are compiled for contiguous, writable float64; what is that already is handed on."""
    given = np.array([1.0, 2.0, 3.0])
    assert costs_of(given) is given
    read_only = given.copy()
    read_only.flags.writeable = False
    for other in (read_only, given[::-1], given.astype(np.float32), [1, 2, 3], np.array([True, False])):
        costs = costs_of(other)
        assert costs.flags.c_contiguous
        assert costs.flags.writeable
        assert costs.dtype == np.float64
        assert costs.tolist() == np.asarray(other).tolist()


@pytest.mark.parametrize(
    ("theta", "where"),
    [
        ([[1.0, 2.0]], "costs"),
        (5.0, "costs"),
        ([1.0], "costs"),
        ([0.0, -np.inf], "costs[1]"),
        ([10**400, 1], "costs"),
    ],
)
def test_costs_are_refused_by_place(theta: object, where: str) -> None:
    with rejects(InputError, where=where):
        costs_of(theta, 2, "costs")  # type: ignore[arg-type]


def test_indicator() -> None:
    assert indicator(np.array([2, 0]), 4).tolist() == [1.0, 0.0, 1.0, 0.0]
    assert indicator(np.array([], dtype=np.int64), 2).tolist() == [0.0, 0.0]


def test_layers_are_resolved_by_name_and_others_refused() -> None:
    import colayer.layers

    assert all(getattr(colayer.layers, name).__name__ == name for name in colayer.layers.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Matching'"):
        _ = colayer.layers.Matching
