"""Model files of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.io.files import read_json
from colayer.models.affine import AffineModel
from colayer.models.context import ContextModel
from colayer.models.linear import LinearModel
from colayer.models.model import Model

#: "model" of the file → the class that reads it. A new kind of model adds one line here.
_READERS: dict[str, type[Model]] = {"linear": LinearModel, "context": ContextModel, "affine": AffineModel}
#: Kinds of before, which nothing learns any more.
_DROPPED = ("mlp", "context-mlp")


def read_model(path: str | Path) -> Model:
    """Read a model file; an error names `FILE: field: …`."""
    document = read_json(path)
    try:
        return model_of(document)
    except InputError as error:
        raise error.at(str(path)) from None


def model_of(document: Any) -> Model:
    """Return the model of a decoded JSON object."""
    if not isinstance(document, Mapping):
        raise InputError("not a model: expected a JSON object")
    kind = document.get("model")
    if kind in _DROPPED:
        raise InputError(f"{short(kind)} was dropped, learn a network anew by the method neural", where="model")
    if "model" in document and kind not in list(_READERS):
        raise InputError(f"{short(kind)} is not supported, expected {' or '.join(map(repr, _READERS))}", where="model")
    return _READERS[kind or "linear"].from_document(document)
