"""Budgets of the search: iterations, seconds, threads; states with nothing or little in them."""

from __future__ import annotations

import time

import numpy as np
import pytest

from colayer.problems.dynamic_routing.search import Budget, RouteSearch, collect
from support.routing_days import PROBLEM, schedule, small


def routes_of(budget: Budget, count: int | None = None) -> tuple[list[list[int]], float]:
    """Routes over the first requests of a state, and what they drive."""
    state = PROBLEM.start(PROBLEM.generate(0, customers=40, per_epoch=40))
    requests = state.requests[:count]
    found = collect(
        state.day.city, requests, np.zeros(len(requests)), np.ones(len(requests), dtype=np.bool_), state.leave, budget
    )
    drives = [schedule(state.day.city, requests, route, state.leave) for route in found]
    assert None not in drives
    assert sorted(i for route in found for i in route) == list(range(len(requests)))
    return found, float(sum(drives))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_requests(count: int) -> None:
    found, _ = routes_of(Budget(20), count)
    assert len(found) <= count


def test_more_iterations_drive_less() -> None:
    assert routes_of(Budget(3000))[1] < routes_of(Budget(0))[1]


def test_seconds_are_kept() -> None:
    routes_of(Budget(10))
    begin = time.process_time()
    _, drives = routes_of(Budget(0, seconds=0.2))
    assert time.process_time() - begin < 0.5
    assert drives < routes_of(Budget(0))[1]


def test_several_threads_take_the_best_of_their_seeds() -> None:
    alone, both = routes_of(Budget(300)), routes_of(Budget(300, threads=2))
    assert both[1] <= alone[1]
    assert routes_of(Budget(300, threads=2)) == both


def test_a_long_search_is_several_descents_of_which_the_best_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of them is the short search; the others begin anew, with numbers of their own."""
    one = routes_of(Budget(10))
    monkeypatch.setattr("colayer.problems.dynamic_routing.search._DESCENT", 10)
    two, ten = routes_of(Budget(20)), routes_of(Budget(100))
    assert ten[1] <= two[1] <= one[1]
    assert ten[1] < one[1]


def test_a_search_by_the_clock_is_several_descents_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("colayer.problems.dynamic_routing.search._DESCENT", 2000)
    begun: list[int] = []
    begin = RouteSearch._begin
    monkeypatch.setattr(RouteSearch, "_begin", lambda self, seed, k: begun.append(k) or begin(self, seed, k))
    routes_of(Budget(10))
    begun.clear()
    now = time.process_time()
    _, drives = routes_of(Budget(0, seconds=0.3))
    assert time.process_time() - now < 0.6
    assert len(begun) > 1
    assert begun == list(range(len(begun)))
    assert drives < routes_of(Budget(0))[1]


def test_prizes_decide_what_is_served() -> None:
    state = PROBLEM.start(small(0, per_epoch=6))
    none, n = np.zeros(len(state.open), dtype=np.bool_), len(state.open)
    for prize, served in ((0.0, 0), (1e6, n)):
        found = collect(state.day.city, state.requests, np.full(n, prize), none, state.leave, Budget(200))
        assert sum(map(len, found)) == served
