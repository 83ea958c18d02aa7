"""Days that a city draws once, to say what a request would cost later, and to try decisions on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats, Ints
from colayer.problems.dynamic_vehicle_scheduling.city import REQUESTS, City, draw
from colayer.problems.dynamic_vehicle_scheduling.kernels.later import duals_into, last_into, later_into

#: Days that price a request, and others that decisions are tried on.
PRICED, TRIED = 20, 60


@dataclass(frozen=True, eq=False)
class Drawn:
    """The requests of some days of a city, one day after the other; day k ends before request ends[k]."""

    city: City
    per_epoch: int
    ends: Ints
    epoch: Ints
    location: Ints
    start: Floats
    duration: Floats

    @cached_property
    def last(self) -> Ints:
        """Return the last epochs whose vehicles reach the requests."""
        return last_epochs(self.city, self.epoch, self.location, self.start)

    @cached_property
    def duals(self) -> Floats:
        """Return the duals of what comes after each epoch, (epochs, 2, requests): see `kernels/later.py`."""
        duals = np.zeros((self.city.epochs, 2, len(self.epoch)))
        requests = self.epoch, self.location, self.start, self.duration, self.last
        duals_into(self.ends, *requests, self.city.times, duals)
        return duals

    @cached_property
    def later(self) -> Floats:
        """Return what each request would cost later, (requests, epochs)."""
        return later_costs(self.city, self.per_epoch, self.epoch, self.location, self.start, self.duration)


def drawn_days(city: City, per_epoch: int, tried: bool = False) -> Drawn:
    """Return the days that price requests, or those that decisions are tried on; always the same in a city."""
    key = per_epoch, tried
    if key not in city.drawn:
        count = TRIED if tried else PRICED
        parts = [draw(city, seeds.generator(0, seeds.DRAWN, int(tried), k), per_epoch) for k in range(count)]
        ends = np.cumsum([len(part["epoch"]) for part in parts])
        columns = (np.concatenate([part[field] for part in parts]) for field in REQUESTS)
        city.drawn[key] = Drawn(city, per_epoch, ends, *columns)
    found: Drawn = city.drawn[key]
    return found


def last_epochs(city: City, epoch: Ints, location: Ints, start: Floats) -> Ints:
    """Return the last epoch whose vehicles reach each request."""
    last = np.empty(len(epoch), dtype=np.int64)
    last_into(np.array(epoch), np.array(location), np.array(start), city.times, city.epochs, last)
    return last


def later_costs(city: City, per_epoch: int, epoch: Ints, location: Ints, start: Floats, duration: Floats) -> Floats:
    """Return what each request would cost later, if it is left in an epoch, (requests, epochs); 0 where it is gone."""
    days = drawn_days(city, per_epoch)
    later = np.zeros((len(epoch), city.epochs))
    last = last_epochs(city, epoch, location, start)
    requests = (np.array(values) for values in (epoch, location, start, duration))
    drawn = days.ends, days.epoch, days.location, days.start, days.duration, days.duals
    later_into(*requests, last, city.times, *drawn, later)
    return later
