"""Days: a city and the requests that come, epoch after epoch; validation, generator, file format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.text import counted
from colayer.errors import InputError
from colayer.io.frames import HasFrame
from colayer.io.validate import numbers, refuse, table, whole
from colayer.problems.dynamic_vehicle_scheduling.city import LARGEST, REQUESTS, City, draw
from colayer.problems.dynamic_vehicle_scheduling.generator import city_of
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import HOUR

#: Requests that are drawn in an epoch if not told otherwise.
PER_EPOCH = 10

CITY = ("travel", "windows", "service")


@dataclass(frozen=True, eq=False, repr=False)
class Day(HasFrame):
    """A city and all requests of a day, by epoch (read-only arrays).

    Request r is known from epoch[r] on; its visit at place location[r] begins at start[r] and takes duration[r]
    seconds. The day begins in the epoch `first`, 0 but for a day that follows from a state.
    """

    city: City
    epoch: Ints  # (requests,)
    location: Ints
    start: Floats
    duration: Floats
    per_epoch: int = PER_EPOCH
    first: int = 0

    def __post_init__(self) -> None:
        count = len(self.epoch)
        epochs = self.city.epochs
        object.__setattr__(self, "per_epoch", whole(self.per_epoch, "per_epoch", least=1))
        object.__setattr__(self, "first", whole(self.first, "first"))
        if self.first >= epochs:
            raise InputError(f"{self.first}, expected one of the {epochs} epochs of the city", where="first")
        for field, least, most in (("epoch", 0, epochs - 1), ("location", 1, self.city.customers)):
            object.__setattr__(self, field, _wholes(getattr(self, field), field, count, least, most))
        if (np.diff(self.epoch) < 0).any():
            raise InputError("expected epochs that ascend", where="epoch")
        for field in ("start", "duration"):
            values = _times(getattr(self, field), field, count)
            refuse(values < 0, values, field, "is negative, expected a time >= 0")
            object.__setattr__(self, field, values)
        leave = HOUR * (np.maximum(self.epoch, self.first) + 1)
        late = leave + self.city.travel[0, self.location] > self.start
        refuse(late, self.start, "start", "is too early: no vehicle of the epoch is there in time")

    def __reduce__(self) -> tuple[Any, ...]:
        requests = tuple(getattr(self, field) for field in REQUESTS)
        return Day, (self.city, *requests, self.per_epoch, self.first)

    def __repr__(self) -> str:
        return f"Day(dynamic-vehicle-scheduling: {counted(self.requests, 'request')}, {self.city!r})"

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`: one row per request."""
        return {"request": list(range(self.requests)), **{field: getattr(self, field).tolist() for field in REQUESTS}}

    @property
    def requests(self) -> int:
        """Return the number of requests of the whole day."""
        return len(self.epoch)


def generate(
    seed: int | np.random.SeedSequence, customers: int = 200, clusters: int = 6, per_epoch: int = PER_EPOCH
) -> Day:
    """Draw a city and a day in it."""
    for field, size in (("customers", customers), ("clusters", clusters), ("per_epoch", per_epoch)):
        if size < 1:
            raise InputError(f"{size} is out of range, expected at least 1", where=field)
    rng = np.random.default_rng(seed)
    return day_in(city_of(rng, customers, clusters), rng, per_epoch)


def day_in(city: City, rng: np.random.Generator, per_epoch: int = PER_EPOCH) -> Day:
    """Draw a day in a city."""
    return Day(city, **draw(city, rng, per_epoch), per_epoch=per_epoch)


def read(document: Mapping[str, Any]) -> Day:
    """Return the day of a decoded JSON object."""
    city = City(**{field: document[field] for field in CITY}, points=document.get("points"))
    columns = {field: document[field] for field in REQUESTS}
    return Day(city, **columns, per_epoch=document.get("per_epoch", PER_EPOCH), first=document.get("first", 0))


def write(day: Day) -> dict[str, Any]:
    """Return the JSON object of a day."""
    document: dict[str, Any] = {field: numbers(getattr(day.city, field)) for field in CITY}
    if day.city.points is not None:
        document["points"] = numbers(day.city.points)
    document |= {field: getattr(day, field).tolist() for field in REQUESTS}
    return document | {"per_epoch": day.per_epoch, "first": day.first}


def _wholes(values: Any, field: str, count: int, least: int, most: int) -> Ints:
    """Return whole numbers from `least` to `most`, read-only."""
    array = _times(values, field, count)
    refuse(array != np.floor(array), array, field, "is not a whole number")
    refuse((array < least) | (array > most), array, field, f"is out of range, expected {least} to {most}")
    converted = array.astype(np.int64)
    converted.setflags(write=False)
    return converted


def _times(values: Any, field: str, count: int) -> Floats:
    """Return `count` numbers, read-only; a day may have no requests."""
    if count == 0 and len(values) == 0:
        return np.empty(0)
    return table(values, field, (count,), largest=LARGEST)
