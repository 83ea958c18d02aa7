"""The reader of static files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.dynamic_vehicle_scheduling.vrplib import read_city
from support.dynamic_days import PROBLEM
from support.errors import rejects

TEXT = """NAME : tiny
COMMENT : by hand: three customers
TYPE : VRPTW
DIMENSION : 4
EDGE_WEIGHT_TYPE : EXPLICIT
VEHICLES : 2
EDGE_WEIGHT_FORMAT : FULL_MATRIX
CAPACITY : 9
EDGE_WEIGHT_SECTION
0 10 20 30
11 0 12 13
21 22 0 23
31 32 33 0
NODE_COORD_SECTION
1 0 0
2 10 0
3 20 0
4 30 0
DEMAND_SECTION
1 0
2 3
3 3
4 3
DEPOT_SECTION
1
-1
SERVICE_TIME_SECTION
1 0
2 60
3 120
4 180
TIME_WINDOW_SECTION
1 0 45000
2 7200 14400
3 7200 14400
4 14400 21600
EOF
"""


def test_a_file_is_read_place_by_place(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text(TEXT)
    city = read_city(path)
    assert city.travel[1].tolist() == [11.0, 0.0, 12.0, 13.0]
    assert city.windows.tolist() == [[7200.0, 14400.0], [7200.0, 14400.0], [14400.0, 21600.0]]
    assert city.service.tolist() == [60.0, 120.0, 180.0]
    assert city.points.tolist() == [[0.0, 0.0], [10.0, 0.0], [20.0, 0.0], [30.0, 0.0]]
    assert (city.earliest, city.latest, city.epochs) == (10800.0, 18000.0, 5)


def test_a_day_of_a_file_is_a_function_of_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text(TEXT)
    first, again, other = (PROBLEM.day(path, **seed) for seed in ({}, {"seed": 473}, {"seed": 1}))
    assert np.array_equal(first.start, again.start)
    assert not np.array_equal(first.start, other.start)
    assert len(PROBLEM.day(str(path), per_epoch=1).epoch) <= 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("EXPLICIT", "EUC_2D", "EDGE_WEIGHT_TYPE: EUC_2D, expected EXPLICIT"),
        ("EDGE_WEIGHT_TYPE : EXPLICIT\n", "", "EDGE_WEIGHT_TYPE: nothing, expected EXPLICIT"),
        ("FULL_MATRIX", "LOWER_ROW", "EDGE_WEIGHT_FORMAT: LOWER_ROW, expected FULL_MATRIX"),
        ("DIMENSION : 4", "DIMENSION : four", "DIMENSION: 'four', expected a number of places"),
        ("DIMENSION : 4", "DIMENSION : 5", "EDGE_WEIGHT_SECTION: 4 lines, expected 5"),
        ("11 0 12 13", "11 0 12", "line 11: '11 0 12', expected 4 numbers"),
        ("11 0 12 13", "11 0 x 13", "line 11: '11 0 x 13', expected 4 numbers"),
        ("11 0 12 13", "-11 0 12 13", "travel[1][0]: -11 is negative"),
        ("TIME_WINDOW_SECTION", "WINDOW_SECTION", "TIME_WINDOW_SECTION: 0 lines, expected 4"),
        ("NAME : tiny", "tiny", "line 1: 'tiny' is neither KEY : VALUE nor a section"),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(TEXT.replace(old, new))
    with rejects(InputError, "bad.txt: " + message):
        read_city(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with rejects(InputError, "none.txt: cannot be read"):
        read_city(tmp_path / "none.txt")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    with rejects(InputError, "bytes.txt: cannot be read"):
        read_city(tmp_path / "bytes.txt")
