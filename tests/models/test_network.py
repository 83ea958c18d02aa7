"""The network in numpy: θ by hand, equivariance, and files that are refused by name."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models import LinearModel, NeuralModel, read_model
from colayer.models.network import CLIP


def network(architecture: str = "mlp", d: int = 5, hidden: int = 6, seed: int = 0) -> NeuralModel:
    random = np.random.default_rng(seed)
    inputs = 3 * d if architecture == "context-mlp" else d
    layers = (
        (random.normal(size=(hidden, inputs)), random.normal(size=hidden)),
        (random.normal(size=(d + 1, hidden)), random.normal(size=d + 1)),
    )
    return NeuralModel(
        feature_names=tuple(f"f{k}" for k in range(d)),
        weights=random.normal(size=d),
        feature_scale=np.ones(d),
        problem="toy",
        architecture=architecture,
        center=random.normal(size=d),
        layers=layers,
    )


def one_layer(architecture: str, matrix: list[list[float]], bias: list[float], scale: float = 1.0) -> NeuralModel:
    return NeuralModel(
        ("x",), np.array([10.0]), np.array([scale]), "toy",
        architecture=architecture, center=np.array([1.0]), layers=((np.array(matrix), np.array(bias)),),
    )  # fmt: skip


def test_correction_by_hand() -> None:
    """One feature, one layer: u = x/s − 1; g = (2u + 3, −u); θ = (10 + g_1)·x/s + g_2."""
    model = one_layer("mlp", [[2.0], [-1.0]], [3.0, 0.0], scale=2.0)
    features = np.array([[2.0], [6.0]])  # x/s = 1 and 3, u = 0 and 2
    assert model.correction(features).tolist() == [3.0, 7.0 * 3.0 - 2.0]
    assert model.theta(features).tolist() == [13.0, 17.0 * 3.0 - 2.0]


def test_hidden_layers_are_rectified() -> None:
    """relu between the layers, none after the last: g = −relu(u) is never positive."""
    model = NeuralModel(
        ("x",), np.array([0.0]), np.array([1.0]), "toy", center=np.array([0.0]),
        layers=((np.array([[1.0]]), np.array([0.0])), (np.array([[0.0], [-1.0]]), np.array([0.0, 0.0]))),
    )  # fmt: skip
    assert model.theta(np.array([[-2.0], [0.0], [3.0]])).tolist() == [0.0, 0.0, -3.0]


def test_inputs_are_clipped() -> None:
    """Beyond `CLIP` standard deviations the network sees no difference; the linear part does."""
    model = one_layer("mlp", [[0.0], [1.0]], [0.0, 0.0])
    far = np.array([[1.0 + CLIP], [1000.0], [-1000.0]])
    assert model.correction(far).tolist() == [CLIP, CLIP, -CLIP]
    assert model.theta(far).tolist() == [10.0 * (1.0 + CLIP) + CLIP, 10000.0 + CLIP, -10000.0 - CLIP]


def test_context_is_the_mean_and_the_maximum() -> None:
    """u = (0, 2, 4) for the rows; the network adds mean 2 and maximum 4 to every θ."""
    model = one_layer("context-mlp", [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]], [0.0, 0.0])
    assert model.correction(np.array([[1.0], [3.0], [5.0]])).tolist() == [6.0, 6.0, 6.0]


@pytest.mark.parametrize("architecture", ["mlp", "context-mlp"])
def test_permuted_rows_give_permuted_theta(architecture: str) -> None:
    features = np.random.default_rng(4).normal(size=(30, 5))
    order = np.random.default_rng(5).permutation(30)
    model = network(architecture)
    straight, permuted = model.theta(features), model.theta(features[order])
    assert np.allclose(permuted, straight[order], rtol=1e-12, atol=1e-12)
    assert not np.allclose(straight, straight[order])


def test_context_is_what_tells_instances_apart() -> None:
    """The same row in another instance: another θ with context, the same one without."""
    one, other = np.random.default_rng(6).normal(size=(2, 10, 5))
    other[0] = one[0]
    for architecture in ("mlp", "context-mlp"):
        model = network(architecture)
        same = math.isclose(model.theta(one)[0], model.theta(other)[0], rel_tol=1e-12)
        assert same is (architecture == "mlp")


def test_without_a_correction_it_is_the_linear_model() -> None:
    """g = 0: the same θ, bit for bit."""
    model = network()
    still = NeuralModel(
        model.feature_names, model.weights, model.feature_scale, "toy",
        center=model.center, layers=((np.zeros((6, 5)), np.zeros(6)),),
    )  # fmt: skip
    linear = LinearModel(model.feature_names, model.weights, model.feature_scale, "toy")
    features = np.random.default_rng(2).normal(size=(20, 5))
    assert np.array_equal(still.theta(features), linear.theta(features))


@pytest.mark.parametrize("architecture", ["mlp", "context-mlp"])
def test_file_brings_back_every_bit(architecture: str, tmp_path: Path) -> None:
    model = network(architecture)
    model.save(tmp_path / "m.json")
    again = read_model(tmp_path / "m.json")
    assert isinstance(again, NeuralModel)
    assert (again.kind, again.architecture) == (architecture, architecture)
    assert again.document() == model.document()
    features = np.random.default_rng(3).normal(size=(12, 5))
    assert again.theta(features).tobytes() == model.theta(features).tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda doc: doc.update(model="cnn"), "model: 'cnn' is not supported"),
        (lambda doc: doc.update(model="context-mlp"), r"weights.layers\[0\].matrix\[0\]: 5 entries, expected 15"),
        (lambda doc: doc.update(weights=[1.0]), "weights: expected a JSON object with linear, center, layers"),
        (lambda doc: doc["weights"].update(more=1), "weights: expected a JSON object with linear, center, layers"),
        (lambda doc: doc["weights"].update(linear=[1.0]), "weights: 1 entries, expected 5"),
        (lambda doc: doc["weights"].update(center=["1"] * 5), r"weights.center\[0\]: '1' is not a number"),
        (lambda doc: doc["weights"].update(layers=[]), "weights.layers: expected at least one layer"),
        (lambda doc: doc["weights"].update(layers={}), "weights.layers: expected a list of layers"),
        (lambda doc: doc["weights"].update(layers=[3]), r"weights.layers\[0\]: expected a JSON object with matrix"),
        (lambda doc: doc["weights"]["layers"][1]["matrix"].pop(), r"weights.layers\[1\].matrix: 5 entries, expected 6"),
        (lambda doc: doc["weights"]["layers"][1]["bias"].pop(), r"weights.layers\[1\].bias: 5 entries, expected 6"),
        (
            lambda doc: doc["weights"]["layers"][0].update(bias=[[1.0], [2.0, 3.0]]),
            r"weights.layers\[0\].bias\[0\]: \[1.0\] is not a number",
        ),
        (lambda doc: doc["weights"]["layers"][0].update(bias=3), r"weights.layers\[0\].bias: 3 is not a list"),
        (lambda doc: doc["weights"]["layers"][0]["bias"].__setitem__(0, 1e999), r"layers\[0\].bias\[0\]: not finite"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path: Path, change: Callable[[Any], None], message: str) -> None:
    document = json.loads(json.dumps(network().document()))
    change(document)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=message) as caught:
        read_model(path)
    assert str(caught.value).startswith(str(path))


def test_an_architecture_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="model: 'cnn' is not supported, expected one of mlp, context-mlp"):
        one_layer("cnn", [[0.0], [0.0]], [0.0, 0.0])
