"""Kernels of routes against plain loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from colayer.problems.dynamic_routing.kernels.routes import driven, on_time, views_into
from support.routing_days import HOUR, PROBLEM, schedule, small


@pytest.mark.parametrize("seed", range(4))
def test_schedules_are_those_of_a_plain_loop(seed: int) -> None:
    state = PROBLEM.start(small(seed, per_epoch=4))
    city, seen = state.day.city, set()
    for count in (1, 2, 3):
        for route in itertools.permutations(range(len(state.open)), count):
            row = np.array(route)
            for leave in (state.leave, state.leave + HOUR, state.leave + 3 * HOUR):
                expected = schedule(city, state.requests, route, leave)
                light = state.requests[row, 4].sum() <= city.capacity
                assert (on_time(city.times, state.requests, city.closing, row, count, leave) and light) == (
                    expected is not None
                )
                if expected is not None:
                    assert driven(city.times, state.requests, row, count) == expected
                seen.add(expected is None)
    assert seen == {True, False}


def test_votes_are_of_routes_that_leave_now_and_cannot_wait() -> None:
    state = PROBLEM.start(small(0, per_epoch=6))
    city, requests = state.day.city, state.requests.copy()
    n = len(requests)
    requests[-1, 0] += HOUR
    views = np.zeros((3, n))
    each_alone = np.arange(n), np.arange(n + 1)
    views_into(city.times, requests, city.closing, *each_alone, state.leave, *views)
    later = [schedule(city, requests, [i], state.leave + HOUR) is None for i in range(n - 1)]
    assert views[0].tolist() == [*map(float, later), 0.0]
    assert np.array_equal(views[1], state.trip)
    assert np.array_equal(views[2], state.trip)
