"""Places for a request, and the books of a tour, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.dynamic_routing.kernels.tour import LENGTH, NONE, OWN, ROW, best_place, cut, near_into, put
from colayer.problems.dynamic_routing.search import RouteSearch
from support.routing_days import HOUR, PROBLEM, check_tour, rows_of, schedule, small

NO_LIMIT = np.int64(2**62)


def searched(seed: int, per_epoch: int = 7) -> RouteSearch:
    """A search over the first requests of a day; every other one is released an hour later, if it can be."""
    state = PROBLEM.start(small(seed, per_epoch))
    city, requests = state.day.city, state.requests.copy()
    requests[::2, 0] += HOUR
    requests = requests[[schedule(city, requests, [i], requests[i, 0]) is not None for i in range(len(requests))]]
    return RouteSearch(city, requests, np.zeros(len(requests)), np.ones(len(requests), dtype=np.bool_))


@pytest.mark.parametrize("seed", range(8))
def test_the_cheapest_place_is_the_best_of_all_places(seed: int) -> None:
    search = searched(seed)
    city, requests, (times, into) = search.city, search.requests, search._times
    tour, route = search.tour
    for i in range(len(requests)):
        r = int(tour[i, ROW])
        cut(times, requests, tour, route, i, i, r)
        check_tour(search, tour, route)
        least = alone = int(times[-1, i] + times[i, -1])
        for own in rows_of(tour, route).values():
            before = schedule(city, requests, own, int(requests[own, 0].max()))
            assert before is not None
            for k in range(len(own) + 1):
                longer = [*own[:k], i, *own[k:]]
                found = schedule(city, requests, longer, int(requests[longer, 0].max()))
                if found is not None:
                    least = min(least, found - before)
        given = times, into, requests, city.capacity, *search._near[:2], tour, route, i
        extra, p, where = best_place(*given, NO_LIMIT, -1)
        assert extra == least
        assert (where == OWN) == (least == alone)
        assert best_place(*given, np.int64(least), -1)[2] == NONE
        empty = int(np.flatnonzero(route[:, LENGTH] == 0)[0])
        put(times, requests, tour, route, i, p, empty if where == OWN else where)
        check_tour(search, tour, route)


def test_lists_of_what_is_near_are_sorted_and_leave_out_what_cannot_follow() -> None:
    search = searched(1)
    times, requests = search._times[0], search.requests
    n = len(requests)
    before, after, around = (np.empty((n, 3), np.int32) for _ in range(3))
    near_into(times, requests, 0.0, before, after, around)
    for i in range(n):
        follow = [
            j
            for j in range(n)
            if j != i
            and max(requests[i, 2], requests[i, 0] + times[n, i]) + requests[i, 5] + times[i, j] <= requests[j, 3]
        ]
        expected = sorted(follow, key=lambda j: times[i, j])[:3]
        assert after[i].tolist() == [*expected, -1, -1, -1][:3]
        for j in expected:
            assert i in before[j] or -1 not in before[j]
        assert i not in around[i]
