"""Model files of any kind: what is wrong is named as `FILE: field: …`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models import ContextModel, LinearModel, model_of, read_model
from colayer.pretrained import pretrained_network
from colayer.problems import SingleMachine
from support.errors import rejects

LINEAR = LinearModel(
    ("a", "b"), np.array([0.1, -1.0]), np.array([2.0, 1.0]), "toy", {"decoder": "ls"}, {"seed": 3}
).document()
NETWORK = pretrained_network(SingleMachine("27")).document()


def test_the_kind_says_the_class() -> None:
    assert type(model_of(LINEAR)) is LinearModel
    assert type(model_of(NETWORK)) is ContextModel


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"weights": [1.0]}, "weights: 1 entries, expected 2"),
        ({"weights": [1.0, None]}, r"weights\[1\]: None is not a number"),
        ({"weights": [True, 1.0]}, r"weights\[0\]: True is not a number"),
        ({"weights": {"linear": [1.0, 2.0]}}, r"weights: .* is not a list of numbers"),
        ({"feature_scale": [1.0, 0.0]}, "feature_scale: every entry must be positive"),
        ({"format": 2}, "format: 2 is not supported, expected 1"),
        ({"format": True}, "format: True is not supported"),
        ({"model": "forest"}, "model: 'forest' is not supported, expected 'linear' or 'context'"),
        ({"model": "mlp"}, "model: 'mlp' was dropped, learn a network anew by the method neural$"),
        ({"model": "context-mlp"}, "model: 'context-mlp' was dropped"),
        ({"model": None}, "model: None is not supported"),
        ({"model": ["linear"]}, r"model: \['linear'\] is not supported"),
        ({"feature_names": "ab"}, "feature_names: expected a list of names"),
        ({"feature_names": ["a", 2]}, "feature_names: expected a list of names"),
        ({"options": []}, "options: expected a JSON object"),
        ({"provenance": 1}, "provenance: expected a JSON object"),
        ({"problem": 3}, "problem: expected the name"),
        ({"extra": 1}, "extra: unknown key"),
    ],
)
def test_refuses_by_name(tmp_path: Path, change: dict[str, Any], where: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps({**LINEAR, **change}))
    with rejects(InputError, where=where):
        read_model(path)


@pytest.mark.parametrize("document", [LINEAR, NETWORK], ids=["linear", "network"])
def test_refuses_missing_keys(tmp_path: Path, document: dict[str, Any]) -> None:
    path = tmp_path / "m.json"
    for key in LINEAR:
        path.write_text(json.dumps({k: v for k, v in document.items() if k != key}))
        with rejects(InputError, where=f"m.json: {key}"):
            read_model(path)


def test_refuses_broken_files(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    for text in ("", "[]", "{", "nan"):
        path.write_text(text)
        with rejects(InputError, where="m.json"):
            read_model(path)
    with rejects(InputError, where="none.json"):
        read_model(tmp_path / "none.json")
