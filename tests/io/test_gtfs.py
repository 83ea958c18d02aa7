"""Feeds: the trips of a day are those that run, and bad feeds are refused by file and line."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from colayer.errors import InputError
from colayer.io.gtfs import read_day
from support.errors import rejects
from support.feed import FILES, feed

TUESDAY = "2026-01-06"


def day(tmp_path: Path, **changed: str | None) -> Any:
    return read_day(feed(tmp_path / "feed.zip", **changed), TUESDAY)


def test_trips_of_the_day_by_begin(tmp_path: Path) -> None:
    """First departure and last arrival, though stops lie in disorder; 24:25 is after midnight, on the same day."""
    found = day(tmp_path)
    assert found.date == date(2026, 1, 6)
    assert [(t.name, t.block, t.begin, t.end, t.start, t.finish) for t in found.trips] == [
        ("r1", "B1", 420.5, 450.0, "north", "south"),
        ("b1", "B2", 430.0, 460.0, "mill", "north"),
        ("r2", "B1", 480.0, 510.0, "south", "north"),
        ("n1", "B2", 1430.0, 1465.0, "north", "mill"),
    ]
    assert found.points == {"north": (60.0, 10.0), "south": (59.91, 10.0), "mill": (60.0, 10.09)}


@pytest.mark.parametrize(
    ("when", "names"), [("2026-01-03", ["s1"]), (date(2026, 1, 1), ["s1"]), (datetime(2026, 1, 2, 8), None)]
)
def test_weekdays_and_exceptions(when: Any, names: Any, tmp_path: Path) -> None:
    found = read_day(feed(tmp_path / "feed.zip"), when)
    assert [trip.name for trip in found.trips] == (names or ["r1", "b1", "r2", "n1"])


def test_exceptions_alone_will_do(tmp_path: Path) -> None:
    dates = f"service_id,date,exception_type\nsat,{TUESDAY.replace('-', '')},1\n"
    assert [t.name for t in day(tmp_path, calendar=None, calendar_dates=dates).trips] == ["s1"]
    assert len(day(tmp_path, calendar_dates=None).trips) == 4


def test_a_stop_may_come_twice_with_the_same_data(tmp_path: Path) -> None:
    assert day(tmp_path, stops=FILES["stops.txt"] + "south,South,59.91,10.00,\n") == day(tmp_path)


def test_services_can_be_chosen(tmp_path: Path) -> None:
    dates = f"service_id,date,exception_type\nsat,{TUESDAY.replace('-', '')},1\n"
    path = feed(tmp_path / "feed.zip", calendar_dates=dates)
    assert len(read_day(path, TUESDAY).trips) == 5
    assert [trip.name for trip in read_day(path, TUESDAY, services=["sat"]).trips] == ["s1"]
    with rejects(InputError, "'sun'", "sat, week", where="services"):
        read_day(path, TUESDAY, services=["sun"])


def test_frequencies_repeat_a_trip(tmp_path: Path) -> None:
    """Every 20 minutes before the end time; the repeated ones belong to no block."""
    text = "trip_id,start_time,end_time,headway_secs\nb1,6:00:00,7:00:00,1200\ns1,6:00:00,7:00:00,60\n"
    repeated = [trip for trip in day(tmp_path, frequencies=text).trips if trip.name.startswith("b1")]
    assert [(t.name, t.block, t.begin, t.end) for t in repeated] == [
        ("b1@6:00", "", 360.0, 390.0),
        ("b1@6:20", "", 380.0, 410.0),
        ("b1@6:40", "", 400.0, 430.0),
    ]
    seconds = "trip_id,start_time,end_time,headway_secs\nb1,6:00:00,6:01:00,30\n"
    assert {"b1@6:00", "b1@6:00:30"} < {trip.name for trip in day(tmp_path, frequencies=seconds).trips}


def test_trips_without_blocks_have_none(tmp_path: Path) -> None:
    without = FILES["trips.txt"].replace(",block_id", "").replace(",B1", "").replace(",B2", "").replace(",B9", "")
    assert {trip.block for trip in day(tmp_path, trips=without).trips} == {""}


def test_kinds_of_vehicles_are_not_mixed(tmp_path: Path) -> None:
    path = feed(tmp_path / "feed.zip", routes="route_id,route_type\nred,3\nblue,0\n")
    with rejects(InputError, "0, 3", where="route_type"):
        read_day(path, TUESDAY)
    assert [trip.name for trip in read_day(path, TUESDAY, route_type=0).trips] == ["b1", "n1"]
    with rejects(InputError, "route type 1", where="feed.zip: trips.txt"):
        read_day(path, TUESDAY, route_type=1)


def stop_times(old: str, new: str) -> dict[str, str]:
    assert old in FILES["stop_times.txt"]
    return {"stop_times": FILES["stop_times.txt"].replace(old, new)}


@pytest.mark.parametrize(
    ("changed", "where", "names"),
    [
        ({"trips": None}, "feed.zip: trips.txt", ("missing",)),
        ({"stop_times": None}, "feed.zip: stop_times.txt", ("missing",)),
        ({"stops": None}, "feed.zip: stops.txt", ("missing",)),
        ({"calendar": None, "calendar_dates": None}, "feed.zip: calendar.txt", ("missing",)),
        ({"trips": "trip_id,service_id\n"}, "feed.zip: trips.txt: route_id", ()),
        ({"trips": FILES["trips.txt"] + "red,week,r1,B1\n"}, "feed.zip: trips.txt: line 7", ("r1", "twice")),
        ({"trips": ""}, "feed.zip: trips.txt: trip_id", ()),
        ({"calendar_dates": "service_id,date,exception_type\nx,20260106,3\n"},
         "feed.zip: calendar_dates.txt: line 2: exception_type", ("3",)),
        (stop_times("8:30:00,8:30:00", "8:30,8:30"), "feed.zip: stop_times.txt: line 6: arrival_time", ("8:30",)),
        (stop_times("8:30:00,8:30:00", ","), "feed.zip: stop_times.txt: line 6: arrival_time", ()),
        (stop_times("8:30:00,8:30:00", "99:30:00,"), "feed.zip: stop_times.txt: line 6: arrival_time", ("a day",)),
        ({"calendar_dates": "service_id,date,date\n"}, "feed.zip: calendar_dates.txt: date", ("twice",)),
        (stop_times("8:30:00,8:30:00", "8:00:00,"), "feed.zip: stop_times.txt: line 6: arrival_time", ("r2",)),
        (stop_times("south,9", "south,x"), "feed.zip: stop_times.txt: line 2: stop_sequence", ("x",)),
        (stop_times("r2,8:30:00,8:30:00,north,2\n", ""), "feed.zip: stop_times.txt", ("r2", "1 stop")),
        (stop_times("south,9", "east,9"), "feed.zip: stops.txt", ("east",)),
        ({"stops": FILES["stops.txt"].replace("59.91", "x")}, "feed.zip: stops.txt: line 3", ("x",)),
        ({"stops": FILES["stops.txt"].replace("59.91", "159.91")}, "feed.zip: stops.txt: line 3", ("159.91",)),
        ({"stops": FILES["stops.txt"].replace("59.91,10.00", "0.0,0.0")}, "feed.zip: stops.txt: line 3", ("0.0",)),
        ({"stops": FILES["stops.txt"].replace(",mill_station\n", ",\n")}, "feed.zip: stops.txt: line 4", ()),
        ({"frequencies": "trip_id,start_time,end_time,headway_secs\nb1,6:00:00,7:00:00,0\n"},
         "feed.zip: frequencies.txt: line 2: headway_secs", ("0",)),
        ({"frequencies": "trip_id,start_time,end_time,headway_secs\nb1,6:00:00,99:00:00,1\n"},
         "feed.zip: frequencies.txt: line 2: headway_secs", ("334,800 trips",)),
        (stop_times("south,9", "south," + 5000 * "9"), "feed.zip: stop_times.txt: line 2: stop_sequence", ("whole",)),
        ({"frequencies": "trip_id,start_time,end_time,headway_secs\nb1,7:00:00,6:00:00,60\n"},
         "feed.zip: frequencies.txt: line 2: end_time", ("not after",)),
        ({"frequencies": "trip_id,start_time,end_time,headway_secs\nb1,6:00:00,7:00:00,60\nb1,6:59:00,8:00:00,60\n"},
         "feed.zip: frequencies.txt: line 3", ("b1@6:59", "twice")),
        (stop_times("s1,9:00", "r2,8:15:00,8:15:00,mill,2\ns1,9:00"),
         "feed.zip: stop_times.txt: line 11: stop_sequence", ("2 comes twice", "r2")),
        ({"stops": FILES["stops.txt"] + "north,Elsewhere,50,5,\n"}, "feed.zip: stops.txt: line 6", ("north", "twice")),
        ({"calendar": FILES["calendar.txt"].replace("20251201", "2025-12-01")},
         "feed.zip: calendar.txt: line 2: start_date", ("2025-12-01",)),
        ({"calendar": FILES["calendar.txt"].replace("week,1,1", "week,1,yes")},
         "feed.zip: calendar.txt: line 2: tuesday", ("yes",)),
        ({"calendar_dates": "service_id,date,exception_type\nweek,2026-01-06,2\n"},
         "feed.zip: calendar_dates.txt: line 2: date", ("2026-01-06",)),
        ({"routes": "route_id,route_type\nred,bus\n"}, "feed.zip: routes.txt: line 2: route_type", ("bus",)),
    ],
)  # fmt: skip
def test_bad_feeds_are_refused_by_file_and_line(
    changed: dict[str, Any], where: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    with rejects(InputError, *names, where=where):
        day(tmp_path, **changed)


def test_days_without_service_are_refused(tmp_path: Path) -> None:
    path = feed(tmp_path / "feed.zip")
    with rejects(InputError, "20251201 to 20260331", where="feed.zip: trips.txt"):
        read_day(path, "2027-01-05")
    with rejects(InputError, where="date"):
        read_day(path, "Tuesday")
    alone = feed(
        tmp_path / "alone.zip", calendar=None, calendar_dates="service_id,date,exception_type\nsat,20260106,1\n"
    )
    with rejects(InputError, "20260106 to 20260106", where="alone.zip: trips.txt"):
        read_day(alone, "2027-01-05")
