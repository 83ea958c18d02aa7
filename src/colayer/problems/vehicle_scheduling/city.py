"""The city: where tasks start and finish, and how long crossing it takes by hour and scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.io import validate as fields
from colayer.io.files import exact_keys
from colayer.io.validate import refuse
from colayer.problems.vehicle_scheduling.kernels.travel import HOURS

#: Larger times and costs are refused, so that their products fit into float32.
LARGEST = 1e15
#: A finite number, and an array of finite numbers, at most LARGEST.
number = partial(fields.number, largest=LARGEST)
table = partial(fields.table, largest=LARGEST)

_KEYS = ("width", "district_width", "start", "finish", "district_delay", "inter_delay")
_MOST = 1000  # districts per side


@dataclass(frozen=True, eq=False)
class City:
    """A square city in square districts, k per side; distances are in minutes (read-only float64 arrays)."""

    width: float
    district_width: float
    start: Floats  # (n, 2) where each task begins
    finish: Floats  # (n, 2) where each task ends
    district_delay: Floats  # (S, 24, k, k) delay of leaving or entering a district, by hour of the day
    inter_delay: Floats  # (S, 24) between districts

    def __post_init__(self) -> None:
        for field in ("width", "district_width"):
            value = number(getattr(self, field), f"city.{field}")
            if value <= 0:
                raise InputError(f"{value:g} is not positive, expected a number > 0", where=f"city.{field}")
            object.__setattr__(self, field, value)
        if self.width > _MOST * self.district_width:
            raise InputError(
                f"{self.district_width:g} is out of range, expected at least width / {_MOST}",
                where="city.district_width",
            )
        k = self.districts
        start = table(self.start, "city.start", (None, 2))
        finish = table(self.finish, "city.finish", (len(start), 2))
        for field, points in (("start", start), ("finish", finish)):
            what = f"is outside the city, expected 0 to {self.width:g}"
            refuse((points < 0) | (points > self.width), points, f"city.{field}", what)
            object.__setattr__(self, field, points)
        district = table(self.district_delay, "city.district_delay", (None, HOURS, k, k))
        inter = table(self.inter_delay, "city.inter_delay", (len(district), HOURS))
        for field, delays in (("district_delay", district), ("inter_delay", inter)):
            refuse(delays < 0, delays, f"city.{field}", "is negative, expected a number >= 0")
            object.__setattr__(self, field, delays)

    def __reduce__(self) -> tuple[Any, ...]:
        return City, tuple(getattr(self, key) for key in _KEYS)  # read-only again on the other side

    @property
    def districts(self) -> int:
        """Return k, the number of districts per side."""
        return math.ceil(self.width / self.district_width)

    def zones(self, points: Floats) -> Ints:
        """Return the district of each point, row-major."""
        cells = np.minimum((points / self.district_width).astype(np.int64), self.districts - 1)
        return cells[:, 0] * self.districts + cells[:, 1]

    def tables(self) -> tuple[Floats, Floats]:
        """Return the delays in the kernels' form, scenarios last: (districts, 24, S) and (24, S)."""
        scenarios = len(self.inter_delay)
        district = self.district_delay.transpose(2, 3, 1, 0).reshape(-1, HOURS, scenarios)
        return np.array(district, order="C"), np.array(self.inter_delay.T, order="C")


def read_city(document: Any) -> City:
    """Return the city of its part of an instance file."""
    if not isinstance(document, Mapping):
        raise InputError("expected an object", where="city")
    try:
        exact_keys(document, _KEYS)
    except InputError as error:
        raise InputError(error.message, where=f"city.{error.where}") from None
    return City(**{key: document[key] for key in _KEYS})


def write_city(city: City) -> dict[str, Any]:
    """Return the city's part of an instance file."""
    return {key: getattr(city, key) for key in _KEYS}
