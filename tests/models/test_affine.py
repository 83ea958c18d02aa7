"""Models of a context: θ by hand, and files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from colayer.errors import InputError
from colayer.models import AffineModel, read_model
from support.errors import rejects


def model(**changes) -> AffineModel:
    given = {
        "feature_names": (), "weights": [], "feature_scale": [], "problem": "pick",
        "matrix": [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]], "offset": [0.5, 0.0, -1.0],
    }  # fmt: skip
    return AffineModel(**{**given, **changes})


def test_by_hand() -> None:
    assert model().from_context(np.array([3.0, 4.0])).tolist() == [3.5, 8.0, 6.0]


def test_a_file_gives_the_same_model(tmp_path: Path) -> None:
    for name, one in {
        "alone": model(),
        "shared": model(feature_names=("a",), weights=[2.0], feature_scale=[4.0]),
    }.items():
        one.save(tmp_path / name)
        again = read_model(tmp_path / name)
        assert isinstance(again, AffineModel)
        assert again.document() == one.document()
        assert json.loads((tmp_path / name).read_text())["model"] == "affine"


def test_names_what_is_wrong(tmp_path: Path) -> None:
    with rejects(InputError, where="context"):
        model().from_context(np.ones(3))
    with rejects(InputError, where="weights.offset"):
        model(offset=[1.0])
    document = model().document()
    with rejects(InputError, where="weights"):
        AffineModel.from_document({**document, "weights": [1.0]})
    with rejects(InputError, where="weights.matrix"):
        AffineModel.from_document({**document, "weights": {"matrix": "W", "offset": []}})
