"""The options of `neural`, which need no torch."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import FenchelYoung, MissingExtraError, Neural, OptionError, Pipeline
from support.errors import rejects
from support.pick_problem import Pick


@pytest.mark.parametrize(
    "options",
    [
        {"channels": 0},
        {"depth": 0},
        {"share": 1.0},
        {"rate": 0.0},
        {"sigma": math.inf},
        {"batch": 0},
        {"fresh": {"jobs": []}},
        {"samples": 0},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with rejects(OptionError, *options, where="--method"):
        Neural(**options)


def test_options_are_plain_values() -> None:
    """Lists become tuples, so that equal methods are equal; the document holds lists and the loss by its name."""
    method = Neural(start=[1, 2], loss=FenchelYoung(samples=4))  # type: ignore[arg-type]
    assert method == Neural(start=(1.0, 2.0), loss=FenchelYoung(samples=4))
    document = method.options()
    assert (document["channels"], document["depth"], document["start"]) == (16, None, [1.0, 2.0])
    assert document["loss"] == {"name": "fenchel-young", **FenchelYoung(samples=4).options()}
    assert Neural().options()["loss"] is Neural().options()["start"] is None


def test_sizes_of_fresh_instances() -> None:
    """One value or several; methods are equal, and can be keys, whichever way they are written."""
    method = Neural(fresh={"jobs": [50, 100], "rho": 1.0})
    assert method.sizes == {"jobs": (50, 100), "rho": (1.0,)}
    assert method.options()["fresh"] == {"jobs": [50, 100], "rho": [1.0]}
    assert {method: 1}[Neural(fresh={"jobs": (50, 100), "rho": (1.0,)})] == 1


def test_without_torch_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a journal is begun."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with rejects(MissingExtraError, "colayer[neural]"):
        Pipeline(Pick()).fit([np.ones((4, 2))], method="neural", journal=tmp_path / "j")
    assert list(tmp_path.iterdir()) == []
