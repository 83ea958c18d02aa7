"""What a request would cost later: by hand, against covers that serve it as well, and of the request alone."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.dynamic_vehicle_scheduling import Day
from colayer.problems.dynamic_vehicle_scheduling.city import REQUESTS
from colayer.problems.dynamic_vehicle_scheduling.drawn import PRICED, Drawn, drawn_days, last_epochs
from colayer.problems.dynamic_vehicle_scheduling.kernels.later import cover_into
from support.dynamic_days import PROBLEM, line_city, line_day, small, states


def cover(days: Drawn | Day, chosen: np.ndarray, extra: list[np.ndarray] | None = None) -> float:
    """The least travel time of all these requests, where pairs that share a route are known together."""
    columns = [np.array(getattr(days, name))[chosen] for name in REQUESTS]
    if extra is not None:
        columns = [np.append(column, more) for column, more in zip(columns, extra, strict=True)]
    if len(columns[0]) == 0:
        return 0.0
    last = last_epochs(days.city, *columns[:3])
    n = len(last)
    successor, out, into = np.empty(n, np.int64), np.empty(n), np.empty(n)
    cover_into(*columns, last, days.city.times, successor, out, into)
    return float(out.sum() + into.sum())


@pytest.mark.parametrize("seed", range(3))
def test_a_price_is_at_most_what_the_request_adds_to_the_covers(seed: int) -> None:
    """The duals with the request are feasible: their sum is at most the cover's cost, often equal."""
    day = small(seed)
    days = drawn_days(day.city, day.per_epoch)
    begins, equal = np.append(0, days.ends[:-1]), 0
    for r in range(0, day.requests, 4):
        e = int(day.epoch[r])
        added = []
        for begin, end in zip(begins, days.ends, strict=True):
            rest = begin + np.flatnonzero(days.epoch[begin:end] > e)
            one = [np.array([getattr(day, name)[r]]) for name in REQUESTS]
            added.append(cover(days, rest, one) - cover(days, rest))
        assert day.later[r, e] <= np.mean(added) + 1e-6
        equal += abs(day.later[r, e] - np.mean(added)) <= 0.1 * np.mean(added)
    assert equal > 0


def test_a_request_that_must_go_costs_its_trip() -> None:
    for state in states(small(2, per_epoch=5)):
        trip = state.day.city.travel[0, state.location] + state.day.city.travel[state.location, 0]
        np.testing.assert_allclose(state.later[state.must], trip[state.must])
        assert (state.later <= trip + 1e-9).all()


def test_last_epochs_are_those_in_which_requests_must_go() -> None:
    day = small(4, per_epoch=5)
    last = last_epochs(day.city, day.epoch, day.location, day.start)
    for state in states(day, "lazy"):
        assert state.must.tolist() == (last[state.open] <= state.epoch).tolist()


def test_prices_are_of_the_request_alone_and_the_same_in_each_process() -> None:
    alone, among = line_day([0], [1], [3.5]), line_day([0, 0, 1], [1, 2, 3], [3.5, 2.5, 3.0])
    assert np.array_equal(alone.later[0], among.later[0])
    again = Day(line_city([-20.0, -10.0, 10.0, 20.0]), *(getattr(among, name) for name in REQUESTS))
    assert np.array_equal(again.later, among.later)
    assert len(drawn_days(alone.city, 10).ends) == PRICED


def test_a_day_without_requests_has_no_prices() -> None:
    assert line_day([], [], []).later.shape == (0, 4)
    assert PROBLEM.generate(0, customers=1, per_epoch=1).later.ndim == 2
