"""Solutions: a sequence of jobs, checked, and its file format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError
from colayer.problems.single_machine.instance import Instance, numbers
from colayer.problems.single_machine.kernels.schedule import completion_times

_KEYS = ("sequence", "completion")


def write_solution(sequence: NDArray[np.int64], instance: Instance) -> dict[str, Any]:
    """`{"sequence": [jobs in order], "completion": [by job]}`."""
    completion = completion_times(np.array(sequence, dtype=np.int64), *instance.arrays)
    return {"sequence": [int(job) for job in sequence], "completion": numbers(completion)}


def read_solution(document: Mapping[str, Any], instance: Instance) -> NDArray[np.int64]:
    """The sequence, refused where it is not one of the instance or where the completion times are not its own."""
    for key in _KEYS:
        if key not in document:
            raise InputError("missing key", where=key)
    sequence = document["sequence"]
    if not isinstance(sequence, list):
        raise InputError("expected a list of jobs", where="sequence")
    seen = np.zeros(instance.jobs, dtype=bool)
    for i, job in enumerate(sequence):
        if type(job) is not int or not 0 <= job < instance.jobs:
            raise InputError(f"{job!r} is not a job, expected 0 to {instance.jobs - 1}", where=f"sequence[{i}]")
        if seen[job]:
            raise InputError(f"job {job} comes twice", where=f"sequence[{i}]")
        seen[job] = True
    if not seen.all():
        raise InputError(f"job {int(np.argmin(seen))} is missing", where="sequence")
    order = np.array(sequence, dtype=np.int64)
    completion = document["completion"]
    if not isinstance(completion, list) or completion != numbers(completion_times(order, *instance.arrays)):
        raise InputError("not the completion times of the sequence", where="completion")
    return order
