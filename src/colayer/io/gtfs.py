"""GTFS feeds: the trips of one service day of a transit agency's public timetable.

A feed is a zip file or a folder of CSV files (https://gtfs.org/documentation/schedule/reference). What is needed is
read: `trips.txt`, `stop_times.txt`, `stops.txt`, `calendar.txt` and `calendar_dates.txt` (one of them, or both), and
`frequencies.txt` and `routes.txt` where there are some. What is wrong is refused by file and line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812
from datetime import datetime
from pathlib import Path

from colayer._runtime.text import counted, short
from colayer.errors import InputError
from colayer.io.feed import Feed

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: How often a trip of `frequencies.txt` may run.
_MOST = 10_000
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d):([0-5]\d)")


@dataclass(frozen=True)
class Trip:
    """A trip of a vehicle: minutes since midnight of the service day, beyond 1440 for the night, and its end stops."""

    name: str
    service: str
    block: str  # trips of a block are run by one vehicle; "" if the feed does not say
    begin: float
    end: float
    start: str
    finish: str


@dataclass(frozen=True)
class ServiceDay:
    """The trips of one day, by begin, and where their first and last stops lie (latitude, longitude)."""

    date: Date
    trips: tuple[Trip, ...]
    points: Mapping[str, tuple[float, float]]


def read_day(
    path: str | os.PathLike[str],
    date: str | Date,
    *,
    services: Sequence[str] | None = None,
    route_type: int | None = None,
) -> ServiceDay:
    """Return the trips of a feed that run on a date.

    Parameters:
        path: The feed, a zip file or a folder.
        date: The service day, a date or `2016-09-20`; trips after midnight belong to the day on which service began.
        services: The `service_id`s to read, by default all that run on the date.
        route_type: GTFS's number of a kind of vehicle (0 tram, 3 bus, …); needed if trips of several kinds run.
    """
    feed = Feed(Path(path))
    day = _day(date)
    kinds = _kinds(feed)
    running = _services(feed, day)
    for service in services or ():
        if service not in running:
            known = ", ".join(sorted(running)) or "none"
            raise InputError(f"{short(service)} does not run on {day}, there are {known}", where="services")
    wanted = running if services is None else set(services)
    trips: dict[str, Trip] = {}
    found: set[int] = set()
    for where, row in feed.rows("trips.txt", "trip_id", "service_id", "route_id"):
        name = row["trip_id"]
        if name in trips:
            raise InputError(f"trip {short(name)} comes twice", where=where)
        kind = kinds.get(row["route_id"])
        if row["service_id"] in wanted and (route_type is None or kind == route_type):
            trips[name] = Trip(name, row["service_id"], row.get("block_id", ""), 0.0, 0.0, "", "")
            found.add(-1 if kind is None else kind)
    if not trips:
        of = "" if route_type is None else f" of route type {route_type}"
        raise InputError(f"no trips{of} on {day}{_range(feed)}", where=f"{feed.name}: trips.txt")
    if len(found) > 1:
        known = ", ".join("none" if kind < 0 else str(kind) for kind in sorted(found))
        raise InputError(f"trips of the route types {known} on {day}, expected one of them", where="route_type")
    timed = _frequent(feed, _timed(feed, trips))
    stops = {stop for trip in timed for stop in (trip.start, trip.finish)}
    return ServiceDay(day, tuple(sorted(timed, key=lambda t: (t.begin, t.end, t.name))), _points(feed, stops))


def _day(date: str | Date) -> Date:
    if isinstance(date, datetime):
        return date.date()
    if isinstance(date, Date):
        return date
    try:
        return Date.fromisoformat(str(date))
    except ValueError:
        raise InputError(f"{short(date)} is not a date, expected one like 2016-09-20", where="date") from None


def _kinds(feed: Feed) -> dict[str, int]:
    """Return the route types of the routes, where the feed says them."""
    if not feed.has("routes.txt"):
        return {}
    kinds = {}
    for where, row in feed.rows("routes.txt", "route_id", "route_type"):
        kinds[row["route_id"]] = _whole(row, "route_type", where)
    return kinds


def _services(feed: Feed, day: Date) -> set[str]:
    """Return the services that run on a day: by the weekday, and by exceptions."""
    if not feed.has("calendar.txt") and not feed.has("calendar_dates.txt"):
        raise InputError(
            "missing, and calendar_dates.txt too, expected one of them", where=f"{feed.name}: calendar.txt"
        )
    said, services = f"{day:%Y%m%d}", set()
    if feed.has("calendar.txt"):
        for where, row in feed.rows("calendar.txt", "service_id", "start_date", "end_date", *_DAYS):
            runs = row[_DAYS[day.weekday()]]
            if runs not in ("0", "1"):
                raise InputError(f"{short(runs)}, expected 0 or 1", where=f"{where}: {_DAYS[day.weekday()]}")
            if _compact(row, "start_date", where) <= said <= _compact(row, "end_date", where) and runs == "1":
                services.add(row["service_id"])
    if feed.has("calendar_dates.txt"):
        for where, row in feed.rows("calendar_dates.txt", "service_id", "date", "exception_type"):
            if row["exception_type"] not in ("1", "2"):
                raise InputError(f"{short(row['exception_type'])}, expected 1 or 2", where=f"{where}: exception_type")
            if _compact(row, "date", where) == said:
                (services.add if row["exception_type"] == "1" else services.discard)(row["service_id"])
    return services


def _whole(row: dict[str, str], column: str, where: str) -> int:
    """Return a whole number >= 0."""
    if re.fullmatch(r"\d{1,18}", row[column]) is None:
        raise InputError(f"{short(row[column])}, expected a whole number", where=f"{where}: {column}")
    return int(row[column])


def _compact(row: dict[str, str], column: str, where: str) -> str:
    """Return a date as feeds write it."""
    if re.fullmatch(r"\d{8}", row[column]) is None:
        raise InputError(f"{short(row[column])} is not a date, expected one like 20160920", where=f"{where}: {column}")
    return row[column]


def _range(feed: Feed) -> str:
    """Return the days that a feed covers, for the message about one that it does not."""
    days = []
    for file, columns in (("calendar.txt", ("start_date", "end_date")), ("calendar_dates.txt", ("date",))):
        if feed.has(file):
            days += [row[column] for _, row in feed.rows(file, *columns) for column in columns]
    return f", the feed is of {min(days)} to {max(days)}" if days else ""


def _timed(feed: Feed, trips: dict[str, Trip]) -> list[Trip]:
    """Return the trips with their first departure and last arrival."""
    ends: dict[str, list[tuple[int, str, dict[str, str]]]] = {}
    columns = ("trip_id", "stop_id", "stop_sequence", "arrival_time", "departure_time")
    for where, row in feed.rows("stop_times.txt", *columns):
        if row["trip_id"] not in trips:
            continue
        at = _whole(row, "stop_sequence", where), where, row
        seen = ends.setdefault(row["trip_id"], [])
        if len(seen) < 2:
            seen.append(at)
            seen.sort(key=lambda stop: stop[0])
        elif at[0] in (seen[0][0], seen[1][0]):
            said = f"{at[0]} comes twice in trip {short(row['trip_id'])}"
            raise InputError(said, where=f"{where}: stop_sequence")
        elif at[0] < seen[0][0]:
            seen[0] = at
        elif at[0] > seen[1][0]:
            seen[1] = at
    timed = []
    for name, trip in trips.items():
        stops = ends.get(name, [])
        if len(stops) < 2:
            said = f"trip {short(name)} has {counted(len(stops), 'stop')}, expected at least 2"
            raise InputError(said, where=f"{feed.name}: stop_times.txt")
        (_, first, out), (_, last, into) = stops
        begin = _minutes(out["departure_time"] or out["arrival_time"], f"{first}: departure_time")
        end = _minutes(into["arrival_time"] or into["departure_time"], f"{last}: arrival_time")
        if end <= begin:
            raise InputError(f"trip {short(name)} does not end after it begins", where=f"{last}: arrival_time")
        if end - begin > 24 * 60:
            raise InputError(f"trip {short(name)} takes more than a day", where=f"{last}: arrival_time")
        timed.append(replace(trip, begin=begin, end=end, start=out["stop_id"], finish=into["stop_id"]))
    return timed


def _frequent(feed: Feed, trips: list[Trip]) -> list[Trip]:
    """Return the trips with those of `frequencies.txt` repeated, which belong to no block."""
    if not feed.has("frequencies.txt"):
        return trips
    by_name, names = {trip.name: trip for trip in trips}, set[str]()
    repeated: dict[str, list[Trip]] = {}
    for where, row in feed.rows("frequencies.txt", "trip_id", "start_time", "end_time", "headway_secs"):
        trip = by_name.get(row["trip_id"])
        if trip is None:
            continue
        headway = _whole(row, "headway_secs", where)
        if headway == 0:
            raise InputError("0, expected seconds > 0", where=f"{where}: headway_secs")
        first, last = (_minutes(row[key], f"{where}: {key}") for key in ("start_time", "end_time"))
        if last <= first:
            raise InputError("not after start_time", where=f"{where}: end_time")
        seconds = range(round(60 * first), round(60 * last), headway)
        if len(seconds) > _MOST:
            raise InputError(f"{headway} for {len(seconds):,} trips, expected fewer", where=f"{where}: headway_secs")
        for second in seconds:
            begin, rest = second / 60, f":{second % 60:02}" if second % 60 else ""
            name = f"{trip.name}@{second // 3600}:{second // 60 % 60:02}{rest}"
            if name in names:
                raise InputError(f"{short(name)} runs twice", where=where)
            names.add(name)
            again = replace(trip, name=name, block="", begin=begin, end=begin + trip.end - trip.begin)
            repeated.setdefault(trip.name, []).append(again)
    return [again for trip in trips for again in repeated.get(trip.name, [trip])]


def _points(feed: Feed, needed: set[str]) -> dict[str, tuple[float, float]]:
    """Return where stops lie; a stop without coordinates lies at its station."""
    rows: dict[str, tuple[str, dict[str, str]]] = {}
    for where, row in feed.rows("stops.txt", "stop_id", "stop_lat", "stop_lon"):
        if rows.setdefault(row["stop_id"], (where, row))[1] != row:
            raise InputError(f"stop {short(row['stop_id'])} comes twice, with other data", where=where)
    points = {}
    for stop in sorted(needed):
        if stop not in rows:
            raise InputError(f"no stop {short(stop)}, which trips begin or end at", where=f"{feed.name}: stops.txt")
        where, row = rows[stop]
        if not row["stop_lat"] and row.get("parent_station") in rows:
            where, row = rows[row["parent_station"]]
        try:
            lat, lon = float(row["stop_lat"]), float(row["stop_lon"])
        except ValueError:
            lat = lon = float("nan")
        if not (abs(lat) <= 90 and abs(lon) <= 180) or lat == lon == 0.0:  # what some feeds have for "not known"
            said = f"{short(row['stop_lat'])}, {short(row['stop_lon'])} is no latitude and longitude"
            raise InputError(said, where=where)
        points[stop] = (lat, lon)
    return points


def _minutes(text: str, where: str) -> float:
    """Return a time of the service day in minutes: 25:10:00 is after midnight."""
    clock = _CLOCK.fullmatch(text)
    if clock is None:
        raise InputError(f"{short(text)} is not a time, expected one like 25:10:00", where=where)
    hours, minutes, seconds = map(int, clock.groups())
    return 60.0 * hours + minutes + seconds / 60.0
