"""Checks of a problem that speaks in tables: instances made of columns, solutions as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from colayer._runtime.snapshot import difference, snapshot
from colayer.errors import ColayerError
from colayer.io.columns import columns_of
from colayer.io.csv_tables import csv_bytes
from colayer.io.hashing import content_of
from colayer.problem.check.report import Mistake, Skip
from colayer.problem.check.trial import Trial, guarded, named

#: What a method raises where it does not find the columns that it knows.
_REFUSALS = (ColayerError, ValueError, TypeError, LookupError)
_FIX = "take every column by its name, each into the field of that name"


def instance_table(trial: Trial) -> None:
    """`instance` makes of the columns that `write` gives, where it knows these names, the instance they are from."""
    trial.need("instance", "write")
    for index in trial.chosen:
        where, instance = trial.at(index), trial.instances[index]
        document = trial.call("write", instance, on=index)
        columns, more = _columns(document)
        if not columns:
            raise Skip("write gives no columns of one length")
        made = _made(trial, columns, more, index)
        if made is None or type(made) is not type(instance):
            what = f"{where}instance returned {named(made)}, generate and read a {type(instance).__name__}"
            raise Mistake(f"{what}: return an instance")
        features = np.array(guarded(f"{where}features of what instance returned", trial.problem.features, made))
        place = difference(snapshot(trial.features(index)), snapshot(features), "features")
        if place is not None:
            raise Mistake(f"{where}{place} is not the same after write and instance: {_FIX}")
        content = guarded(f"{where}content of what instance returned", content_of, trial.problem, made)
        if content != content_of(trial.problem, instance):
            raise Mistake(f"{where}content is not the same after write and instance: {_FIX}")


def solution_table(trial: Trial) -> None:
    """`table` gives every solution as columns of one length that a CSV file holds."""
    trial.need("table")
    for sample in trial.samples:
        instance, where = trial.instances[sample.index], trial.at(sample.index)
        columns = guarded(f"{where}table", columns_of, trial.problem, sample.solution, instance)
        guarded(f"{where}what table returned, as CSV,", csv_bytes, columns)


def _columns(document: Any) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """What a document holds as columns of one length, that of the first, and what else it holds."""
    values = dict(document) if isinstance(document, Mapping) else {}
    flat = {name: np.asarray(value).tolist() for name, value in values.items() if np.ndim(value) == 1}
    rows = len(next(iter(flat.values()), ()))
    columns = {name: column for name, column in flat.items() if len(column) == rows > 0}
    return columns, {name: value for name, value in values.items() if name not in columns}


def _made(trial: Trial, columns: dict[str, list[Any]], more: dict[str, Any], index: int) -> Any:
    """The instance of the columns; a problem whose tables have other names is free to refuse them."""
    try:
        return trial.call("instance", columns, on=index, **more)
    except Mistake as mistake:
        if isinstance(mistake.__cause__, _REFUSALS):
            raise Skip("instance takes other columns than write gives") from None
        raise
