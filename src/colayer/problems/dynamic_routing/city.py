"""A city with demands: the depot, the customers, how long one drives between them; and what an epoch draws of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.io.validate import refuse, table, whole
from colayer.io.vrplib import StaticRouting
from colayer.problems.dynamic_routing.kernels.routes import HOUR

#: Of a time or a demand: then sums are exact.
LARGEST = 1e9
#: The share of all customers in the feature `near customers`.
NEAR = 0.05
#: What a request is: when it comes, where it is, its time window, what it brings and how long the visit takes.
REQUESTS = ("epoch", "location", "opening", "closing", "demand", "service")


@dataclass(frozen=True, eq=False, repr=False)
class RoutingCity:
    """A depot, place 0, and customers, places 1 … n; whole seconds and whole demands (read-only int64 arrays).

    `travel` is (n + 1, n + 1), of any symmetry; `windows` (n + 1, 2), `demand` and `service` (n + 1,) are of all
    places, the depot included. `points` (n + 1, 2), if given, are for pictures.
    """

    travel: Ints
    windows: Ints
    demand: Ints
    service: Ints
    capacity: int
    points: Floats | None = None

    def __post_init__(self) -> None:
        windows = wholes(self.windows, "windows", (None, 2))
        places = len(windows)
        if places < 2:
            raise InputError("one place, expected a depot and customers", where="windows")
        travel = wholes(self.travel, "travel", (places, places))
        demand, service = (wholes(getattr(self, field), field, (places,)) for field in ("demand", "service"))
        object.__setattr__(self, "capacity", whole(self.capacity, "capacity", least=1))
        refuse(windows[:, 1] < windows[:, 0], windows[:, 1], "windows", "closes before it opens")
        refuse(demand > self.capacity, demand, "demand", f"is more than the capacity, {self.capacity}")
        for field, array in (("travel", travel), ("windows", windows), ("demand", demand), ("service", service)):
            object.__setattr__(self, field, array)
        if self.points is not None:
            object.__setattr__(self, "points", table(self.points, "points", (places, 2), largest=LARGEST))

    def __repr__(self) -> str:
        return f"RoutingCity({self.customers} customers, capacity {self.capacity}, {self.epochs} epochs)"

    def __reduce__(self) -> tuple[Any, ...]:
        return RoutingCity, (self.travel, self.windows, self.demand, self.service, self.capacity, self.points)

    @property
    def customers(self) -> int:
        """Return n."""
        return len(self.windows) - 1

    @property
    def closing(self) -> int:
        """Return when the depot closes."""
        return int(self.windows[0, 1])

    @property
    def first(self) -> int:
        """Return the first epoch of a day."""
        return max(0, int(self.windows[1:, 0].min() - HOUR) // HOUR)

    @property
    def epochs(self) -> int:
        """Return the number that follows the last epoch: 24 at most in a day that ends at midnight."""
        return max(0, int(self.windows[1:, 0].max() - HOUR) // HOUR) + 1

    @cached_property
    def times(self) -> Ints:
        """Return `travel` as a writable array that kernels are compiled for, not written."""
        return np.array(self.travel)

    @cached_property
    def near(self) -> Floats:
        """Return for each place the 5 % quantile of the times to or from the customers, whichever is less."""
        nearest: Floats = np.quantile(np.minimum(self.travel, self.travel.T)[:, 1:], NEAR, axis=1)
        return nearest


def static_city(static: StaticRouting, where: str) -> RoutingCity:
    """Return the city of a static file: travel and service rounded up to seconds, windows rounded inwards."""
    if static.capacity is None:
        raise InputError("no capacity, expected that of a vehicle", where=where)
    windows = np.column_stack([np.ceil(static.windows[:, 0]), np.floor(static.windows[:, 1])])
    travel, service, demand = (np.ceil(values) for values in (static.travel, static.service, static.demand))
    np.fill_diagonal(travel, 0.0)
    return RoutingCity(travel, windows, demand, service, int(static.capacity), static.points)


def reachable(city: RoutingCity, columns: Any, leave: Any) -> NDArray[np.bool_]:
    """Tell which requests (`columns`: location, opening, closing, service) a vehicle can serve alone, leaving then."""
    location, opening, closing, service = columns
    arrival = np.maximum(leave + city.travel[0, location], opening)
    back = arrival + service + city.travel[location, 0]
    found: NDArray[np.bool_] = (arrival <= closing) & (back <= city.closing)
    return found


def draw(city: RoutingCity, rng: np.random.Generator, per_epoch: int, first: int) -> dict[str, Ints]:
    """Draw the requests of the epochs from `first` on: their REQUESTS, by epoch, as the competition draws them.

    Each epoch draws `per_epoch` customers, then as many windows, demands and service times, each of any customer. What
    a vehicle that leaves in the epoch does not serve in time is dropped.
    """
    parts = [np.empty((len(REQUESTS), 0), np.int64)]
    for epoch in range(first, city.epochs):
        place, window, demand, service = (rng.integers(city.customers, size=per_epoch) + 1 for _ in range(4))
        opening, closing = city.windows[window].T
        rows = np.stack(
            [np.full(per_epoch, epoch), place, opening, closing, city.demand[demand], city.service[service]]
        )
        parts.append(rows[:, reachable(city, (place, opening, closing, rows[5]), HOUR * (epoch + 1))])
    return dict(zip(REQUESTS, np.concatenate(parts, axis=1), strict=True))


def wholes(values: Any, field: str, shape: tuple[int | None, ...], least: int = 0, most: float = LARGEST) -> Ints:
    """Return whole numbers from `least` to `most`, read-only; a column may be empty."""
    if shape == (0,) and len(values) == 0:
        return np.empty(0, dtype=np.int64)
    array = table(values, field, shape, largest=LARGEST)
    refuse(array != np.floor(array), array, field, "is not a whole number")
    refuse((array < least) | (array > most), array, field, f"is out of range, expected {least} to {most:g}")
    converted = array.astype(np.int64)
    converted.setflags(write=False)
    return converted
