"""The linear model and its file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from colayer.models import LinearModel, read_model


def model() -> LinearModel:
    return LinearModel(
        ("a", "b"), np.array([0.1, -1e-300]), np.array([2.0, 1.0]), "toy", {"decoder": "ls"}, {"seed": 3}
    )


def test_file_brings_back_every_bit(tmp_path: Path) -> None:
    model().save(tmp_path / "m.json")
    again = read_model(tmp_path / "m.json")
    assert isinstance(again, LinearModel)
    assert again.document() == model().document()
    assert np.array_equal(again.raw(), [0.05, -1e-300])


def test_file_is_plain_json(tmp_path: Path) -> None:
    """The format is a promise: files of an earlier version are read by a later one."""
    model().save(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text()) == {
        "format": 1,
        "model": "linear",
        "problem": "toy",
        "options": {"decoder": "ls"},
        "feature_names": ["a", "b"],
        "feature_scale": [2.0, 1.0],
        "weights": [0.1, -1e-300],
        "provenance": {"seed": 3},
    }


def test_has_no_correction() -> None:
    assert model().correction(np.ones((3, 2))) is None
