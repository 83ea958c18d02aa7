"""Cities: what is refused, and the requests that are drawn in them."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.io.vrplib import read_routing
from colayer.problems.dynamic_vehicle_scheduling.city import City, draw, static_city
from colayer.problems.dynamic_vehicle_scheduling.generator import city_of
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import HOUR
from support.dynamic_days import line_city
from support.errors import rejects
from support.routing_files import EXPLICIT, SOLOMON


def test_epochs_end_before_the_latest_visit() -> None:
    assert line_city([1.0, 2.0], close=4.5 * HOUR).epochs == 4  # visits at 4:00, the last vehicles leave at 4:00
    assert line_city([1.0, 2.0], close=4.4 * HOUR).epochs == 3


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("travel", [[0.0, -1.0], [1.0, 0.0]], "travel[0][1]: -1 is negative"),
        ("travel", [[0.0]], "travel: "),
        ("service", [-1.0], "service[0]: -1 is negative"),
        ("windows", [[9e3, 8e3]], "windows[0]: 8000 closes before it opens"),
        ("windows", [[0.0, 60.0]], "windows: no visit is due afte"),
        ("windows", [[0.0, np.nan]], "windows"),
        ("points", [[0.0, 0.0]], "points: "),
    ],
)
def test_wrong_fields_are_refused_by_name(field: str, value: object, message: str) -> None:
    fields = {"travel": [[0.0, 1.0], [1.0, 0.0]], "windows": [[8e3, 9e3]], "service": [60.0]}
    City(**fields)
    with rejects(InputError, message):
        City(**{**fields, field: value})


def test_a_static_problem_is_a_city_without_demands_and_the_window_of_the_depot(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text(EXPLICIT)
    city = static_city(read_routing(path), "one.txt")
    assert city.windows.tolist() == [[7200.0, 14400.0], [7200.0, 14400.0], [14400.0, 21600.0]]
    assert city.service.tolist() == [60.0, 120.0, 180.0]
    assert (city.earliest, city.latest, city.epochs) == (10800.0, 18000.0, 5)
    path.write_text(SOLOMON)
    with rejects(InputError, "no visit is due after 3600 s", where="one.txt: windows"):
        static_city(read_routing(path), "one.txt")
    assert static_city(read_routing(path, unit=60.0), "one.txt").epochs == 3


def test_requests_are_reachable_distinct_and_within_the_day() -> None:
    city = city_of(np.random.default_rng(1), 30, 3)
    drawn = draw(city, np.random.default_rng(2), per_epoch=10)
    leave = HOUR * (drawn["epoch"] + 1)
    assert (leave + city.travel[0, drawn["location"]] <= drawn["start"]).all()
    assert (drawn["start"] >= city.earliest).all()
    assert (drawn["start"] <= city.latest).all()
    assert (np.diff(drawn["epoch"]) >= 0).all()
    for epoch in range(city.epochs):
        places = drawn["location"][drawn["epoch"] == epoch]
        assert len(set(places.tolist())) == len(places) <= 10
    assert len(draw(city, np.random.default_rng(2), per_epoch=10, first=city.epochs)["epoch"]) == 0


def test_a_city_is_the_same_on_the_other_side_of_a_process() -> None:
    city = line_city([1.0, 2.0])
    copy = pickle.loads(pickle.dumps(city))
    assert np.array_equal(copy.travel, city.travel)
    assert not copy.travel.flags.writeable
