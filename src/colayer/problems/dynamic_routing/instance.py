"""Days: a city and the requests that come, epoch after epoch; validation, generator, file format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Ints
from colayer._runtime.text import counted
from colayer.errors import InputError
from colayer.io.validate import numbers, refuse, whole
from colayer.problems.dynamic_routing.city import REQUESTS, RoutingCity, draw, reachable, wholes
from colayer.problems.dynamic_routing.kernels.routes import HOUR
from colayer.problems.dynamic_vehicle_scheduling.generator import city_of

#: Requests that an epoch draws: of the competition, and of the generator, whose days are for trying out.
PER_EPOCH, FEW = 100, 20
CITY = ("travel", "windows", "demand", "service", "capacity")
#: Of the generator: demands, the capacity of a vehicle, and when the depot closes.
_DEMANDS, _CAPACITY, _CLOSING = (1, 10), 60, 10 * HOUR


@dataclass(frozen=True, eq=False, repr=False)
class RoutingDay:
    """A city and all requests of a day, by epoch (read-only int64 arrays).

    Request r is known from epoch[r] on; it is served at place location[r], from opening[r] to closing[r], takes
    service[r] seconds and brings demand[r]. The day begins in the epoch `first`.
    """

    city: RoutingCity
    epoch: Ints  # (requests,)
    location: Ints
    opening: Ints
    closing: Ints
    demand: Ints
    service: Ints
    per_epoch: int = PER_EPOCH
    first: int = 0

    def __post_init__(self) -> None:
        city, count = self.city, (len(self.epoch),)
        object.__setattr__(self, "per_epoch", whole(self.per_epoch, "per_epoch", least=1))
        object.__setattr__(self, "first", whole(self.first, "first"))
        if self.first >= city.epochs:
            raise InputError(f"{self.first}, expected one of the {city.epochs} epochs of the city", where="first")
        limits = {"epoch": (0, city.epochs - 1), "location": (1, city.customers), "demand": (0, city.capacity)}
        for field in REQUESTS:
            object.__setattr__(self, field, wholes(getattr(self, field), field, count, *limits.get(field, ())))
        if (np.diff(self.epoch) < 0).any():
            raise InputError("expected epochs that ascend", where="epoch")
        leave = HOUR * (np.maximum(self.epoch, self.first) + 1)
        late = ~reachable(city, (self.location, self.opening, self.closing, self.service), leave)
        refuse(late, self.closing, "closing", "is too early: no vehicle of the epoch serves the request in time")

    def __repr__(self) -> str:
        return f"RoutingDay({counted(self.requests, 'request')} in {counted(self.city.epochs - self.first, 'epoch')})"

    def __reduce__(self) -> tuple[Any, ...]:
        requests = tuple(getattr(self, field) for field in REQUESTS)
        return RoutingDay, (self.city, *requests, self.per_epoch, self.first)

    @property
    def requests(self) -> int:
        """Return the number of requests of the whole day."""
        return len(self.epoch)


def generate(
    seed: int | np.random.SeedSequence, customers: int = 200, clusters: int = 6, per_epoch: int = FEW
) -> RoutingDay:
    """Draw a city, that of dynamic vehicle scheduling with demands and a depot that closes, and a day in it."""
    for field, size in (("customers", customers), ("clusters", clusters), ("per_epoch", per_epoch)):
        if size < 1:
            raise InputError(f"{size} is out of range, expected at least 1", where=field)
    rng = np.random.default_rng(seed)
    plain = city_of(rng, customers, clusters)
    demand = np.concatenate([[0], rng.integers(*_DEMANDS, size=customers, endpoint=True)])
    windows = np.concatenate([[[0.0, _CLOSING]], plain.windows])
    service = np.concatenate([[0.0], plain.service])
    city = RoutingCity(plain.travel, windows, demand, service, _CAPACITY, plain.points)  # type: ignore[arg-type]
    return day_in(city, rng, per_epoch)


def day_in(city: RoutingCity, rng: np.random.Generator, per_epoch: int = PER_EPOCH) -> RoutingDay:
    """Draw a day in a city."""
    return RoutingDay(city, **draw(city, rng, per_epoch, city.first), per_epoch=per_epoch, first=city.first)


def read(document: Mapping[str, Any]) -> RoutingDay:
    """Return the day of a decoded JSON object."""
    city = RoutingCity(**{field: document[field] for field in CITY}, points=document.get("points"))
    columns = {field: document[f"request_{field}"] for field in REQUESTS}
    per_epoch, first = document.get("per_epoch", PER_EPOCH), document.get("first", city.first)
    return RoutingDay(city, **columns, per_epoch=per_epoch, first=first)


def write(day: RoutingDay) -> dict[str, Any]:
    """Return the JSON object of a day."""
    city = day.city
    document: dict[str, Any] = {field: getattr(city, field).tolist() for field in CITY if field != "capacity"}
    if city.points is not None:
        document["points"] = numbers(city.points)
    document |= {f"request_{field}": getattr(day, field).tolist() for field in REQUESTS}
    return document | {"capacity": city.capacity, "per_epoch": day.per_epoch, "first": day.first}
