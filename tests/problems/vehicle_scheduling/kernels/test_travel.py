"""Travel under scenarios: against plain Python, at the ends of the day, and the same bits from a table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.cost import cost
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance, read
from colayer.problems.vehicle_scheduling.kernels.slack import slacks_into
from colayer.problems.vehicle_scheduling.kernels.travel import bad_arc, cross_district, hour, nominal_travel
from support import plain_vehicles as plain


def travel(x: Instance, u: int, v: int, s: int) -> float:
    """ξ_travel of an arc of a city in one scenario, from the kernels' parts: the same bits as in their loops."""
    times = x.times
    minute = times.leave[u, s] + nominal_travel(times, u, v)
    return float(cross_district(times.district[times.zone[v]], s, minute) - times.end[u, s])


@pytest.mark.parametrize("seed", range(3))
def test_travel_against_plain_python(seed: int) -> None:
    x = generate(seed, tasks=25, scenarios=40)
    arcs = list(plain.arcs(x))
    slacks = np.empty((len(arcs), 40))
    slacks_into(x.times, *np.array(arcs, dtype=np.int64).T.copy(), slacks)
    for (u, v), slack in zip(arcs, slacks, strict=True):
        expected = [plain.travel(x, s, u, v) for s in range(40)]
        assert np.allclose([travel(x, u, v, s) for s in range(40)], expected, rtol=1e-12, atol=1e-9)
        assert np.allclose(slack, [plain.slack(x, s, u, v) for s in range(40)], rtol=1e-12, atol=1e-9)


def test_hours_before_and_after_the_day_use_the_first_and_the_last() -> None:
    city: dict[str, Any] = {
        "width": 1, "district_width": 1, "start": [[0, 0], [0, 0]], "finish": [[0, 0], [0, 0]],
        "district_delay": np.arange(24.0).reshape(1, 24, 1, 1), "inter_delay": np.zeros((1, 24)),
    }  # fmt: skip
    assert [int(hour(minute)) for minute in (-1.0, 0.0, 59.9, 60.0, 1439.0, 1440.0, 1e9)] == [0, 0, 0, 1, 23, 23, 23]
    for end, expected in ((-500.0, 0.0), (59.0, 0.0), (60.0, 2.0), (23 * 60.0, 46.0), (1e6, 46.0)):
        x = read({
            "vehicle_cost": 1, "delay_cost": 1, "begin": [0, 100], "end": [1, 101], "city": city,
            "scenario_begin": [[0, 100]], "scenario_end": [[end, 101]],
        })  # fmt: skip
        assert travel(x, 0, 1, 0) == expected  # one district to leave, one to enter


@pytest.mark.parametrize("seed", range(3))
def test_tables_made_from_a_city_give_the_same_bits(seed: int) -> None:
    """The explicit form of a city costs the same, bit for bit: travel is one number in both."""
    x = generate(seed, tasks=20, scenarios=6)
    table = np.full((6, 20, 20), math.nan)
    nominal = np.full((20, 20), math.nan)
    for u, v in plain.arcs(x):
        nominal[u, v] = plain.nominal(x, u, v)
        table[:, u, v] = [travel(x, u, v, s) for s in range(6)]
    y = Instance(
        x.vehicle_cost, x.delay_cost, x.begin, x.end, x.scenario_begin, x.scenario_end, nominal, table
    )  # fmt: skip
    for k in range(10):
        successor = plain.random_solution(x, k)
        assert cost(successor, y) == cost(successor, x)
    assert np.array_equal(y.mean_delay, x.mean_delay)


def test_the_first_successor_without_an_arc_is_named() -> None:
    x = plain.by_hand()
    assert bad_arc(x.times, np.array([1, 2, -1])) == -1
    assert bad_arc(x.times, np.array([1, 0, 1])) == 1
