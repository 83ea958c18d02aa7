"""The checkpoint of a run: what was saved comes back, other runs and damaged files are refused and left as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import JournalError
from colayer.io.npz import npz_bytes
from colayer.learning.checkpoint import Checkpoint
from colayer.learning.journal import Record
from colayer.learning.run import Run
from support.errors import rejects

IDENTITY = {"seed": 0, "evaluations": 9}
RECORDS = [Record(5, [], 2.0, None, cost=0), Record(8, [], 1.5, 0.5, cost=3)]


def saved(path: Path) -> None:
    checkpoint = Checkpoint(path, IDENTITY)
    for record in RECORDS:
        checkpoint.save([record], {"weights.0": np.arange(3.0), "steps": 7})


def test_a_run_takes_up_its_epochs_and_gets_its_state_back(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    saved(path)
    told: list[Any] = []
    run = Run(9, listeners=[told.append], checkpoint=Checkpoint(path, IDENTITY), spent=5)
    state = run.restore_state()
    assert state is not None
    assert (state["steps"], state["weights"]["0"].tolist()) == (7, [0.0, 1.0, 2.0])
    assert run.visited == RECORDS
    assert told == run.history
    assert (run.spent, run.recalled) == (8, 2)
    run.keep([Record(9, [], 1.0, None)], {"steps": 8})
    again = Run(9, checkpoint=Checkpoint(path, IDENTITY), spent=5)
    assert again.restore_state()["steps"] == 8  # type: ignore[index]
    assert again.history == run.history


def test_without_a_checkpoint_there_is_nothing_to_restore(tmp_path: Path) -> None:
    assert Run(9).restore_state() is None
    assert Run(9, checkpoint=Checkpoint(tmp_path / "state.npz", IDENTITY)).restore_state() is None


@pytest.mark.parametrize("more", [{"evaluations": 12}, {"after": "another stage"}])
def test_another_budget_or_stage_before_begins_anew(tmp_path: Path, more: dict[str, Any]) -> None:
    saved(tmp_path / "state.npz")
    checkpoint = Checkpoint(tmp_path / "state.npz", {**IDENTITY, **more})
    assert checkpoint.load(0) is None
    assert checkpoint.records == []


def test_another_run_is_refused(tmp_path: Path) -> None:
    saved(tmp_path / "state.npz")
    with rejects(JournalError, "seed", where="state.npz"):
        Checkpoint(tmp_path / "state.npz", {**IDENTITY, "seed": 1, "evaluations": 12}).load(0)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not an archive",
        npz_bytes({"identity": json.dumps([1]), "loss": [1.0], "validation": [1.0], "cost": [1]}, Path("x")),
        npz_bytes({"identity": "{}", "loss": [1.0]}, Path("x")),
        npz_bytes({"identity": "{}", "loss": np.empty(0), "validation": np.empty(0), "cost": np.empty(0)}, Path("x")),
        npz_bytes({"identity": "{}", "loss": 1.0, "validation": 1.0, "cost": 1}, Path("x")),
    ],
)
def test_what_is_no_checkpoint_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.npz"
    path.write_bytes(content)
    with rejects(JournalError, "checkpoint", where="state.npz"):
        Checkpoint(path, IDENTITY).load(0)
    assert path.read_bytes() == content
