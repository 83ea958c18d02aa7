"""All routes of small reduced cost against all routes there are."""

from __future__ import annotations

import numpy as np
import pytest

from support import plain_vehicles as plain
from support.vehicle_search import pricings


@pytest.mark.parametrize("budget", [1, 7, 10**9])
def test_enumeration_finds_all_routes_below_the_limit_however_often_it_stops(budget: int) -> None:
    for case in pricings(4):
        limit = float(np.quantile(list(case.reduced.values()), 0.3))
        done, calls, routes = case.enumerate(limit, budget)
        assert done == 1
        assert (calls > 1) == (budget < 10**9)
        expected = {r for r, value in case.reduced.items() if value <= limit}
        assert set(routes) == expected
        for r, delay in routes.items():
            assert np.isclose(case.x.vehicle_cost + case.x.delay_cost * delay, plain.route_cost(case.x, r))


def test_enumeration_without_room_says_so() -> None:
    case = next(pricings(1))
    assert case.enumerate(np.inf, 10**9, most=5)[0] == -1
