"""Dates become minutes since one midnight, and minutes become dates again."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colayer.errors import InputError
from colayer.io.dates import (
    as_date,
    checked_origin,
    clock_time,
    dates_and_minutes,
    dates_or_numbers,
    first_midnight,
    is_nat,
    minutes_since,
)
from support.errors import rejects

MORNING = datetime(2026, 1, 5, 7, 30)
OSLO = ZoneInfo("Europe/Oslo")


@pytest.mark.parametrize(
    "value", [MORNING, np.datetime64(MORNING), pd.Timestamp(MORNING), "2026-01-05 07:30", " 2026-01-05T07:30:00 "]
)
def test_a_date_of_any_kind(value: Any) -> None:
    assert as_date(value) == MORNING


@pytest.mark.parametrize("value", [450, "7:30", "2026-02-30", "2026", None, pd.NaT, np.datetime64("NaT"), 1.5])
def test_what_is_no_date(value: Any) -> None:
    assert as_date(value) is None


def test_days_are_dates() -> None:
    assert as_date(date(2026, 1, 5)) == as_date("2026-01-05") == datetime(2026, 1, 5)


def test_missing_ones_stay_missing() -> None:
    dates = dates_and_minutes(np.array(["2026-01-05T07:30", "NaT"], dtype="M8[m]"))
    assert (as_date(dates[0]), is_nat(dates[1])) == (MORNING, True)
    minutes = dates_and_minutes(np.array([90, "NaT"], dtype="m8[s]"))
    assert (minutes[0], is_nat(minutes[1])) == (1.5, True)


@given(st.lists(st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1)), min_size=1, max_size=5))
def test_dates_go_there_and_back(dates: list[datetime]) -> None:
    origin = first_midnight(dates)
    assert (origin.hour, origin.minute) == (0, 0)
    assert 0 <= minutes_since(origin, min(dates)) < 1440
    back = dates_or_numbers([minutes_since(origin, day) for day in dates], origin)
    assert all(abs((day - other).total_seconds()) < 1e-4 for day, other in zip(back, dates, strict=True))


def test_minutes_are_those_that_pass() -> None:
    """In the night of 29 March 2026 the clocks of Oslo go from 2:00 to 3:00."""
    evening, morning = datetime(2026, 3, 28, 22, tzinfo=OSLO), datetime(2026, 3, 29, 6, tzinfo=OSLO)
    assert minutes_since(evening, morning) == 7 * 60
    assert dates_or_numbers([7 * 60], evening) == [morning]
    assert dates_or_numbers([7 * 60], evening)[0].tzinfo is OSLO


def test_without_an_origin_numbers_stay_numbers() -> None:
    assert dates_or_numbers(np.array([1.0, 2.0]), None) == [1, 2]
    assert (clock_time(1565.0, None), clock_time(1565.0, MORNING.replace(hour=0, minute=0))) == (
        "26:05",
        "2026-01-06 02:05",
    )


def test_an_origin_is_a_date() -> None:
    assert checked_origin(None) is None
    assert checked_origin("2026-01-05T00:00:00+00:00") == datetime(2026, 1, 5, tzinfo=UTC)
    for wrong in ("Monday", 5):
        with rejects(InputError, where="origin"):
            checked_origin(wrong)


def test_times_beyond_the_last_date_are_refused() -> None:
    """They ended in an OverflowError."""
    with rejects(InputError, "no date"):
        dates_or_numbers([1e15], datetime(2026, 1, 5))
