"""Solutions: a forest and its completions, what is refused, and their file."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.spanning_tree.instance import Instance, read
from colayer.problems.spanning_tree.solution import Solution, checked, read_solution, write_solution
from support.errors import rejects

TRIANGLE = {"nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]], "first": [1, 2, 3], "second": [[4, 5, 6], [0, -1, 2.5]]}


SOLUTION = {"first_stage": [1], "second_stage": [[0], [2]]}


def test_solutions_come_back_in_increasing_order() -> None:
    instance = Instance(4, [(0, 1), (1, 2), (2, 3), (3, 0)], [1.0] * 4, [[1.0] * 4] * 2)
    solution = read_solution({"first_stage": [2, 0], "second_stage": [[1], [3]]}, instance)
    assert write_solution(solution, instance) == {"first_stage": [0, 2], "second_stage": [[1], [3]]}
    none = checked(Solution(np.array([], dtype=int), (np.array([3, 1, 0]), np.array([0, 1, 2]))), instance)
    assert none.second_stage[0].tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"cost": 3}, "cost"),
        ({"first_stage": None}, "first_stage"),
        ({"first_stage": [True]}, "first_stage"),
        ({"first_stage": [0.5]}, "first_stage"),
        ({"first_stage": [3]}, "first_stage[0]"),
        ({"first_stage": [-1]}, "first_stage[0]"),
        ({"first_stage": [1, 1]}, "first_stage"),
        ({"second_stage": 3}, "second_stage"),
        ({"second_stage": [[0]]}, "second_stage"),
        ({"second_stage": [[0], [0, 2]]}, "second_stage[1]"),
        ({"second_stage": [[0], [1]]}, "second_stage[1]"),
        (
            {"second_stage": [[], [0]]},
            "second_stage[0]",
        ),
        ({"second_stage": [[0], [7]]}, "second_stage[1][0]"),
        ({"second_stage": [[0], [[0], [1, 2]]]}, "second_stage[1]"),
    ],
)
def test_refuses_what_is_no_solution(change: dict, where: str) -> None:
    with rejects(InputError, where=where):
        read_solution({**SOLUTION, **change}, read(TRIANGLE))


def test_refuses_missing_keys_and_other_objects() -> None:
    with rejects(InputError, where="second_stage"):
        read_solution({"first_stage": []}, read(TRIANGLE))
    with rejects(InputError, where="solution"):
        checked({"first_stage": []}, read(TRIANGLE))  # type: ignore[arg-type]
