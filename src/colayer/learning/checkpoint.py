"""The state of a run that is too large for a journal: one npz file, replaced whole after each epoch.

A run that is killed at any moment loses one epoch. The file holds the identity of the run, the losses and costs of all
epochs so far, and whatever arrays the learner needs to go on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from colayer.errors import InputError, JournalError
from colayer.io.files import read_bytes, write_atomic
from colayer.io.npz import npz_bytes, parse_npz
from colayer.learning.journal import Record

#: Keys of an identity whose change does not make it another run, but one that begins anew.
_BEGINS_ANEW = ("evaluations", "after")


class Checkpoint:
    """The checkpoint file of a run, or of a stage of it, and the epochs it knows."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self.path, self.identity = path, json.loads(json.dumps(identity))
        self.records: list[Record] = []

    def save(self, records: list[Record], state: Mapping[str, Any]) -> None:
        """Add epochs, and write them with the state after the last."""
        self.records += records
        document = {
            "identity": json.dumps(self.identity, sort_keys=True),
            "loss": np.array([record.loss for record in self.records]),
            "validation": np.array([math.nan if one.validation is None else one.validation for one in self.records]),
            "cost": np.array([record.cost for record in self.records]),
            **state,
        }
        write_atomic(self.path, npz_bytes(document, self.path))

    def load(self, spent: int) -> Mapping[str, Any] | None:
        """Read the epochs, numbered from what was `spent` before, and return the state; None where there is none.

        A checkpoint of another budget, or after another stage, counts as none; that of another run is refused.
        """
        if not self.path.exists():
            return None
        try:
            document = parse_npz(read_bytes(self.path), self.path)
            theirs = json.loads(str(document["identity"]))
            columns = [document[name].tolist() for name in ("loss", "validation", "cost")]
            if not isinstance(theirs, dict) or not columns[0]:
                raise ValueError(theirs)
        except (InputError, KeyError, ValueError, AttributeError):
            raise self.refuse("not a checkpoint of this version") from None
        ours = dict(self.identity)
        changed = [theirs.pop(key, None) != ours.pop(key, None) for key in _BEGINS_ANEW]
        if theirs != ours:
            key = min(key for key in {*theirs, *ours} if theirs.get(key) != ours.get(key))
            raise self.refuse(f"belongs to another run: {key} differs")
        if any(changed):
            return None
        for loss, validation, cost in zip(*columns, strict=True):
            spent += cost
            self.records.append(Record(spent, [], loss, None if math.isnan(validation) else validation, cost=cost))
        return document

    def refuse(self, message: str) -> JournalError:
        """Return the error that says why the file cannot be used."""
        return JournalError(f"{message}; remove it, or name another journal, to start afresh", where=str(self.path))
