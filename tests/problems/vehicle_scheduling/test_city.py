"""The city: what is refused by name, districts of points, delays as the kernels want them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.city import City, read_city, write_city
from support.vehicle_documents import CITY, assert_refused, city, with_entry

DELAYS = CITY["district_delay"]


#: what is wrong → document, start of the error
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "city is a list": ({**city(), "city": [1]}, "city"),
    "city unknown key": (city(name="Paris"), "city.name"),
    "city missing key": (city(start="DROP"), "city.start"),
    "city no width": (city(width=0), "city.width"),
    "city tiny districts": (city(district_width=1e-6), "city.district_width"),
    "city point outside": (city(start=[[0, 0], [3, 20.5]]), "city.start[1][1]"),
    "city point short": (city(finish=[[0, 0], [3]]), "city.finish[1]"),
    "city too few points": (city(start=[[0, 0]], finish=[[0, 0]]), "city.start"),
    "city 23 hours": (city(inter_delay=np.zeros((2, 23)).tolist()), "city.inter_delay[0]"),
    "city other districts": (
        city(district_width=5), "city.district_delay[0][0]"),
    "city negative delay": (
        city(district_delay=with_entry(DELAYS, (1, 3, 0, 1), -1)), "city.district_delay[1][3][0][1]"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_refused_by_name(what: str) -> None:
    assert_refused(*BAD[what])


def test_points_lie_in_districts_row_by_row() -> None:
    """A city of 2 × 2 districts of 10 minutes; the far edge belongs to the last district."""
    found = read_city(CITY)
    assert found.districts == 2
    points = np.array([[0.0, 0.0], [0.0, 10.0], [9.9, 20.0], [10.0, 0.0], [20.0, 20.0]])
    assert found.zones(points).tolist() == [0, 1, 1, 2, 3]


@pytest.mark.parametrize(("width", "districts"), [(20, 2), (20.5, 3), (10, 1), (5, 1)])
def test_districts_cover_the_city(width: float, districts: int) -> None:
    delays = np.zeros((1, 24, districts, districts))
    assert City(width, 10, [[0, 0]], [[0, 0]], delays, np.zeros((1, 24))).districts == districts


def test_tables_have_the_scenarios_last() -> None:
    delays = np.arange(2 * 24 * 2 * 2, dtype=float).reshape(2, 24, 2, 2)
    inter = np.arange(48.0).reshape(2, 24)
    district, between = read_city({**CITY, "district_delay": delays, "inter_delay": inter}).tables()
    assert district.shape == (4, 24, 2)
    assert district.flags.c_contiguous
    assert between.flags.c_contiguous
    for scenario, hour, row, column in ((0, 0, 0, 0), (1, 5, 0, 1), (0, 23, 1, 0), (1, 7, 1, 1)):
        assert district[2 * row + column, hour, scenario] == delays[scenario, hour, row, column]
        assert between[hour, scenario] == inter[scenario, hour]


def test_a_city_round_trips_and_stays_read_only() -> None:
    found = read_city(CITY)
    for other in (read_city(write_city(found)), pickle.loads(pickle.dumps(found))):
        assert other.width == 20.0
        assert np.array_equal(other.finish, CITY["finish"])
        with pytest.raises(ValueError, match="read-only"):
            other.district_delay[0, 0, 0, 0] = 1.0
