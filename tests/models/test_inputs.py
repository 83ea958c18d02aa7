"""What networks are told of rows, against plain numpy, and what can be added to θ."""

from __future__ import annotations

import numpy as np

from colayer.models.inputs import CLIP, SHIFTS, inputs_of, offsets_of, scaled_features, sequence_of
from colayer.problem.structure import Graph, Groups, Order, Structure

ROWS = 9


def checked(*relations: Order | Graph | Groups) -> Structure:
    for relation in relations:
        relation.check()
    return relations


def graph_of(theta_offsets: int) -> Graph:
    random = np.random.default_rng(theta_offsets)
    nodes = random.integers(4, size=(2, ROWS))
    return Graph(4, nodes[0], nodes[1], theta_offsets=10.0 * random.normal(size=(ROWS, theta_offsets)))


def order_of(positions: int, sizes: int) -> Order:
    random = np.random.default_rng(7)
    return Order(random.permutation(ROWS), random.normal(size=(ROWS, positions)), random.random((ROWS, sizes)))


def plain(features: np.ndarray, scale: np.ndarray, center: np.ndarray) -> np.ndarray:
    return np.clip(features / scale - center, -CLIP, CLIP).T


def test_features_are_centred_and_clipped() -> None:
    random = np.random.default_rng(0)
    features, scale, center = 9.0 * random.normal(size=(ROWS, 3)), np.array([1.0, 2.0, 0.5]), np.array([0.0, 1.0, -1.0])
    found = scaled_features(features, scale, center)
    assert found.dtype == np.float32
    assert np.allclose(found, plain(features, scale, center), rtol=1e-6, atol=1e-6)
    assert np.abs(found).max() == CLIP
    for structure in ((), checked(Groups([0] * ROWS)), checked(graph_of(0))):
        assert np.array_equal(inputs_of(features, structure, scale, center), found)


def test_theta_offsets_of_graphs_follow_squashed() -> None:
    features = np.random.default_rng(1).normal(size=(ROWS, 2))
    ones, zeros = np.ones(2), np.zeros(2)
    graph = graph_of(3)
    found = inputs_of(features, checked(graph), ones, zeros)
    assert np.allclose(found[:2], features.T, atol=1e-6)
    assert np.allclose(found[2:], np.arcsinh(graph.theta_offsets).T, rtol=1e-6, atol=1e-6)
    order = order_of(2, 1)
    both = inputs_of(features, checked(order, graph), ones, zeros)
    alone = inputs_of(features, checked(order), ones, zeros)
    assert np.array_equal(both[: len(alone)], alone)
    assert np.array_equal(both[len(alone) :], found[2:, order.permutation])


def test_without_positions_and_sizes_neighbours_are_told_by_their_features() -> None:
    features = np.random.default_rng(2).normal(size=(ROWS, 2))
    order = order_of(0, 0)
    found = inputs_of(features, checked(order), np.ones(2), np.zeros(2))
    rows = features[order.permutation].T
    expected = [rows]
    for shift in SHIFTS:
        beside = rows[:, np.clip(np.arange(ROWS) + shift, 0, ROWS - 1)]
        expected.append(np.arcsinh(beside - rows))
    assert np.allclose(found, np.concatenate(expected), rtol=1e-5, atol=1e-6)


def test_offsets_are_those_of_the_rows_in_order() -> None:
    order = Order([1, 0], [[5.0, 4.0, 9.0], [2.0, 1.0, 2.5]])
    order.check()
    groups = Groups([0, 0])
    assert offsets_of((groups, order)).tolist() == [[-1.0, -1.0], [0.5, 4.0]]
    assert offsets_of((groups,)).size == 0


def test_theta_offsets_of_graphs_are_offsets_too() -> None:
    graph, order = graph_of(2), order_of(3, 0)
    assert offsets_of(checked(graph)).tolist() == graph.theta_offsets.T.tolist()
    both = offsets_of(checked(order, graph))
    assert both[:2].tolist() == (order.positions[:, 1:] - order.positions[:, :1]).T[:, order.permutation].tolist()
    assert both[2:].tolist() == graph.theta_offsets.T[:, order.permutation].tolist()


def test_rows_stand_in_a_sequence_or_in_none() -> None:
    assert sequence_of((graph_of(0),)) is None
    assert sequence_of((graph_of(0), Order([1, 0]))) == [1, 0]
