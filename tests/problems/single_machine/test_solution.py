"""Solutions: a sequence holds every job once, and its file says when the jobs complete."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.solution import checked, read_solution, write_solution
from support.errors import rejects

X = Instance([0, 1, 5], [4, 1, 2])


def test_a_sequence_is_an_array_of_its_own() -> None:
    given = np.array([2, 0, 1])
    order = checked(given, X)
    assert order.dtype == np.int64
    assert not np.shares_memory(order, given)
    for same in ([2, 0, 1], (2, 0, 1), given.astype(np.uint8)):
        assert checked(same, X).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("sequence", "where"),
    [
        (3, "sequence"),
        ([[0, 1, 2]], "sequence"),
        ([[0], [1, 2]], "sequence"),
        ([0.0, 1.0, 2.0], "sequence"),
        ([True, False, True], "sequence"),
        ([0, 1, 3], "sequence[2]"),
        ([0, -1, 2], "sequence[1]"),
        ([1, 0, 1], "sequence[2]"),
        ([2, 0], "sequence"),
    ],
)
def test_names_what_is_wrong(sequence: Any, where: str) -> None:
    with rejects(InputError, where=where):
        checked(sequence, X)


def test_round_trip() -> None:
    """Completion times are by job: 1 runs on [1, 2], 0 on [2, 6], 2 on [6, 8]."""
    document = write_solution(np.array([1, 0, 2]), X)
    assert document == {"sequence": [1, 0, 2], "completion": [6, 2, 8]}
    assert read_solution(document, X).tolist() == [1, 0, 2]


def test_completion_times_are_right_up_to_rounding() -> None:
    """0.1 + 0.2 is not 0.3 in floating point, and 0.3 is what another program may write."""
    instance = Instance([0, 0], [0.1, 0.2])
    assert read_solution({"sequence": [0, 1], "completion": [0.1, 0.3]}, instance).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"completion": [6, 2]}, "completion"),
        ({"completion": [6, 2, 8.001]}, "completion"),
        ({"completion": [2, 6, 8]}, "completion"),
        ({"completion": "late"}, "completion"),
        ({"completion": None}, "completion"),
        ({"completion": [6, [2], 8]}, "completion"),
        ({"sequence": [1, 0, 0]}, "sequence[2]"),
        ({"cost": 16}, "cost"),
    ],
)
def test_refuses_what_is_no_solution_file(change: dict, where: str) -> None:
    with rejects(InputError, where=where):
        read_solution({"sequence": [1, 0, 2], "completion": [6, 2, 8], **change}, X)


def test_refuses_a_missing_key() -> None:
    with rejects(InputError, where="completion"):
        read_solution({"sequence": [1, 0, 2]}, X)
