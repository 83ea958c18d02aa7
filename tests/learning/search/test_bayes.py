"""Bayesian optimisation without BoTorch: its options, and what is said where the extra is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from colayer import MissingExtraError, OptionError, Pipeline
from colayer.learning.search.bayes import Bayes
from colayer.learning.search.optimizer import Task
from support.errors import rejects
from support.pick_problem import Pick


@pytest.mark.parametrize(
    "options",
    [
        {"batch": 0},
        {"initial": 0},
        {"points": 0},
        {"refit": 0},
        {"length": 0.0},
        {"length": 3.0},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with rejects(OptionError, *options, where="--method"):
        Bayes(**options)  # type: ignore[arg-type]


def test_without_botorch_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a journal is begun."""
    monkeypatch.setitem(sys.modules, "botorch", None)
    with rejects(MissingExtraError, "colayer[bayes]", where="--method"):
        Pipeline(Pick()).fit([np.ones((4, 2))], method="bayes", journal=tmp_path / "j")
    assert list(tmp_path.iterdir()) == []
    with rejects(MissingExtraError, "colayer[bayes]", where="--method"):
        Bayes().minimize(lambda W: W[:, 0], Task(2))
