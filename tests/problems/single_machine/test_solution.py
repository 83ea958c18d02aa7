"""Solutions: a sequence holds every job once, and its file says when the jobs complete."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.solution import checked, read_solution, write_solution

X = Instance([0, 1, 5], [4, 1, 2])


def test_a_sequence_is_an_array_of_its_own() -> None:
    given = np.array([2, 0, 1])
    order = checked(given, X)
    assert order.dtype == np.int64
    assert not np.shares_memory(order, given)
    for same in ([2, 0, 1], (2, 0, 1), given.astype(np.uint8)):
        assert checked(same, X).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        (3, r"sequence: expected a list of jobs"),
        ([[0, 1, 2]], r"sequence: expected a list of jobs"),
        ([[0], [1, 2]], r"sequence: expected a list of jobs"),
        ([0.0, 1.0, 2.0], r"sequence: expected a list of jobs"),
        ([True, False, True], r"sequence: expected a list of jobs"),
        ([0, 1, 3], r"sequence\[2\]: 3 is not a job, expected 0 to 2"),
        ([0, -1, 2], r"sequence\[1\]: -1 is not a job"),
        ([1, 0, 1], r"sequence\[2\]: job 1 comes twice"),
        ([2, 0], r"sequence: job 1 is missing"),
    ],
)
def test_names_what_is_wrong(sequence: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
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
    ("change", "message"),
    [
        ({"completion": [6, 2]}, "completion: not the completion times of the sequence"),
        ({"completion": [6, 2, 8.001]}, "completion: not the completion times of the sequence"),
        ({"completion": [2, 6, 8]}, "completion: not the completion times of the sequence"),
        ({"completion": "late"}, "completion: expected a list of numbers"),
        ({"completion": None}, "completion: not the completion times"),
        ({"completion": [6, [2], 8]}, "completion: expected a list of numbers"),
        ({"sequence": [1, 0, 0]}, "sequence.2.: job 0 comes twice"),
        ({"cost": 16}, "cost: unknown key, expected sequence, completion"),
    ],
)
def test_refuses_what_is_no_solution_file(change: dict, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        read_solution({"sequence": [1, 0, 2], "completion": [6, 2, 8], **change}, X)


def test_refuses_a_missing_key() -> None:
    with pytest.raises(InputError, match=r"^completion: missing$"):
        read_solution({"sequence": [1, 0, 2]}, X)
