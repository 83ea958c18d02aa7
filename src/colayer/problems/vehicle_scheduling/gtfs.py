"""A transit agency's timetable as an instance: trips are tasks, empty trips are straight lines, delays are drawn.

Travel between stops takes the great-circle distance times `detour`, at `speed`; within a stop, no time. The blocks of
the feed are the published plan.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812
from datetime import datetime, time
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.io.csv_files import read_csv
from colayer.io.dates import clock_time
from colayer.io.gtfs import ServiceDay, read_day
from colayer.io.tables import Arguments
from colayer.io.validate import number
from colayer.problems.vehicle_scheduling.delays import DelayModel, fit_delays, hours_of
from colayer.problems.vehicle_scheduling.generator import DELAY_COST
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.places import Places

#: What a vehicle costs a day, beside DELAY_COST a minute of delay; scenarios; km/h; road against straight line.
VEHICLE_COST, SCENARIOS, SPEED, DETOUR = 400.0, 40, 25.0, 1.3
_EARTH = 6371.0  # km
_FAR = 300.0  # km from a depot to the nearest stop: no depot


def from_gtfs(
    path: str | os.PathLike[str],
    *,
    date: str | Date,
    services: Sequence[str] | None = None,
    route_type: int | None = None,
    speed: float = SPEED,
    detour: float = DETOUR,
    layover: float = 0.0,
    depot: tuple[float, float] | None = None,
    drive_cost: float = 1.0,
    vehicle_cost: float = VEHICLE_COST,
    delay_cost: float = DELAY_COST,
    delays: DelayModel | str | os.PathLike[str] | None = None,
    scenarios: int = SCENARIOS,
    seed: int = 0,
) -> Instance:
    """Make an instance of the trips of a GTFS feed on one day.

    Parameters:
        path: The feed, a zip file or a folder.
        date: The service day, a date or `2016-09-20`.
        services: The `service_id`s to take, by default all that run on the date.
        route_type: GTFS's number of a kind of vehicle, needed if several kinds run.
        speed: Of empty trips, km/h.
        detour: What a great-circle distance is multiplied by.
        layover: Minutes that a vehicle is scheduled to rest between trips, at least.
        depot: Latitude, longitude. Every vehicle then costs the mean over all trips of the way from there to the first
            stop and from the last one back, whichever trips it runs; tables of plans show the depot trips as they are.
        drive_cost: Cost of a minute of depot trips.
        vehicle_cost: Cost of a vehicle.
        delay_cost: Cost of a minute of delay.
        delays: The model of delays, or a CSV file of recorded ones (`date`, `trip`, `delay` in minutes) to fit it to.
        scenarios: How many to draw.
        seed: Seed of the scenarios.
    """
    day = read_day(path, date, services=services, route_type=route_type)
    model = delays if isinstance(delays, DelayModel) else DelayModel() if delays is None else recorded(delays, day)
    return instance_of(
        day, model, speed=speed, detour=detour, layover=layover, depot=depot, drive_cost=drive_cost,
        vehicle_cost=vehicle_cost, delay_cost=delay_cost, scenarios=scenarios, seed=seed,
    )  # fmt: skip


def instance_of(
    day: ServiceDay,
    delays: DelayModel,
    *,
    speed: float = SPEED,
    detour: float = DETOUR,
    layover: float = 0.0,
    depot: tuple[float, float] | None = None,
    drive_cost: float = 1.0,
    vehicle_cost: float = VEHICLE_COST,
    delay_cost: float = DELAY_COST,
    scenarios: int = SCENARIOS,
    seed: int = 0,
) -> Instance:
    """Make the instance of a service day; see `from_gtfs`."""
    for field, value in (("speed", speed), ("detour", detour)):
        if number(value, field) <= 0:
            raise InputError(f"{value:g} is not positive, expected a number > 0", where=field)
    begin, end = (np.array([getattr(trip, side) for trip in day.trips]) for side in ("begin", "end"))
    stops = list(day.points)
    start, finish = (np.array([stops.index(getattr(t, side)) for t in day.trips]) for side in ("start", "finish"))
    where = np.array(list(day.points.values()))
    pace = number(60.0 * detour / speed, "speed")
    if number(drive_cost, "drive_cost") < 0:
        raise InputError(f"{drive_cost:g} is negative, expected a number >= 0", where="drive_cost")
    home = None if depot is None else pace * _from_depot(depot, where)
    if home is not None:
        vehicle_cost = vehicle_cost + drive_cost * float(home[start].mean() + home[finish].mean())
    late, factor = delays.draw(begin, end, scenarios, seed)
    return Instance(
        vehicle_cost=vehicle_cost,
        delay_cost=delay_cost,
        begin=begin,
        end=end,
        scenario_begin=np.tile(begin, (len(late), 1)),
        scenario_end=end + late,
        names=tuple(trip.name for trip in day.trips),
        places=Places(start, finish, pace * kilometres(where, where), factor, home),
        layover=layover,
        origin=datetime.combine(day.date, time()),
    )


@dataclass(frozen=True)
class PublishedPlan:
    """The blocks of a feed as a solution; at a connection that is infeasible another vehicle goes on.

    It solves the instance without its least layover, `replace(instance, layover=0.0)`: that is nothing published.
    """

    successor: Ints
    blocks: int
    connections: int
    infeasible: tuple[str, ...]  # in words
    short: int  # connections with less than the layover

    @property
    def vehicles(self) -> int:
        """Return the number of vehicles."""
        return int((self.successor < 0).sum())


def published(day: ServiceDay, instance: Instance) -> PublishedPlan | None:
    """Return the plan that the blocks of the feed say; None if a trip belongs to none."""
    blocks: dict[str, list[int]] = {}
    for i, trip in enumerate(day.trips):
        if not trip.block:
            return None
        blocks.setdefault(trip.block, []).append(i)
    pairs = [pair for block in blocks.values() for pair in pairwise(block)]
    successor = np.full(len(day.trips), -1, dtype=np.int64)
    tails, heads = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    places = cast("Places", instance.places)
    travel = places.minutes[places.finish[tails], places.start[heads]]
    slack = instance.begin[heads] - instance.end[tails] - travel
    feasible = slack >= 0.0
    successor[tails[feasible]] = heads[feasible]
    infeasible = [_connection(day, u, v, m) for (u, v), m, ok in zip(pairs, travel, feasible, strict=True) if not ok]
    short = int((feasible & (slack < instance.layover)).sum())
    return PublishedPlan(successor, len(blocks), len(pairs), tuple(infeasible), short)


def kilometres(here: Floats, there: Floats) -> Floats:
    """Return great-circle distances between points (latitude, longitude), by the haversine formula."""
    (lat, lon), (to_lat, to_lon) = np.radians(here).T, np.radians(there).T
    half = np.sin((to_lat - lat[:, None]) / 2) ** 2
    half += np.cos(lat)[:, None] * np.cos(to_lat) * np.sin((to_lon - lon[:, None]) / 2) ** 2
    distances: Floats = 2.0 * _EARTH * np.arcsin(np.sqrt(np.minimum(half, 1.0)))
    return distances


def recorded(path: str | os.PathLike[str], day: ServiceDay) -> DelayModel:
    """Fit the model to recorded delays: a CSV file with `date`, `trip` and `delay`, minutes late at its last stop.

    Rows of trips that do not run on this day are left out; a trip that was early counts as in time.
    """
    table = read_csv(Path(path))
    given = Arguments("delays", table)
    delay, trips, dates = given.numbers("delay"), given.words("trip"), given.words("date")
    known = {trip.name: trip for trip in day.trips}
    rows = [i for i, name in enumerate(trips) if str(name) in known]
    if not rows:
        raise InputError(
            f"no trip of {day.date}, expected names as {short(day.trips[0].name)}", where=table.about("trip")
        )
    run = [known[str(trips[i])] for i in rows]
    begin, end = (np.array([getattr(trip, side) for trip in run]) for side in ("begin", "end"))
    _, days = np.unique([str(dates[i]) for i in rows], return_inverse=True)
    shares = np.maximum(delay[rows], 0.0) / (end - begin)
    if shares.mean() > 1.0:
        said = f"{shares.mean():.1f} times as long as the trips, on average; expected minutes, not seconds"
        raise InputError(said, where=table.about("delay"))
    return fit_delays(shares, hours_of(begin), days.astype(np.int64))


def _connection(day: ServiceDay, u: int, v: int, minutes: float) -> str:
    tail, head = day.trips[u], day.trips[v]
    times = clock_time(tail.end, None), clock_time(head.begin, None)
    return (
        f"block {head.block}: {tail.name} ends at {times[0]}, {head.name} begins at {times[1]}, {minutes:.0f} min away"
    )


def _from_depot(depot: tuple[float, float], where: Floats) -> Floats:
    """Return the kilometres from the depot to each place; refuse one far from all: were lat and lon swapped?"""
    lat, lon = (number(value, "depot") for value in depot)
    if not (abs(lat) <= 90 and abs(lon) <= 180):
        raise InputError(f"{lat:g}, {lon:g} is no latitude and longitude", where="depot")
    distances: Floats = kilometres(np.array([[lat, lon]]), where)[0]
    if distances.min() > _FAR:
        said = f"{lat:g}, {lon:g} is {distances.min():,.0f} km from the nearest stop, expected latitude, then longitude"
        raise InputError(said, where="depot")
    return distances
