"""Solutions: successors and routes, what is refused, and their file."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.vehicle_scheduling.solution import (
    checked,
    read_solution,
    routes_of,
    successors_of,
    write_solution,
)
from support.errors import rejects
from support.plain_vehicles import by_hand

BAD_SUCCESSORS = {
    "too short": ([1, -1], "successor"),
    "not whole": ([1.0, 2.0, -1.0], "successor"),
    "ragged": ([[1], [2, 3], 0], "successor"),
    "out of range": ([1, 3, -1], "successor[1]"),
    "negative": ([1, -2, -1], "successor[1]"),
    "twice": ([2, 2, -1], "successor[1]"),
    "no arc": ([-1, 0, -1], "successor[1]"),
    "to itself": ([0, -1, -1], "successor[0]"),
}


@pytest.mark.parametrize("what", BAD_SUCCESSORS)
def test_what_is_no_solution_is_refused(what: str) -> None:
    successor, where = BAD_SUCCESSORS[what]
    with rejects(InputError, where=where):
        checked(successor, by_hand())


BAD_ROUTES = {
    "not a list": ({"routes": 3, "vehicles": 1}, "routes"),
    "empty route": ({"routes": [[0, 1, 2], []], "vehicles": 2}, "routes[1]"),
    "no task": ({"routes": [[0, 1, 7]], "vehicles": 1}, "routes[0][2]"),
    "true": ({"routes": [[0, True, 2]], "vehicles": 1}, "routes[0][1]"),
    "twice": ({"routes": [[0, 1], [1, 2]], "vehicles": 2}, "routes[1][0]"),
    "missing": ({"routes": [[0, 2]], "vehicles": 1}, "routes"),
    "no arc": ({"routes": [[0], [2, 1]], "vehicles": 2}, "routes[1][1]"),
    "vehicles": ({"routes": [[0, 1, 2]], "vehicles": 2}, "vehicles"),
    "no vehicles": ({"routes": [[0, 1, 2]]}, "vehicles"),
    "unknown": ({"routes": [[0, 1, 2]], "vehicles": 1, "cost": 3}, "cost"),
}


@pytest.mark.parametrize("what", BAD_ROUTES)
def test_what_is_no_solution_file_is_refused(what: str) -> None:
    document, where = BAD_ROUTES[what]
    with rejects(InputError, where=where):
        read_solution(document, by_hand())


def test_solutions_round_trip() -> None:
    x = by_hand()
    document = write_solution([2, -1, -1], x)
    assert document == {"routes": [[0, 2], [1]], "vehicles": 2}
    assert read_solution(document, x).tolist() == [2, -1, -1]


def test_successors_and_routes_are_the_same_thing() -> None:
    """Routes are by their first task, tasks of arrays and lists alike; a solution is an array of its own."""
    x = by_hand()
    for successor in ([1, 2, -1], [2, -1, -1], [-1, 2, -1], [-1, -1, -1]):
        given = np.array(successor)
        found = checked(given, x)
        assert found.tolist() == successor
        assert not np.shares_memory(found, given)
        routes = routes_of(found)
        assert [route[0] for route in routes] == sorted(route[0] for route in routes)
        assert successors_of([np.array(route) for route in routes], x).tolist() == successor
