"""θ in a fixed order of sums, and model files that are data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models import LinearModel, thetas


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_theta_is_the_sum_feature_by_feature(dtype: type) -> None:
    """Bit for bit the plain loop over features, whatever the number of rows and weight vectors."""
    rng = np.random.default_rng(0)
    for n, d, k in ((1, 1, 1), (5, 3, 2), (511, 66, 3), (1300, 7, 20)):
        features = rng.normal(size=(n, d)).astype(dtype)
        weights = rng.normal(size=(k, d))
        weights[0, : d // 2] = 0.0
        expected = np.zeros((k, n))
        for j in range(k):
            for i in range(d):
                expected[j] += weights[j, i] * features[:, i].astype(np.float64)
        assert np.array_equal(thetas(features, weights), expected)


def test_theta_of_a_row_does_not_depend_on_the_batch() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(700, 23))
    weights = rng.normal(size=(40, 23))
    together = thetas(features, weights)
    alone = np.vstack([thetas(features[[i]], weights[[7]])[0] for i in range(700)])[:, 0]
    assert np.array_equal(together[7], alone)


def model() -> LinearModel:
    return LinearModel(
        ("a", "b"), np.array([0.1, -1e-300]), np.array([2.0, 1.0]), "toy", {"decoder": "ls"}, {"seed": 3}
    )


def test_file_brings_back_every_bit(tmp_path: Path) -> None:
    model().save(tmp_path / "m.json")
    again = LinearModel.load(tmp_path / "m.json")
    assert again.document() == model().document()
    assert np.array_equal(again.raw(), [0.05, -1e-300])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [1.0]}, "weights: .*expected 2 numbers"),
        ({"weights": [1.0, None]}, r"weights\[1\]: None is not a number"),
        ({"weights": [True, 1.0]}, r"weights\[0\]: True is not a number"),
        ({"feature_scale": [1.0, 0.0]}, "feature_scale: every entry must be positive"),
        ({"format": 2}, "format: 2 is not supported, expected 1"),
        ({"format": True}, "format: True is not supported"),
        ({"model": "forest"}, "model: 'forest' is not supported"),
        ({"feature_names": "ab"}, "feature_names: expected a list of names"),
        ({"options": []}, "options: expected a JSON object"),
        ({"problem": 3}, "problem: expected the name"),
        ({"extra": 1}, "extra: unknown key"),
    ],
)
def test_refuses_by_name(tmp_path: Path, change: dict, message: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps({**model().document(), **change}))
    with pytest.raises(InputError, match=f"{path}: {message}"):
        LinearModel.load(path)


def test_refuses_missing_keys_and_broken_files(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    for key in model().document():
        path.write_text(json.dumps({k: v for k, v in model().document().items() if k != key}))
        with pytest.raises(InputError, match=f"{key}: missing key"):
            LinearModel.load(path)
    for text in ("", "[]", "{", "nan"):
        path.write_text(text)
        with pytest.raises(InputError, match=str(path)):
            LinearModel.load(path)
    with pytest.raises(InputError, match="no such file"):
        LinearModel.load(tmp_path / "none.json")
