"""Places: where tasks start and finish, the minutes between places, and how much longer a trip takes by hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.io.files import exact_keys
from colayer.io.validate import refuse
from colayer.problems.vehicle_scheduling.city import table
from colayer.problems.vehicle_scheduling.kernels.travel import HOURS

_KEYS = ("start", "finish", "minutes", "factor")
_OPTIONAL = ("home",)
#: The most travel times by arc and scenario that are held at once: 1.6 GB.
MOST = 2e8


@dataclass(frozen=True, eq=False)
class Places:
    """p places, for timetables: many tasks start and finish in few of them (read-only arrays).

    A trip from the end of u to the begin of v takes minutes[finish[u], start[v]], times factor[ω, h] under scenario ω,
    where h is the hour of the day in which u is scheduled to end. `home`, if given, are the minutes between a depot and
    the places: tables of solutions show the depot trips, the cost does not know them.
    """

    start: Ints  # (n,) the place in which each task begins
    finish: Ints  # (n,) the place in which it ends
    minutes: Floats  # (p, p), NaN: no way
    factor: Floats  # (S, 24)
    home: Floats | None = None  # (p,)

    def __post_init__(self) -> None:
        minutes = table(self.minutes, "places.minutes", (None, None), gaps=True)
        if minutes.shape[0] != minutes.shape[1]:
            raise InputError(
                f"{minutes.shape[0]} rows of {minutes.shape[1]}, expected a square", where="places.minutes"
            )
        refuse(minutes < 0, minutes, "places.minutes", "is negative, expected a number >= 0, or null")
        factor = table(self.factor, "places.factor", (None, HOURS))
        refuse(factor < 0, factor, "places.factor", "is negative, expected a number >= 0")
        start = table(self.start, "places.start", (None,))
        finish = table(self.finish, "places.finish", (len(start),))
        for field, places in (("start", start), ("finish", finish)):
            outside = (places < 0) | (places >= len(minutes)) | (places != np.floor(places))
            refuse(outside, places, f"places.{field}", f"is not a place, expected 0 to {len(minutes) - 1}")
            whole = places.astype(np.int64)
            whole.setflags(write=False)
            object.__setattr__(self, field, whole)
        object.__setattr__(self, "minutes", minutes)
        object.__setattr__(self, "factor", factor)
        if self.home is not None:
            home = table(self.home, "places.home", (len(minutes),))
            refuse(home < 0, home, "places.home", "is negative, expected a number >= 0")
            object.__setattr__(self, "home", home)

    def __reduce__(self) -> tuple[Any, ...]:
        return Places, tuple(getattr(self, key) for key in (*_KEYS, *_OPTIONAL))  # read-only again on the other side

    def scheduled(self) -> Floats:
        """Return the minutes (n, n) from the end of each task to the begin of each other."""
        return np.array(self.minutes[np.ix_(self.finish, self.start)], order="C")

    def under_scenarios(self, nominal: Floats, end: Floats) -> Floats:
        """Return the minutes (n, n, S) under the scenarios, 0 where there is no way; tasks end at `end`."""
        hour = (np.floor(end / 60.0) % HOURS).astype(np.int64)
        factor = self.factor.T[hour]
        return np.array(np.nan_to_num(nominal)[:, :, None] * factor[:, None, :], order="C", copy=None)


def read_places(document: Any) -> Places:
    """Return the places of their part of an instance file."""
    if not isinstance(document, Mapping):
        raise InputError("expected an object", where="places")
    try:
        exact_keys({key: value for key, value in document.items() if key not in _OPTIONAL}, _KEYS)
    except InputError as error:
        raise InputError(error.message, where=f"places.{error.where}") from None
    return Places(**document)


def write_places(places: Places) -> dict[str, Any]:
    """Return the places' part of an instance file."""
    fields = {key: getattr(places, key) for key in (*_KEYS, *_OPTIONAL)}
    return {key: value for key, value in fields.items() if value is not None}
