"""Bayesian optimisation without BoTorch: its options, and what is said where the extra is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from colayer import MissingExtraError, OptionError, Pipeline
from colayer.learning.search.bayes import Bayes
from colayer.learning.search.optimizer import Task
from support.pick_problem import Pick


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": 0}, "batch 0 is out of range, expected at least 1"),
        ({"initial": 0}, "initial 0 is out of range"),
        ({"points": 0}, "points 0 is out of range"),
        ({"refit": 0}, "refit 0 is out of range"),
        ({"length": 0.0}, "length 0.0 is out of range, expected > 0 and at most 1.6"),
        ({"length": 3.0}, "length 3.0 is out of range"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(OptionError, match=f"method: {message}"):
        Bayes(**options)  # type: ignore[arg-type]


def test_without_botorch_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a journal is begun."""
    monkeypatch.setitem(sys.modules, "botorch", None)
    message = r"^method: bayes needs BoTorch: pip install 'colayer\[bayes\]'$"
    with pytest.raises(MissingExtraError, match=message):
        Pipeline(Pick()).fit([np.ones((4, 2))], method="bayes", journal=tmp_path / "j")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MissingExtraError, match=message):
        Bayes().minimize(lambda W: W[:, 0], Task(2))
