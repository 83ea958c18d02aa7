"""Cells of a user's table: numbers with times of day and durations in minutes, names, and what counts as empty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any

import numpy as np

from colayer.io.dates import CLOCK, as_date, is_nat


def number(value: Any) -> float:
    """Return a number as a float, also from text; times of day and durations in minutes."""
    if isinstance(value, bool | np.bool_ | datetime | np.datetime64) or getattr(value, "tzinfo", None):
        raise TypeError
    if isinstance(value, time):
        return 60.0 * value.hour + value.minute + (value.second + value.microsecond / 1e6) / 60.0
    if isinstance(value, timedelta):
        return value / timedelta(minutes=1)
    if isinstance(value, np.timedelta64):
        return float(value / np.timedelta64(1, "m"))
    if isinstance(value, str) and (clock := CLOCK.fullmatch(value.strip())):
        hours, minutes, seconds = (float(part or 0) for part in clock.groups())
        return 60.0 * hours + minutes + seconds / 60.0
    if isinstance(value, str) and "_" in value:  # Python takes 1_000 for a number, nobody's table does
        raise ValueError
    return float(value)


def is_missing(value: Any) -> bool:
    """Tell whether a cell is empty: None, blank, NaN, or missing in numpy's or pandas' sense."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return is_nat(value) or type(value).__name__ == "NAType"


def words(values: Sequence[Any]) -> list[Any]:
    """Return names: as whole numbers if all are, else as words."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values) and all(
        float(value).is_integer() for value in values
    ):
        return [int(value) for value in values]
    dates = [as_date(value) for value in values if not isinstance(value, str)]
    whole_days = all(day is not None and (day.hour, day.minute, day.second) == (0, 0, 0) for day in dates)
    return ["" if is_missing(value) else _word(value, whole_days) for value in values]


def _word(value: Any, whole_days: bool) -> str:
    """Return a name as a word: 2.0 as 2, a date without its midnight."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    day = None if isinstance(value, str) else as_date(value)
    return str(value) if day is None else str(day.date()) if whole_days else str(day)
