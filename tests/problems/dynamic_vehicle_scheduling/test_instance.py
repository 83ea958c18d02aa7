"""Days: generator, file format, what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.dynamic_vehicle_scheduling.city import REQUESTS
from colayer.problems.dynamic_vehicle_scheduling.instance import Day, generate, read, write
from support.dynamic_days import line_city, line_day, small
from support.errors import rejects


def same(one: Day, other: Day) -> bool:
    return all(np.array_equal(getattr(one, field), getattr(other, field)) for field in REQUESTS) and np.array_equal(
        one.city.travel, other.city.travel
    )


def test_the_seed_makes_the_day() -> None:
    assert same(generate(3, customers=30), generate(3, customers=30))
    assert not same(generate(3, customers=30), generate(4, customers=30))
    assert 20 < generate(3).requests <= 70


def test_a_day_is_what_was_written() -> None:
    day = small(1)
    document = write(day)
    again = read(document)
    assert same(day, again)
    assert (again.per_epoch, again.first) == (3, 0)
    assert np.array_equal(again.city.points, day.city.points)
    assert write(again) == document
    assert same(pickle.loads(pickle.dumps(day)), day)


def test_a_day_without_requests_is_one() -> None:
    day = line_day([], [], [])
    assert day.requests == 0
    assert same(read(write(day)), day)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epoch": [1, 0]}, "epoch: expected epochs that ascend"),
        ({"epoch": [0, 9]}, "epoch[1]: 9 is out of range, expected 0 to 3"),
        ({"location": [0, 1]}, "location[0]: 0 is out of range, expected 1 to 4"),
        ({"location": [1.5, 1]}, "location[0]: 1.5 is not a whole number"),
        ({"start": [3600.0, 9e3]}, "start[0]: 3600 is too early"),
        ({"duration": [-1.0, 60.0]}, "duration[0]: -1 is negative"),
        ({"start": [9e3]}, "start: "),
        ({"per_epoch": 0}, "per_epoch: 0 is out of range"),
        ({"first": 4}, "first: 4, expected one of the 4 epochs"),
    ],
)
def test_wrong_fields_are_refused_by_name(change: dict[str, object], message: str) -> None:
    fields = {"epoch": [0, 0], "location": [1, 2], "start": [9e3, 9e3], "duration": [60.0, 60.0]}
    Day(line_city([1.0, 2.0, 3.0, 4.0]), **fields)
    with rejects(InputError, message):
        Day(line_city([1.0, 2.0, 3.0, 4.0]), **{**fields, **change})


@pytest.mark.parametrize("size", ["customers", "clusters", "per_epoch"])
def test_sizes_below_one_are_refused(size: str) -> None:
    with rejects(InputError, f"{size}: 0 is out of range"):
        generate(0, **{size: 0})


def test_a_day_is_one_line_and_a_table_of_requests() -> None:
    day = small(0)
    city = f"City(12 customers, {day.city.epochs} epochs)"
    assert repr(day) == f"Day(dynamic-vehicle-scheduling: {day.requests} requests, {city})"
    frame = day.to_frame()
    assert list(frame.columns) == ["request", "epoch", "location", "start", "duration"]
    assert frame["location"].tolist() == day.location.tolist()
