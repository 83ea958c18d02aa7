"""Networks that see context, in numpy: θ by hand, equivariance, any size, and files that are refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models import ContextModel, read_model
from colayer.models.inputs import inputs_of, scaled_features
from colayer.models.stage import Stage, kinds_of
from colayer.models.thetas import thetas
from colayer.problem.structure import Graph, Groups, Order, Structure
from support.errors import rejects
from support.stages import drawn_arrays


def model(structure: Structure, inputs: int, **more: Any) -> ContextModel:
    d, relations = 3, kinds_of(structure)
    return ContextModel(
        feature_names=tuple(f"f{k}" for k in range(d)),
        weights=np.random.default_rng(8).normal(size=d),
        feature_scale=np.ones(d),
        problem="toy",
        center=np.zeros(d),
        relations=relations,
        dilations=(1, 2),
        arrays=drawn_arrays(relations, inputs),
        **more,
    )


def relations(rows: int, seed: int = 0) -> dict[str, Structure]:
    random = np.random.default_rng(seed)
    tail, head = random.integers(4, size=(2, rows))
    order = Order(random.permutation(rows), random.normal(size=(rows, 2)), random.random((rows, 1)))
    return {
        "order": (order,),
        "bare order": (Order(order.permutation),),
        "graph": (Graph(4, tail, head),),
        "arcs": (Graph(4, tail, head, directed=True),),
        "graph with offsets": (Graph(4, tail, head, theta_offsets=random.normal(size=(rows, 2))),),
        "groups": (Groups(random.integers(min(3, rows), size=rows)),),
        "all": (order, Graph(4, tail, head), Groups(random.integers(min(3, rows), size=rows))),
        "none": (),
    }


def permuted(structure: Structure, order: np.ndarray) -> Structure:
    """The structure of rows taken in another order."""
    place = np.argsort(order)
    found: list[Order | Graph | Groups] = []
    for relation in structure:
        if isinstance(relation, Order):
            columns = (part[order] if len(part) else part for part in (relation.positions, relation.sizes))
            found.append(Order(place[relation.permutation], *columns))
        elif isinstance(relation, Graph):
            offsets = relation.theta_offsets[order] if len(relation.theta_offsets) else relation.theta_offsets
            found.append(Graph(relation.nodes, relation.tail[order], relation.head[order], relation.directed, offsets))
        else:
            found.append(Groups(relation.labels[order]))
    return tuple(found)


def checked(structure: Structure) -> Structure:
    for relation in structure:
        relation.check()
    return structure


@pytest.mark.parametrize("kind", list(relations(3)))
@pytest.mark.parametrize("rows", [1, 2, 30, 300])
def test_permuted_rows_give_permuted_theta(kind: str, rows: int) -> None:
    structure = checked(relations(rows)[kind])
    features = np.random.default_rng(1).normal(size=(rows, 3))
    made = model(structure, len(inputs_of(features, structure, np.ones(3), np.zeros(3))))
    order = np.random.default_rng(2).permutation(rows)
    straight = made.theta(features, structure)
    other = made.theta(features[order], checked(permuted(structure, order)))
    assert straight.shape == (rows,)
    assert np.allclose(other, straight[order], rtol=1e-5, atol=1e-4 * np.abs(straight).max())


def plain_forward(made: ContextModel, features: np.ndarray, structure: Structure) -> np.ndarray:
    """The same in plain numpy, row by row, float64."""
    arrays = {name: np.asarray(array, dtype=np.float64) for name, array in made.arrays.items()}
    u = inputs_of(features, structure, made.feature_scale, made.center).astype(np.float64)
    rows = u.shape[1]
    sequence = next((one.permutation for one in structure if isinstance(one, Order)), np.arange(rows))
    h = np.maximum(arrays["input.matrix"] @ u + arrays["input.bias"][:, None], 0.0)
    for k, step in enumerate(made.dilations):
        x = h.copy()
        for relation, name in zip(structure, made.relations, strict=True):
            V = arrays[f"{k}.{name}"]
            for i in range(rows):
                if isinstance(relation, Order):
                    for column, j in enumerate((i - step, i, i + step)):
                        if 0 <= j < rows:
                            x[:, i] += V[:, column] * h[:, j]
                    continue
                if isinstance(relation, Groups):
                    label = relation.labels[sequence]
                    inside = h[:, label == label[i]]
                    x[:, i] += V @ np.concatenate([inside.mean(axis=1), inside.max(axis=1)])
                    continue
                ends = relation.tail[sequence], relation.head[sequence]
                for end, part in enumerate(np.split(V, 2) if relation.directed else (V, V)):
                    node = ends[end][i]
                    if relation.directed:
                        pools = [h[:, ends[0] == node], h[:, ends[1] == node]]
                    else:
                        pools = [np.hstack([h[:, ends[0] == node], h[:, ends[1] == node]])]
                    zero = np.zeros(len(h))
                    said = [(p.mean(axis=1), p.max(axis=1)) if p.shape[1] else (zero, zero) for p in pools]
                    x[:, i] += part @ np.concatenate([part for pair in said for part in pair])
        z = arrays[f"{k}.matrix"] @ x + arrays[f"{k}.bias"][:, None]
        a, b = np.split(z, 2)
        h += a * 0.5 * (1.0 + b / (1.0 + np.abs(b)))
    out = np.empty(rows)
    out[sequence] = arrays["head.matrix"][0] @ h + arrays["head.bias"][0]
    for relation in structure:
        if isinstance(relation, Order) and relation.positions.shape[1]:
            out += relation.positions[:, 0]
    return out


@pytest.mark.parametrize("kind", list(relations(3)))
def test_kernels_compute_what_plain_numpy_does(kind: str) -> None:
    structure = checked(relations(40)[kind])
    features = 4.0 * np.random.default_rng(3).normal(size=(40, 3))  # some are clipped
    made = model(structure, len(inputs_of(features, structure, np.ones(3), np.zeros(3))))
    expected = plain_forward(made, features, structure)
    assert np.allclose(made.correction(features, structure), expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_inputs_of_an_order_by_hand() -> None:
    """Two rows, the second first: features, then positions and sizes against the own first position; six neighbours."""
    order = Order([1, 0], [[5.0, 4.0], [2.0, 1.0]], [[3.0], [1.0]])
    order.check()
    inputs = inputs_of(np.array([[7.0], [9.0]]), (order,), np.array([2.0]), np.array([0.5]))
    differences = np.sinh(inputs[1:].astype(np.float64))
    assert inputs[0].tolist() == [4.0, 3.0]
    assert np.allclose(
        differences.T,
        [
            [-1.0, 1.0, *3 * [0.0, -1.0, 0.0], *3 * [3.0, 2.0, 2.0]],
            [-1.0, 3.0, *3 * [-3.0, -4.0, -2.0], *3 * [0.0, -1.0, 0.0]],
        ],
        atol=1e-6,
    )


def test_a_network_of_zeros_is_the_linear_model_and_where_rows_stand() -> None:
    structure = checked(relations(10)["order"])
    features = np.random.default_rng(4).normal(size=(10, 3))
    made = model(structure, 3 + 2 + 6 * 3)
    silent = {name: np.zeros_like(array) if name.startswith("head") else array for name, array in made.arrays.items()}
    still = ContextModel(
        made.feature_names, made.weights, made.feature_scale, "toy", center=made.center,
        relations=made.relations, dilations=made.dilations, arrays=silent,
    )  # fmt: skip
    order = structure[0]
    assert isinstance(order, Order)
    assert np.allclose(still.theta(features, structure), features @ made.weights + order.positions[:, 0])


def test_another_structure_is_refused() -> None:
    made = model(relations(5)["graph"], 3)
    with rejects(InputError, "groups", "graph"):
        made.theta(np.zeros((5, 3)), checked(relations(5)["groups"]))
    structure = checked(relations(5)["order"])
    with rejects(InputError, "23", "4"):
        model(structure, 4).theta(np.zeros((5, 3)), structure)


def test_files_keep_every_bit(tmp_path: Path) -> None:
    structure = checked(relations(12)["all"])
    features = np.random.default_rng(5).normal(size=(12, 3))
    made = model(structure, 23, fallback=np.array([1.0, 2.0, 3.0]))
    made.save(tmp_path / "model.json")
    read = read_model(tmp_path / "model.json")
    assert isinstance(read, ContextModel)
    assert read.fallback.tolist() == [1.0, 2.0, 3.0]
    assert read.theta(features, structure).tolist() == made.theta(features, structure).tolist()


def later_of(structure: Structure, seed: int) -> Stage:
    """A network that sees an order of three positions, and may send rows to any of them."""
    return Stage.of(kinds_of(structure), (1, 2), drawn_arrays(("order",), 30, heads=3, seed=seed), "weights")


def order_after(theta: np.ndarray) -> Structure:
    """The structure after an answer: rows as θ sorts them."""
    positions = np.column_stack([theta, np.sin(theta), np.cos(theta)])
    return checked((Order(np.argsort(theta), positions, np.abs(positions[:, :1])),))


def stages(rows: int, count: int = 2) -> tuple[ContextModel, Structure]:
    structure = checked(relations(rows)["order"])
    return model(structure, 23, then=tuple(later_of(structure, seed) for seed in range(1, count))), structure


@pytest.mark.parametrize("rows", [1, 2, 30])
def test_a_later_network_sees_what_the_one_before_has_made(rows: int) -> None:
    made, structure = stages(rows, 3)
    features = np.random.default_rng(6).normal(size=(rows, 3))
    theta = model(structure, 23).theta(features, structure)
    for stage in made.then:  # it starts from its positions alone
        theta = stage.added(scaled_features(features, made.feature_scale, made.center), order_after(theta))
    found = made.correction(features, structure, order_after)
    assert np.allclose(features @ made.weights + found, theta, rtol=1e-9, atol=1e-9)


def test_without_positions_a_later_network_adds_to_the_theta_before() -> None:
    structure = checked(relations(9)["groups"])
    later = Stage.of(("groups",), (1, 2), drawn_arrays(("groups",), 3, seed=4), "weights")
    first, made = (model(structure, 3, then=then) for then in ((), (later,)))
    features = np.random.default_rng(6).normal(size=(9, 3))
    said = later.added(scaled_features(features, made.feature_scale, made.center), structure)
    found = made.correction(features, structure, lambda theta: structure)
    assert np.allclose(found, first.correction(features, structure) + said)


def test_a_later_network_is_told_each_theta_once() -> None:
    made, structure = stages(12)
    features = np.random.default_rng(6).normal(size=(12, 3))
    told: list[np.ndarray] = []

    def after(theta: np.ndarray) -> Structure:
        told.append(theta)
        return order_after(theta)

    made.correction(features, structure, after)
    assert len(told) == 1
    assert np.allclose(told[0], model(structure, 23).theta(features, structure), rtol=1e-12, atol=1e-12)


def test_after_a_silent_network_the_next_looks_at_the_linear_model(tmp_path: Path) -> None:
    """It has no arrays, whatever it is told; files keep that."""
    (graph,) = checked(relations(20)["graph with offsets"])
    features, told = np.random.default_rng(5).normal(size=(20, 3)), []
    stage = Stage.of(("graph",), (1, 2), drawn_arrays(("graph",), 3 + 2, heads=3), "weights")
    made = ContextModel(
        feature_names=("a", "b", "c"), weights=np.array([1.0, -1.0, 2.0]), feature_scale=np.ones(3), problem="toy",
        center=np.zeros(3), then=(stage,),
    )  # fmt: skip
    assert made.silent
    assert made.stages == 1
    assert not replace(made, **vars(stage)).silent
    assert replace(made, **vars(stage)).stages == 2

    def after(theta: np.ndarray) -> Structure:
        told.append(theta.tolist())
        return (graph,)

    added = made.correction(features, (), after)
    assert told == [thetas(features, made.raw()[None, :])[0].tolist()]
    assert np.array_equal(added, stage.added(scaled_features(features, np.ones(3), np.zeros(3)), (graph,)))
    made.save(tmp_path / "model.json")
    again = read_model(tmp_path / "model.json")
    assert isinstance(again, ContextModel)
    assert again.silent
    assert np.array_equal(again.correction(features, (), after), added)
    spoil(tmp_path / "model.json", lambda weights: weights["then"].append(Stage((), (), {}).written()))
    with rejects(InputError, where="model.json: weights.then[1]"):
        read_model(tmp_path / "model.json")
    assert not replace(made, then=()).correction(features).any()


def test_several_networks_need_to_know_what_comes_after() -> None:
    made, structure = stages(5)
    for ask in (made.correction, made.theta):
        with pytest.raises(InputError, match="sees an answer of the layer needs the structure after it"):
            ask(np.zeros((5, 3)), structure)


def test_files_keep_later_networks(tmp_path: Path) -> None:
    made, structure = stages(12, 3)
    features = np.random.default_rng(7).normal(size=(12, 3))
    made.save(tmp_path / "model.json")
    read = read_model(tmp_path / "model.json")
    assert isinstance(read, ContextModel)
    assert len(read.then) == 2
    for ours, theirs in zip(made.then, read.then, strict=True):
        assert (ours.relations, ours.dilations) == (theirs.relations, theirs.dilations)
        assert all(ours.arrays[name].tobytes() == theirs.arrays[name].tobytes() for name in ours.arrays)
    found, expected = (one.correction(features, structure, order_after) for one in (read, made))
    assert found.tobytes() == expected.tobytes()


def spoil(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(path.read_text())
    change(document["weights"])
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (
            lambda w: w.pop("center"),
            "model.json: weights",
        ),
        (lambda w: w.update(relations="graph"), "model.json: weights.relations"),
        (lambda w: w.update(relations=["tree"]), "model.json: weights.relations"),
        (lambda w: w.update(dilations=[1, 0]), "model.json: weights.dilations"),
        (lambda w: w["network"].pop("head.bias"), "model.json: weights.network"),
        (lambda w: w["network"].update({"0.bias": [1.0]}), "model.json: weights.network.0.bias"),
        (lambda w: w["network"].update({"0.bias": 3}), "model.json: weights.network.0.bias"),
        (lambda w: w["network"]["head.matrix"][0].__setitem__(1, "x"), "model.json: weights.network.head.matrix[0][1]"),
        (lambda w: w.update(fallback=[1.0]), "model.json: weights.fallback"),
    ],
)
def test_damaged_files_are_refused_by_name(tmp_path: Path, change: Callable[[Any], Any], where: str) -> None:
    path = tmp_path / "model.json"
    model(relations(5)["graph"], 3).save(path)
    spoil(path, change)
    with rejects(InputError, where=where):
        read_model(path)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda w: w.update(then=3), "model.json: weights.then"),
        (lambda w: w.update(then={}), "model.json: weights.then"),
        (lambda w: w["then"].append([]), "model.json: weights.then"),
        (lambda w: w["then"].append({}), "model.json: weights.then[1].relations"),
        (
            lambda w: w["then"][0].update(more=3),
            "model.json: weights.then",
        ),
        (lambda w: w["then"][0].update(relations=[["order"]]), "model.json: weights.then[0].relations"),
        (lambda w: w["then"][0]["network"].update({"head.bias": 3}), "model.json: weights.then[0].network.head.matrix"),
        (lambda w: w["then"][0].update(relations=["tree"]), "model.json: weights.then[0].relations"),
        (lambda w: w["then"][0].update(dilations=[0, 1]), "model.json: weights.then[0].dilations"),
        (lambda w: w["then"][0].update(network=3), "model.json: weights.then[0].network"),
        (lambda w: w["then"][0]["network"].pop("head.bias"), "model.json: weights.then[0].network"),
        (lambda w: w["then"][0]["network"]["0.bias"].pop(), "model.json: weights.then[0].network.0.bias"),
    ],
)
def test_damaged_later_networks_are_refused_in_one_line(
    tmp_path: Path, change: Callable[[Any], Any], where: str
) -> None:
    path = tmp_path / "model.json"
    stages(5)[0].save(path)
    spoil(path, change)
    with rejects(InputError, where=where):
        read_model(path)
