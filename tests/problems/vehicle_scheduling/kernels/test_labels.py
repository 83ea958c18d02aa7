"""Pricing by labels against all routes: bounds, dominance, and what is said where room is short."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.kernels.labels import longest_rest, route_of
from support.vehicle_search import pricings


def test_rest_bounds_from_below_what_continuations_cost() -> None:
    for case in pricings(4):
        for u in range(13):
            whole = [r for r in case.reduced if u in r]
            for r in whole:
                k = r.index(u)
                head = case.reduced[r[: k + 1]]
                assert case.rest[u] <= case.reduced[r] - head + 1e-9


def test_longest_rest() -> None:
    case = next(pricings(1))
    steps = longest_rest(case.order, *case.x.arcs)
    for u in range(13):
        assert steps[u] == max(len(r) for r in case.reduced if r[0] == u) - 1


def test_pricing_finds_the_best_route_to_every_last_task() -> None:
    """Dominance and bounds lose no negative route that is best for its end."""
    negative = 0
    for case in pricings(8):
        labels, ends = case.price(width=1000)
        assert labels.lost[0] == np.inf
        for v in range(13):
            least = min(value for r, value in case.reduced.items() if r[-1] == v)
            if least < -1e-9:
                negative += 1
                route = tuple(route_of(labels, ends[v]).tolist())
                assert np.isclose(labels.value[ends[v]], least, rtol=1e-9, atol=1e-9)
                assert np.isclose(case.reduced[route], least, rtol=1e-9, atol=1e-9)
            elif ends[v] >= 0:
                assert labels.value[ends[v]] >= least - 1e-9
    assert negative > 50


@pytest.mark.parametrize(("width", "size"), [(1, 10_000), (1000, 30)])
def test_pricing_without_room_says_what_may_be_lost(width: int, size: int) -> None:
    lost = 0
    for case in pricings(8):
        labels, ends = case.price(width, size)
        for v in range(13):
            least = min(value for r, value in case.reduced.items() if r[-1] == v)
            found = labels.value[ends[v]] if ends[v] >= 0 else 0.0
            assert min(found, labels.lost[0], 0.0) <= least + 1e-9
            lost += found > least + 1e-9 and least < 0
    assert lost > 0  # room was short indeed
