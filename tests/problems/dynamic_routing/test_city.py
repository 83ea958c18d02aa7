"""Cities: what they refuse, the epochs of a day, and the draw of the competition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.io.vrplib import read_routing
from colayer.problems.dynamic_routing import RoutingCity
from colayer.problems.dynamic_routing.city import draw, static_city
from support.errors import rejects
from support.routing_days import HOUR, line_city
from support.routing_files import EXPLICIT

CITY: dict[str, Any] = {
    "travel": [[0, 5], [6, 0]],
    "windows": [[0, 20000], [7200, 9000]],
    "demand": [0, 2],
    "service": [0, 60],
    "capacity": 3,
}


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"travel": [[0, -1], [1, 0]]}, "travel[0][1]"),
        ({"travel": [[0, 0.5], [1, 0]]}, "travel[0][1]"),
        ({"travel": [[0, 1]]}, "travel"),
        ({"windows": [[0, 9], [8, 7]]}, "windows[1]"),
        ({"windows": [[0, 9]]}, "windows"),
        ({"demand": [0, 4]}, "demand[1]"),
        ({"capacity": 0}, "capacity"),
        ({"service": [0, float("nan")]}, "service[1]"),
    ],
)
def test_what_is_wrong_is_refused_by_name(changes: dict[str, Any], where: str) -> None:
    with rejects(InputError) as caught:
        RoutingCity(**{**CITY, **changes})
    assert caught.value.where is not None
    assert caught.value.where.startswith(where)


def test_the_first_and_the_last_epoch_are_those_of_the_openings() -> None:
    city = line_city()  # windows open at 1:00 to 4:00
    assert (city.first, city.epochs) == (0, 4)
    later = RoutingCity(**{**CITY, "windows": [[0, 40000], [3 * HOUR - 1, 30000]]})
    assert (later.first, later.epochs) == (1, 2)


def test_a_draw_takes_customers_then_windows_then_demands_then_services() -> None:
    """Epoch after epoch from one generator, and drops what its vehicles cannot serve, as the competition does."""
    city, rng = line_city(), np.random.default_rng(7)
    expected = []
    for epoch in range(4):
        place, window, demand, service = (rng.integers(4, size=5) + 1 for _ in range(4))
        for p, w, q, s in zip(place, window, demand, service, strict=True):
            arrival = max(HOUR * (epoch + 1) + city.travel[0, p], city.windows[w, 0])
            if arrival <= city.windows[w, 1] and arrival + city.service[s] + city.travel[p, 0] <= city.closing:
                expected.append((epoch, p, *city.windows[w], city.demand[q], city.service[s]))
    drawn = draw(city, np.random.default_rng(7), 5, 0)
    assert np.array_equal(np.stack(list(drawn.values()), axis=1), np.array(expected))


def test_a_static_file_is_rounded_to_whole_seconds_on_the_safe_side(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text(EXPLICIT.replace("0 10 20 30", "0 10.2 20 30").replace("2 7200 14400", "2 7200.5 14400.5"))
    city = static_city(read_routing(path), "tiny.txt")
    assert city.travel[0, 1] == 11
    assert city.windows[1].tolist() == [7201, 14400]
    assert (city.capacity, city.customers) == (9, 3)
    path.write_text(EXPLICIT.replace("CAPACITY : 9\n", ""))
    with rejects(InputError, "no capacity", where="tiny.txt"):
        static_city(read_routing(path), "tiny.txt")
