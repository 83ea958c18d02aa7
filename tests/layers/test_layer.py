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

TRIANGLE = [(0, 1), (1, 2), (0, 2)]
#: layer, length of θ
LAYERS = {
    "sorting": (Sorting(), 5),
    "top-k": (TopK(2), 5),
    "spanning tree": (MinimumSpanningTree(3, TRIANGLE), 3),
    "path cover": (PathCover([0, 2, 3, 3], [1, 2, 2]), 9),
    "assignment": (Assignment(2, 3), 6),
    "knapsack": (Knapsack([1, 2, 3], 4), 3),
    "acyclic path": (ShortestPath(3, TRIANGLE, 0, 2), 3),
    "path": (ShortestPath(3, [*TRIANGLE, (1, 0)], 0, 2), 4),
    "program": (LinearProgram(([[1.0, 1.0, 1.0]], 1.0, 2.0), bounds=(0.0, 1.0), integrality=1), 3),
}


@pytest.fixture(params=LAYERS, name="case")
def case_of(request: pytest.FixtureRequest) -> tuple[Layer, np.ndarray]:
    layer, n = LAYERS[request.param]
    return layer, np.random.default_rng(0).random((50, n)) + 0.1


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
    layer, n = LAYERS[kind]
    with pytest.raises(InputError, match="theta"):
        layer(np.full(n, np.nan))
    if layer.size is not None:
        with pytest.raises(InputError, match=f"theta: {n + 1} numbers, expected {n}"):
            layer(np.ones(n + 1))


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("wrong", [1j, "1.0", [1.0, 2.0]], ids=["complex", "text", "ragged"])
def test_refuses_theta_that_is_no_vector_of_real_numbers(kind: str, wrong: object) -> None:
    """Complex numbers would lose a part in silence, and text would be read as numbers."""
    layer, n = LAYERS[kind]
    with pytest.raises(InputError, match=r"^theta: .*, expected real numbers$"):
        layer([wrong, *[0.5] * (n - 1)])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TopK(2.5), "k: 2.5 is not a whole number, expected 0 or more"),
        (lambda: TopK(True), "k: True is not a whole number"),
        (lambda: MinimumSpanningTree(2.0, [(0, 1)]), "nodes: 2.0 is not a whole number, expected 1 or more"),
        (lambda: MinimumSpanningTree(0, []), "nodes: 0 is out of range, expected at least 1"),
        (lambda: MinimumSpanningTree(2, 5), "edges: expected pairs of nodes"),
        (lambda: ShortestPath(3, TRIANGLE, 0.5, 2), "source: 0.5 is not a whole number"),
    ],
)
def test_refuses_counts_that_are_not_whole(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
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
    with pytest.raises(InputError, match="the graph is not connected"):
        MinimumSpanningTree(4, TRIANGLE)
    with pytest.raises(InputError, match="heads"):
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
    ("theta", "message"),
    [
        ([[1.0, 2.0]], r"costs: an array of 2 dimensions, expected one"),
        (5.0, r"costs: an array of 0 dimensions, expected one"),
        ([1.0], r"costs: 1 numbers, expected 2"),
        ([0.0, -np.inf], r"costs\[1\]: -inf, expected a finite number"),
        ([10**400, 1], r"costs: .*, expected real numbers"),
    ],
)
def test_costs_are_refused_by_place(theta: object, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        costs_of(theta, 2, "costs")  # type: ignore[arg-type]


def test_indicator() -> None:
    assert indicator(np.array([2, 0]), 4).tolist() == [1.0, 0.0, 1.0, 0.0]
    assert indicator(np.array([], dtype=np.int64), 2).tolist() == [0.0, 0.0]


def test_layers_are_resolved_by_name_and_others_refused() -> None:
    import colayer.layers

    assert all(getattr(colayer.layers, name).__name__ == name for name in colayer.layers.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Matching'"):
        _ = colayer.layers.Matching
