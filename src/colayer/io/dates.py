"""Dates of a user's: minutes since the midnight before the first of an instance, and back to dates in results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.io.validate import numbers

_MINUTE = timedelta(minutes=1)
#: A time of day, or a duration.
CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?")
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d.*)?")


def as_date(value: Any) -> datetime | None:
    """Return a date of Python, numpy or pandas, or one written as 2026-01-05 07:30; None for anything else."""
    if is_nat(value):
        return None
    if isinstance(value, np.datetime64):
        value = value.astype("M8[us]").item()
    if isinstance(value, str) and _ISO.fullmatch(value.strip()):
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:  # 2026-02-30
            return None
    if isinstance(value, datetime):
        return value
    return datetime(value.year, value.month, value.day) if isinstance(value, date) else None


def is_nat(value: Any) -> bool:
    """Tell whether a value is a missing date or duration of numpy or pandas."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ == "NaTType"


def is_time(value: Any) -> bool:
    """Tell whether what counts as a number is a time of day or a duration."""
    if isinstance(value, str):
        return CLOCK.fullmatch(value.strip()) is not None
    return isinstance(value, time | timedelta | np.timedelta64)


def dates_and_minutes(values: NDArray[Any]) -> list[Any]:
    """Return numpy's dates one by one, and its durations as minutes; what is missing stays so."""
    if values.dtype.kind == "M":
        return list(values.astype("M8[us]"))
    return [
        m if not missing else v
        for m, missing, v in zip(values / np.timedelta64(1, "m"), np.isnat(values), values, strict=True)
    ]


def first_midnight(dates: Iterable[datetime]) -> datetime:
    """Return the midnight before the first of some dates, all with a time zone or all without."""
    first = min(dates)
    return datetime(first.year, first.month, first.day, tzinfo=first.tzinfo)


def minutes_since(origin: datetime, value: datetime) -> float:
    """Return the minutes from `origin` to a date, as they pass: the clock may be put forward in between."""
    return float((_absolute(value) - _absolute(origin)) / _MINUTE)


def counts_days(values: Iterable[NDArray[np.float64]]) -> bool:
    """Tell whether numbers are dates as spreadsheets count them: days since 1900, here of 2000 to 2099.

    Those of whole minutes have many decimals. Multiples of 1/20 may be anything.
    """
    days = np.concatenate([*values, np.empty(0)])
    whole = np.abs(days * 1440.0 - np.round(days * 1440.0)) < 0.02
    many = np.abs(days * 20.0 - np.round(days * 20.0)) > 1e-6
    return bool(((days >= 36526.0) & (days < 73051.0) & whole).all() and many.any())


def dates_or_numbers(minutes: Sequence[float] | NDArray[np.float64], origin: datetime | None) -> list[Any]:
    """Return minutes as dates if they count from an `origin`, else as numbers."""
    if origin is None:
        return numbers(np.asarray(minutes, dtype=np.float64))
    try:
        dates = [_absolute(origin) + float(m) * _MINUTE for m in minutes]
    except OverflowError:
        raise InputError(f"{max(minutes):g} minutes after {origin} is no date") from None
    return dates if origin.tzinfo is None else [day.astimezone(origin.tzinfo) for day in dates]


def clock_time(minutes: float, origin: datetime | None) -> str:
    """Return minutes as hours and minutes, 26:05 after midnight; since an `origin`, as a date."""
    whole = round(minutes)
    if origin is None:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{dates_or_numbers([minutes], origin)[0]:%Y-%m-%d %H:%M}"


def checked_origin(value: Any) -> datetime | None:
    """Return the origin of an instance: None, a date, or its text in a file."""
    if value is None or isinstance(value, datetime):
        return value
    found = as_date(value) if isinstance(value, str) else None
    if found is None:
        raise InputError(f"{short(value)} is not a date, expected one like 2026-01-05T00:00:00", where="origin")
    return found


def _absolute(value: datetime) -> datetime:
    return value if value.tzinfo is None else value.astimezone(UTC)
