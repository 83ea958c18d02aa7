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
        ({"weights": [1.0]}, "weights"),
        ({"weights": [1.0, None]}, "weights[1]"),
        ({"weights": [True, 1.0]}, "weights[0]"),
        ({"weights": {"linear": [1.0, 2.0]}}, "weights"),
        ({"feature_scale": [1.0, 0.0]}, "feature_scale"),
        ({"format": 2}, "format"),
        ({"format": True}, "format"),
        ({"model": "forest"}, "model"),
        ({"model": "mlp"}, "model"),
        ({"model": "context-mlp"}, "model"),
        ({"model": None}, "model"),
        ({"model": ["linear"]}, "model"),
        ({"feature_names": "ab"}, "feature_names"),
        ({"feature_names": ["a", 2]}, "feature_names"),
        ({"options": []}, "options"),
        ({"provenance": 1}, "provenance"),
        ({"problem": 3}, "problem"),
        ({"extra": 1}, "extra"),
    ],
)
def test_refuses_by_name(tmp_path: Path, change: dict[str, Any], where: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps({**LINEAR, **change}))
    with rejects(InputError, where=f"m.json: {where}"):
        read_model(path)


@pytest.mark.parametrize("kind", ["mlp", "context-mlp"])
def test_a_network_of_a_kind_that_was_dropped_says_what_to_do(kind: str) -> None:
    with rejects(InputError, kind, "neural", where="model"):
        model_of({**LINEAR, "model": kind})


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
