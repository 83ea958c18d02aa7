"""The process of CP-SAT: a program on stdin, solutions on stdout, and nothing of colayer loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from colayer.comparison import cpsat

#: max x + 2y over whole 0 ≤ x, y ≤ 3 with x + y ≤ 4, where z = 1 allows no y above 1; exactly one of z and t.
PROGRAM: dict[str, Any] = {
    "cost": [-1, -2, 0, -1],
    "lower": [0, 0, 0, 0],
    "upper": [3, 3, 1, 1],
    "reported": 2,
    "exactly_one": [[2, 3]],
    "no_overlap": [],
    "starts": [0, 2, 3],
    "columns": [0, 1, 1],
    "values": [1, 1, 1],
    "row_lower": [0, 0],
    "row_upper": [4, 1],
    "conditions": [-1, 2],
}


def told(program: dict[str, Any], **task: Any) -> list[dict[str, Any]]:
    given = {"program": program, "hint": None, "seed": 0, "time_limit": 20.0, "workers": 1, **task}
    command = [sys.executable, "-P", str(cpsat._CHILD)]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_child_imports_nothing_of_ours() -> None:
    """OR-Tools and highspy clash in one process."""
    code = f"import runpy, sys; runpy.run_path({str(cpsat._CHILD)!r}); assert 'colayer' not in sys.modules"
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_rows_conditions_and_literals_mean_what_they_say() -> None:
    """t pays, so that z is 0 and its row does not hold: x = 1, y = 3. Where z must be 1, y is at most 1: x = 3."""
    *solutions, last = told(PROGRAM)
    assert last["status"] == "OPTIMAL"
    assert solutions[-1]["values"] == [1, 3]
    forced = {**PROGRAM, "lower": [0, 0, 1, 0]}
    assert told(forced)[-2]["values"] == [3, 1]


def test_solutions_get_better_and_times_grow() -> None:
    *solutions, last = told({**PROGRAM, "upper": [3000, 3000, 1, 1], "row_upper": [4001, 1]})
    values = [-x - 2 * y for x, y in (line["values"] for line in solutions)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == -1001 - 2 * 3000
    times = [line["seconds"] for line in (*solutions, last)]
    assert times == sorted(times)


def test_intervals_do_not_overlap() -> None:
    """Two jobs of length 3 and 2, least sum of starts: the shorter one first."""
    program = {"cost": [1, 1], "lower": [0, 0], "upper": [9, 9], "reported": 2, "exactly_one": [],
               "no_overlap": [[(0, 3), (1, 2)]]}  # fmt: skip
    assert told(program)[-2]["values"] == [2, 0]


def test_a_hint_that_is_optimal_is_the_only_solution() -> None:
    lines = told(PROGRAM, hint=[1, 3, 0, 1])
    assert [line.get("values") for line in lines] == [[1, 3], None]


def test_no_time_is_no_solution() -> None:
    (line,) = told(PROGRAM, time_limit=0.0)
    assert line["status"] == "UNKNOWN"


def test_what_has_no_solution_is_said_to_have_none() -> None:
    (line,) = told({**PROGRAM, "row_lower": [5, 0]})
    assert line["status"] == "INFEASIBLE"
