"""Pricing by labels against all routes: bounds, dominance, and what is said where room is short."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.kernels.labels import _dominated, longest_rest, new_labels, route_of
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


@pytest.mark.parametrize(
    ("value", "late", "dominated"),
    [
        (1.0, (0.0, 0.0), False),  # 0.7 in each scenario is more than the room of 1, though not in the first alone
        (1.5, (0.0, 0.0), True),
        (1.4, (0.0, 0.0), True),  # no room is left: equal
        (0.25, (0.7, 0.7), True),
        (0.25, (0.7, 0.25), False),
        (0.0, (0.7, 0.7), True),
    ],
)
def test_a_label_is_dominated_once_all_scenarios_are_made_up_for(
    value: float, late: tuple[float, float], dominated: bool
) -> None:
    """The kept label is of value 0 and 0.7 late in both scenarios, at a rate of 1."""
    labels = new_labels(1, 2, 2)
    labels.value[:] = 0.0, value
    labels.late[:] = (0.7, 0.7), late
    assert _dominated(labels, 1, np.array([0]), 1, 1.0) == dominated
