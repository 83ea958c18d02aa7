"""Cells of tables: numbers, times of day, names."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest

from colayer.io.cells import number, words


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3.0),
        ("2.5", 2.5),
        (np.int64(4), 4.0),
        ("7:30", 450.0),
        ("07:30:30", 450.5),
        (datetime.time(7, 30), 450.0),
        (np.timedelta64(90, "s"), 1.5),
    ],
)
def test_numbers_and_times_of_day(value: Any, expected: float) -> None:
    assert number(value) == expected


@pytest.mark.parametrize("value", [True, "7:75", "x", "1_000", [1], 1j, datetime.datetime(2026, 1, 5)])
def test_what_is_no_number(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        number(value)


def test_names_are_whole_numbers_if_all_are() -> None:
    assert words([1.0, 2.0]) == [1, 2]
    assert words(["a", 2, None]) == ["a", "2", ""]


def test_fractions_of_seconds_were_lost() -> None:
    assert number(datetime.time(7, 30, 15, 500_000)) == 450 + 15.5 / 60
    assert number("7:30:15.5") == 450 + 15.5 / 60
