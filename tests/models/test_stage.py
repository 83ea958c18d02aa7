"""One network: rows sent to positions, entries of a file that keep every bit, and entries refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models.inputs import inputs_of, offsets_of, scaled_features
from colayer.models.stage import Stage, kinds_of
from colayer.problem.structure import Graph, Groups, Order
from support.errors import rejects
from support.stages import drawn_arrays

ONES, ZEROS = np.ones(3), np.zeros(3)


def order_of(rows: int, positions: int) -> Order:
    random = np.random.default_rng(rows)
    order = Order(random.permutation(rows), random.normal(size=(rows, positions)), random.random((rows, 1)))
    order.check()
    return order


def stage_of(order: Order, heads: int, *, channels: int = 5) -> Stage:
    inputs = len(inputs_of(np.zeros((order.rows, 3)), (order,), ONES, ZEROS))
    arrays = drawn_arrays(("order",), inputs, heads=heads, channels=channels)
    return Stage.of(("order",), (1, 2), arrays, "weights")


def outputs(stage: Stage, features: np.ndarray, order: Order) -> np.ndarray:
    """What the head says, (heads, rows), in plain numpy, float64."""
    arrays = {name: array.astype(np.float64) for name, array in stage.arrays.items()}
    u = inputs_of(features, (order,), ONES, ZEROS).astype(np.float64)
    h = np.maximum(arrays["input.matrix"] @ u + arrays["input.bias"][:, None], 0.0)
    for k, step in enumerate(stage.dilations):
        taps = arrays[f"{k}.order"]
        x = h * (1.0 + taps[:, [1]])
        for i in range(order.rows):
            if i >= step:
                x[:, i] += taps[:, 0] * h[:, i - step]
            if i + step < order.rows:
                x[:, i] += taps[:, 2] * h[:, i + step]
        a, b = np.split(arrays[f"{k}.matrix"] @ x + arrays[f"{k}.bias"][:, None], 2)
        h = h + a * 0.5 * (1.0 + b / (1.0 + np.abs(b)))
    return np.asarray(arrays["head.matrix"] @ h + arrays["head.bias"][:, None])


@pytest.mark.parametrize("channels", [3, 5, 8])
@pytest.mark.parametrize("rows", [1, 2, 30])
@pytest.mark.parametrize("positions", [1, 2, 5])
def test_rows_are_sent_to_positions(rows: int, positions: int, channels: int) -> None:
    order = order_of(rows, positions)
    stage = stage_of(order, positions, channels=channels)
    features = 4.0 * np.random.default_rng(1).normal(size=(rows, 3))
    out = outputs(stage, features, order)
    expected = np.empty(rows)
    for place, row in enumerate(order.permutation):
        first, *others = order.positions[row]
        expected[row] = first + out[0, place]
        for k, moment in enumerate(others, start=1):
            expected[row] += out[k, place] * (moment - first)
    found = stage.added(scaled_features(features, ONES, ZEROS), (order,))
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_a_head_of_one_row_leaves_the_other_positions_alone() -> None:
    order = order_of(20, 4)
    stage = stage_of(order, 1)
    features = np.random.default_rng(2).normal(size=(20, 3))
    expected = order.positions[:, 0].copy()
    expected[order.permutation] += outputs(stage, features, order)[0]
    assert np.allclose(stage.added(scaled_features(features, ONES, ZEROS), (order,)), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("heads", [2, 4])
def test_a_head_must_fit_the_positions(heads: int) -> None:
    order = order_of(6, 3)
    with rejects(InputError, "2", f"{heads - 1}"):
        stage_of(order, heads).added(scaled_features(np.zeros((6, 3)), ONES, ZEROS), (order,))


def test_without_positions_there_is_one_head() -> None:
    bare = Order(np.arange(4))
    bare.check()
    assert offsets_of((bare,)).size == 0
    with rejects(InputError, "0", "1"):
        stage_of(bare, 2).added(scaled_features(np.zeros((4, 3)), ONES, ZEROS), (bare,))


def test_relations_have_names() -> None:
    graph, arcs = Graph(2, [0, 1], [1, 0]), Graph(2, [0, 1], [1, 0], directed=True)
    assert kinds_of((graph, arcs, Groups([0, 0]), Order([1, 0]))) == ("graph", "arcs", "groups", "order")


def written(heads: int = 3) -> Any:
    """The entries of a network, as a JSON file has them."""
    return json.loads(json.dumps(stage_of(order_of(6, 3), heads).written()))


def test_entries_keep_every_bit() -> None:
    order = order_of(6, 3)
    stage, again = stage_of(order, 3), Stage.read(written(), "weights")
    assert (again.relations, again.dilations) == (("order",), (1, 2))
    assert list(again.arrays) == list(stage.arrays)
    for name, array in stage.arrays.items():
        assert again.arrays[name].tobytes() == array.tobytes()
    features = np.random.default_rng(3).normal(size=(6, 3))
    ours, theirs = (one.added(scaled_features(features, ONES, ZEROS), (order,)) for one in (stage, again))
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda e: e.update(relations=["tree"]), "relations"),
        (lambda e: e.update(relations="order"), "relations"),
        (lambda e: e.pop("relations"), "relations"),
        (lambda e: e.update(dilations=[1, 0]), "dilations"),
        (lambda e: e.update(dilations=[1, 2.0]), "dilations"),
        (lambda e: e.update(dilations=3), "dilations"),
        (lambda e: e.update(dilations=[1]), "network"),
        (lambda e: e.update(network=[]), "network"),
        (lambda e: e["network"].pop("1.order"), "network"),
        (lambda e: e["network"].pop("head.bias"), "network"),
        (lambda e: e["network"].update(more=[1.0]), "network"),
        (lambda e: e["network"]["head.bias"].pop(), "network.head.matrix"),
        (lambda e: e["network"]["1.bias"].pop(), "network.1.bias"),
        (lambda e: e["network"]["0.order"][2].append(1.0), "network.0.order[2]"),
    ],
)
def test_what_is_no_network_is_refused_by_name(change: Callable[[Any], Any], where: str) -> None:
    entry = written()
    change(entry)
    with rejects(InputError, where=f"weights.then[1].{where}"):
        Stage.read(entry, "weights.then[1]")
