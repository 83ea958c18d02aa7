"""Kernels of routes against plain loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from colayer.problems.dynamic_routing.kernels.routes import build_into, cheapest, driven, on_time, views_into
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


@pytest.mark.parametrize("seed", range(6))
def test_the_cheapest_place_is_the_best_of_all_places(seed: int) -> None:
    state = PROBLEM.start(small(seed, per_epoch=6))
    city, requests, n = state.day.city, state.requests.copy(), len(state.open)
    requests[::2, 0] += HOUR  # every other request is released later
    requests = requests[[schedule(city, requests, [i], requests[i, 0]) is not None for i in range(n)]]
    n = len(requests)
    routes, length, row = np.zeros((n + 1, n), np.int64), np.zeros(n + 1, np.int64), np.full(n, -1)
    build_into(city.times, requests[:-1], city.capacity, city.closing, np.arange(n - 1), routes, length, row)
    load = np.array([requests[routes[r, : length[r]], 4].sum() for r in range(n + 1)])
    leave = np.array([requests[routes[r, : length[r]], 0].max(initial=0) for r in range(n + 1)])
    count, last = int((length > 0).sum()), n - 1
    alone = int(city.travel[0, requests[last, 1]] + city.travel[requests[last, 1], 0])
    least = alone
    for r in range(count):
        own = routes[r, : length[r]].tolist()
        before = schedule(city, requests, own, int(leave[r]))
        assert before is not None
        for k in range(len(own) + 1):
            found = schedule(city, requests, [*own[:k], last, *own[k:]], max(int(leave[r]), int(requests[last, 0])))
            if found is not None:
                least = min(least, found - before)
    found = cheapest(
        city.times, requests, city.capacity, city.closing, routes, length, load, leave, count, last, np.int64(2**62)
    )
    assert found[0] == least
    assert (found[1] == -1) == (least == alone)
    none = cheapest(
        city.times, requests, city.capacity, city.closing, routes, length, load, leave, count, last, np.int64(least)
    )
    assert none[1] == -2


def test_votes_are_of_routes_that_leave_now_and_cannot_wait() -> None:
    state = PROBLEM.start(small(0, per_epoch=6))
    city, requests = state.day.city, state.requests.copy()
    n = len(requests)
    requests[-1, 0] += HOUR
    routes, length = np.zeros((n + 1, n), np.int64), np.zeros(n + 1, np.int64)
    for r in range(n):  # each on its own
        routes[r, 0], length[r] = r, 1
    views = np.zeros((3, n))
    views_into(city.times, requests, city.closing, routes, length, state.leave, *views)
    later = [schedule(city, requests, [i], state.leave + HOUR) is None for i in range(n - 1)]
    assert views[0].tolist() == [*map(float, later), 0.0]
    assert np.array_equal(views[1], state.trip)
    assert np.array_equal(views[2], state.trip)
