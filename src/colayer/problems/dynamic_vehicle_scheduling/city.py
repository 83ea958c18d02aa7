"""A city: the depot, the customers, how long one drives between them, and when they are visited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import counted
from colayer.errors import InputError
from colayer.io.validate import refuse, table
from colayer.io.vrplib import StaticRouting
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import HOUR

#: Of a time, in seconds: then sums of times are exact enough.
LARGEST = 1e9
#: The share of all customers in the feature `near customers`.
NEAR = 0.05
#: What a request is: when it comes, where it is, when the visit begins and how long it takes.
REQUESTS = ("epoch", "location", "start", "duration")


@dataclass(frozen=True, eq=False, repr=False)
class City:
    """A depot, place 0, and customers, places 1 … n; times in seconds (read-only float64 arrays).

    `travel` is (n + 1, n + 1), of any symmetry; `windows` (n, 2) are the opening and closing times of the customers,
    `service` (n,) their service times. `points` (n + 1, 2), if given, are for pictures.
    """

    travel: Floats
    windows: Floats
    service: Floats
    points: Floats | None = None

    def __post_init__(self) -> None:
        windows = table(self.windows, "windows", (None, 2), largest=LARGEST)
        n = len(windows)
        travel = table(self.travel, "travel", (n + 1, n + 1), largest=LARGEST)
        service = table(self.service, "service", (n,), largest=LARGEST)
        refuse(travel < 0, travel, "travel", "is negative, expected a time >= 0")
        refuse(service < 0, service, "service", "is negative, expected a time >= 0")
        refuse(windows < 0, windows, "windows", "is negative, expected a time >= 0")
        refuse(windows[:, 1] < windows[:, 0], windows[:, 1], "windows", "closes before it opens")
        for field, array in (("travel", travel), ("windows", windows), ("service", service)):
            object.__setattr__(self, field, array)
        if self.points is not None:
            object.__setattr__(self, "points", table(self.points, "points", (n + 1, 2), largest=LARGEST))
        if self.latest < HOUR:
            raise InputError(f"no visit is due after {HOUR:g} s, when the first vehicle leaves", where="windows")

    def __reduce__(self) -> tuple[Any, ...]:
        return City, (self.travel, self.windows, self.service, self.points)  # read-only again on the other side

    def __repr__(self) -> str:
        return f"City({counted(self.customers, 'customer')}, {counted(self.epochs, 'epoch')})"

    @property
    def customers(self) -> int:
        """Return n."""
        return len(self.windows)

    @cached_property
    def earliest(self) -> float:
        """Return the earliest middle of a window."""
        return float(self.windows.mean(axis=1).min())

    @cached_property
    def latest(self) -> float:
        """Return the latest middle of a window."""
        return float(self.windows.mean(axis=1).max())

    @property
    def epochs(self) -> int:
        """Return the number of epochs: in the last one a vehicle still leaves before the latest visit."""
        return int((self.latest - HOUR) // HOUR) + 1

    @cached_property
    def times(self) -> Floats:
        """Return `travel` as a writable array that kernels are compiled for, not written."""
        return np.array(self.travel)

    @cached_property
    def near(self) -> Floats:
        """Return for each place the 5 % quantile of the times to or from the customers, whichever is less."""
        nearest: Floats = np.quantile(np.minimum(self.travel, self.travel.T)[:, 1:], NEAR, axis=1)
        return nearest


def static_city(static: StaticRouting, where: str) -> City:
    """Return the city of a static problem; `where` names it in messages. Demands and the capacity play no role."""
    try:
        return City(static.travel, static.windows[1:], static.service[1:], static.points)
    except InputError as error:
        raise error.at(where) from None


def draw(city: City, rng: np.random.Generator, per_epoch: int, first: int = 0) -> dict[str, Any]:
    """Draw the requests of the epochs from `first` on: their REQUESTS, by epoch.

    Each epoch draws `per_epoch` customers without replacement, starts that are uniform between the leaving of its
    vehicles (or the earliest middle of a window) and the latest middle, and the service times of drawn customers. What
    a vehicle that leaves in the epoch does not reach in time is dropped.
    """
    size = min(per_epoch, city.customers)
    parts = []
    for epoch in range(first, city.epochs):
        leave = HOUR * (epoch + 1)
        location = rng.choice(city.customers, size=size, replace=False) + 1
        start = rng.uniform(max(city.earliest, leave), city.latest, size=size)
        duration = city.service[rng.integers(city.customers, size=size)]
        kept = leave + city.travel[0, location] <= start
        parts.append((np.full(int(kept.sum()), epoch), location[kept], start[kept], duration[kept]))
    if not parts:
        parts.append((np.empty(0, int), np.empty(0, int), np.empty(0), np.empty(0)))
    return {field: np.concatenate(column) for field, column in zip(REQUESTS, zip(*parts, strict=True), strict=True)}
