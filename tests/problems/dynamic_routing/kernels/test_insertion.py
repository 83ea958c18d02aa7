"""Cheapest insertion against a loop over all places."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.dynamic_routing.kernels.insertion import build_into, cheapest
from colayer.problems.dynamic_routing.search import RouteSearch
from support.routing_days import HOUR, PROBLEM, schedule, small


@pytest.mark.parametrize("seed", range(6))
def test_the_cheapest_place_is_the_best_of_all_places(seed: int) -> None:
    state = PROBLEM.start(small(seed, per_epoch=6))
    city, requests, n = state.day.city, state.requests.copy(), len(state.open)
    requests[::2, 0] += HOUR  # every other request is released later
    requests = requests[[schedule(city, requests, [i], requests[i, 0]) is not None for i in range(n)]]
    last = len(requests) - 1
    search = RouteSearch(city, requests, np.zeros(last + 1), np.ones(last + 1, dtype=np.bool_))
    after, beside, table, capacity, closing = search._data
    width, *tables = search._tables
    written = np.zeros(last, np.int64), np.zeros(last + 2, np.int64)
    build_into(after, beside, table, capacity, closing, width, np.arange(last, dtype=np.int32), *tables, *written)
    routes = [route.tolist() for route in np.split(written[0], written[1][1:-1]) if len(route)]
    alone = int(city.travel[0, requests[last, 1]] + city.travel[requests[last, 1], 0])
    least = alone
    for own in routes:
        before = schedule(city, requests, own, int(requests[own, 0].max()))
        assert before is not None
        for k in range(len(own) + 1):
            found = schedule(city, requests, [*own[:k], last, *own[k:]], int(requests[[*own, last], 0].max()))
            if found is not None:
                least = min(least, found - before)
    for limit in (2**40, least):
        found, route, _ = cheapest(
            beside, table, last + 1, capacity, width, *tables[:5], len(routes), last, np.int64(limit)
        )
        assert route == -2 if limit == least else (found == least and (route == -1) == (least == alone))
