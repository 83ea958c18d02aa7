"""The picture of a day shows every route, once, from and to the depot."""

from __future__ import annotations

import numpy as np

from support.dynamic_days import PROBLEM, line_day, small


def test_every_route_is_a_line_from_and_to_the_depot() -> None:
    day = small(1)
    decisions = PROBLEM.hindsight(day)
    ax = PROBLEM.plot(decisions, day)
    lines = [line.get_xydata() for line in ax.lines]
    routes = [route for decision in decisions for route in decision]
    assert [len(line) - 2 for line in lines] == [len(route) for route in routes]
    for line in lines:
        assert np.array_equal(line[[0, -1]], day.city.points[[0, 0]])
    assert ax.get_title(loc="left").startswith(f"{day.requests} requests on {len(routes)} routes:  ")


def test_a_city_without_points_is_drawn_around_the_depot() -> None:
    ax = PROBLEM.plot([((0, 1),), (), (), ()], line_day([0, 0], [1, 2], [1.5, 2.5]))
    (line,) = [one.get_xydata() for one in ax.lines]
    assert np.hypot(*line.T).tolist() == [0.0, 1200.0, 600.0, 0.0]
    assert ax.get_title(loc="left") == "2 requests on 1 route:  0.7 hours driven"
