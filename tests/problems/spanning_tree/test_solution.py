"""Solutions: a forest and its completions, what is refused, and their file."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.spanning_tree.instance import Instance, read
from colayer.problems.spanning_tree.solution import Solution, checked, read_solution, write_solution

TRIANGLE = {"nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]], "first": [1, 2, 3], "second": [[4, 5, 6], [0, -1, 2.5]]}


SOLUTION = {"first_stage": [1], "second_stage": [[0], [2]]}


def test_solutions_come_back_in_increasing_order() -> None:
    instance = Instance(4, [(0, 1), (1, 2), (2, 3), (3, 0)], [1.0] * 4, [[1.0] * 4] * 2)
    solution = read_solution({"first_stage": [2, 0], "second_stage": [[1], [3]]}, instance)
    assert write_solution(solution, instance) == {"first_stage": [0, 2], "second_stage": [[1], [3]]}
    none = checked(Solution(np.array([], dtype=int), (np.array([3, 1, 0]), np.array([0, 1, 2]))), instance)
    assert none.second_stage[0].tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": 3}, "cost: unknown key, expected first_stage, second_stage"),
        ({"first_stage": None}, "first_stage: expected a list of edges"),
        ({"first_stage": [True]}, "first_stage: expected a list of edges"),
        ({"first_stage": [0.5]}, "first_stage: expected a list of edges"),
        ({"first_stage": [3]}, "first_stage.0.: 3 is not an edge, expected 0 to 2"),
        ({"first_stage": [-1]}, "first_stage.0.: -1 is not an edge"),
        ({"first_stage": [1, 1]}, "first_stage: its edges close a cycle"),
        ({"second_stage": 3}, "second_stage: 3 is not a list of lists of edges"),
        ({"second_stage": [[0]]}, "second_stage: 1 lists of edges, expected one per scenario, 2"),
        ({"second_stage": [[0], [0, 2]]}, "second_stage.1.: its edges close a cycle"),
        ({"second_stage": [[0], [1]]}, "second_stage.1.: its edges close a cycle"),
        (
            {"second_stage": [[], [0]]},
            "second_stage.0.: 1 edges with those of first_stage, expected 2",
        ),
        ({"second_stage": [[0], [7]]}, "second_stage.1..0.: 7 is not an edge"),
        ({"second_stage": [[0], [[0], [1, 2]]]}, "second_stage.1.: expected a list of edges"),
    ],
)
def test_refuses_what_is_no_solution(change: dict, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        read_solution({**SOLUTION, **change}, read(TRIANGLE))


def test_refuses_missing_keys_and_other_objects() -> None:
    with pytest.raises(InputError, match="second_stage: missing"):
        read_solution({"first_stage": []}, read(TRIANGLE))
    with pytest.raises(InputError, match="is not a Solution"):
        checked({"first_stage": []}, read(TRIANGLE))  # type: ignore[arg-type]
