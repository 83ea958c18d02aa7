"""Ruin and recreate against brute force, and its books against plain sums."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.dynamic_routing.search import RouteSearch
from colayer.problems.dynamic_routing.state import RoutingState
from support.routing_days import HOUR, PROBLEM, least_value, schedule, small


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_a_few_requests_are_routed_optimally(seed: int, share: float) -> None:
    """Some are released an hour later, some must be served, the others have prizes."""
    state = PROBLEM.start(small(seed, per_epoch=6))
    city, requests = state.day.city, state.requests.copy()
    later = requests + np.array([HOUR, 0, 0, 0, 0, 0])
    for i in range(0, len(requests), 3):
        if schedule(city, later, [i], int(later[i, 0])) is not None:
            requests[i, 0] += HOUR
    prizes, required = np.rint(share * state.trip), np.arange(len(requests)) % 2 == 0
    search = RouteSearch(city, requests, prizes, required)
    search.improve(400, seed=seed)
    assert search.values[1] == least_value(city, requests, prizes, required)


@pytest.mark.parametrize("seed", [0, 1, 3, 4])  # of 2, the search keeps a request that is near the others
def test_routes_open_that_pay_only_together(seed: int) -> None:
    """From no routes at all: no request pays a trip of its own."""
    state = PROBLEM.start(small(seed, per_epoch=5))
    city, requests, n = state.day.city, state.requests, len(state.open)
    search = RouteSearch(city, requests, np.zeros(n), np.zeros(n, dtype=np.bool_))
    search.improve(300)
    assert search.best_routes == []
    search.prizes[:] = np.floor(0.9 * state.trip)
    search.values[:] = search.prizes.sum()
    search.improve(300)
    assert search.best_routes
    assert search.values[1] == least_value(city, requests, search.prizes, search.required)


@pytest.mark.parametrize("seed", range(3))
def test_routes_stay_feasible_and_values_are_sums(seed: int) -> None:
    search, state = searched(seed)
    first = float(search.values[1])
    search.improve(3000, seed=seed)
    width, stop, *_, book, row = search._tables
    current = [stop[width * r + 1 : width * r + 1 + book[4 * r]].tolist() for r in range(len(row) + 1)]
    for routes, value in ((current, search.values[0]), (search.best_routes, search.values[1])):
        total = 0.0
        for own in routes:
            if own:
                drives = schedule(state.day.city, search.requests, own, int(search.requests[own, 0].max()))
                assert drives is not None
                total += drives
        seen = [i for own in routes for i in own]
        left = [i for i in range(len(row)) if i not in seen]
        assert len(seen) == len(set(seen))
        assert not search.required[left].any()
        assert total + search.prizes[left].sum() == value
    assert [[i for i in range(len(row)) if row[i] == r] for r in range(len(row) + 1)] == [sorted(r) for r in current]
    assert search.values[1] < first


@pytest.mark.parametrize("seed", range(3))
def test_tables_are_those_of_the_routes(seed: int) -> None:
    search, state = searched(seed)
    search.improve(500, seed=seed)
    city, requests = state.day.city, search.requests
    width, stop, arc, start, latest, book, _ = search._tables
    for r in np.flatnonzero(book[::4]):
        size, load, leave = book[4 * r : 4 * r + 3]
        stops = stop[width * r : width * r + size + 2].tolist()
        assert stops[0] == stops[-1] == len(requests)
        assert load == requests[stops[1:-1], 4].sum()
        assert leave == requests[stops[1:-1], 0].max()
        place = [0, *requests[stops[1:-1], 1].tolist(), 0]
        service = [0, *requests[stops[1:-1], 5].tolist()]
        opening, closing = (
            [0, *requests[stops[1:-1], column].tolist(), end] for column, end in ((2, 0), (3, city.closing))
        )
        time, end = int(leave), city.closing
        for k in range(1, size + 2):
            drive = service[k - 1] + int(city.travel[place[k - 1], place[k]])
            assert arc[width * r + k] == drive
            time = max(time + drive, opening[k])
            if k <= size:
                assert start[width * r + k] == time
        for k in range(size + 1, 0, -1):
            end = min(end, closing[k])
            assert latest[width * r + k] == end
            end -= int(arc[width * r + k])


def test_the_same_seed_finds_the_same_routes() -> None:
    found = []
    for seed in (0, 0, 1):
        search, _ = searched(0)
        search.improve(300, seed=seed)
        found.append(search.best_routes)
    assert found[0] == found[1]
    assert found[0] != found[2]


def searched(seed: int) -> tuple[RouteSearch, RoutingState]:
    """A search over the first state of a day, in which some requests come an hour later, and the state."""
    state = PROBLEM.start(PROBLEM.generate(seed, customers=40, per_epoch=40))
    requests, required = state.requests.copy(), state.must.copy()
    later = requests + np.array([HOUR, 0, 0, 0, 0, 0])
    for i in range(0, len(requests), 4):
        if schedule(state.day.city, later, [i], int(later[i, 0])) is not None:
            requests[i, 0] += HOUR
    required[:5] = True
    return RouteSearch(state.day.city, requests, np.rint(0.4 * state.trip), required), state
