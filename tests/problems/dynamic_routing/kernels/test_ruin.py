"""Ruin and recreate against brute force, and its books against plain sums."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.dynamic_routing.kernels.tour import ROW
from colayer.problems.dynamic_routing.search import RouteSearch
from support.routing_days import HOUR, PROBLEM, check_tour, least_value, rows_of, schedule, small


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


@pytest.mark.parametrize("seed", range(3))
def test_routes_stay_feasible_and_values_are_sums(seed: int) -> None:
    state = PROBLEM.start(PROBLEM.generate(seed, customers=40, per_epoch=40))
    city, requests = state.day.city, state.requests
    prizes, required = np.rint(0.4 * state.trip), state.must.copy()
    required[:5] = True
    search = RouteSearch(city, requests, prizes, required)
    first = float(search.values[1])
    search.improve(3000, seed=seed)
    for (tour, route), value in ((search.tour, search.values[0]), (search.best, search.values[1])):
        check_tour(search, tour, route)
        rows = rows_of(tour, route)
        left = np.flatnonzero(tour[:-1, ROW] < 0)
        total = 0
        for own in rows.values():
            drives = schedule(city, requests, own, int(requests[own, 0].max()))
            assert drives is not None
            total += drives
        assert sorted([*left.tolist(), *(i for own in rows.values() for i in own)]) == list(range(len(requests)))
        assert not required[left].any()
        assert total + prizes[left].sum() == value
    assert search.values[1] < first


def test_the_same_seed_finds_the_same_routes() -> None:
    state = PROBLEM.start(PROBLEM.generate(0, customers=40, per_epoch=30))
    none, all_ = np.zeros(len(state.open)), np.ones(len(state.open), dtype=np.bool_)
    found = []
    for seed in (0, 0, 1):
        search = RouteSearch(state.day.city, state.requests, none, all_)
        search.improve(300, seed=seed)
        found.append(search.best_routes)
    assert found[0] == found[1]
    assert found[0] != found[2]
