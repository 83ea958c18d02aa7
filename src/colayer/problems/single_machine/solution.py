"""Solutions: a sequence of jobs, checked, its file format, and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Ints
from colayer.errors import InputError
from colayer.io.dates import dates_or_numbers
from colayer.io.files import exact_keys
from colayer.io.validate import named, numbers, unnamed
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.schedule import completion_times

_KEYS = ("sequence", "completion")


def checked(sequence: ArrayLike, instance: Instance) -> Ints:
    """Check that `sequence` holds every job of the instance once; return it as a new array."""
    n = instance.jobs
    try:
        order = np.asarray(sequence)
    except ValueError:  # lists of different lengths
        order = np.empty(0)
    if order.ndim != 1 or order.dtype.kind not in "iu":
        raise InputError("expected a list of jobs", where="sequence")
    outside = (order < 0) | (order >= n)
    if outside.any():
        i = int(np.argmax(outside))
        raise InputError(f"{order[i]} is not a job, expected 0 to {n - 1}", where=f"sequence[{i}]")
    times = np.bincount(order.astype(np.int64), minlength=n)
    if (times > 1).any():
        twice = int(np.argmax(times > 1))
        i = int(np.flatnonzero(order == twice)[1])
        raise InputError(f"job {twice} comes twice", where=f"sequence[{i}]")
    if (times == 0).any():
        raise InputError(f"job {int(np.argmin(times))} is missing", where="sequence")
    return np.array(order, dtype=np.int64)


def write_solution(sequence: Ints, instance: Instance) -> dict[str, Any]:
    """Return `{"sequence": [jobs in order], "completion": [by job]}`, with the names of the jobs if they have some."""
    order = checked(sequence, instance)
    completion = numbers(completion_times(order, *instance.arrays))
    return {"sequence": named(order, instance.names), "completion": completion}


def table(sequence: Ints, instance: Instance) -> dict[str, list[Any]]:
    """Return the schedule, one row per job, in the order in which they run."""
    order = checked(sequence, instance)
    completion = completion_times(order, *instance.arrays)[order]
    return {
        "job": named(order, instance.names),
        "release": dates_or_numbers(instance.release[order], instance.origin),
        "processing": numbers(instance.processing[order]),
        "start": dates_or_numbers(completion - instance.processing[order], instance.origin),
        "completion": dates_or_numbers(completion, instance.origin),
    }


def read_solution(document: Mapping[str, Any], instance: Instance) -> Ints:
    """Return the sequence of a document; refuse one that does not fit the instance or its own completion times."""
    exact_keys(document, _KEYS)
    order = checked(unnamed(document["sequence"], instance.names, "sequence"), instance)
    expected = completion_times(order, *instance.arrays)
    try:
        completion = np.asarray(document["completion"], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("expected a list of numbers", where="completion") from None
    # up to rounding: 0.1 + 0.2 is written as 0.3 elsewhere
    if completion.shape != expected.shape or not np.allclose(completion, expected, rtol=1e-9, atol=0.0):
        raise InputError("not the completion times of the sequence", where="completion")
    return order
