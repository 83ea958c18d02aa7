"""Travel under scenarios, delays and costs: by hand, and against plain Python."""

from __future__ import annotations

import math

import numpy as np
from support import plain_vehicles as plain
import pytest

from colayer.errors import InputError
from colayer.problems.vehicle_scheduling.cost import cost
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.delay import route_delays, route_total, solution_delays
from colayer.problems.vehicle_scheduling.kernels.travel import travel_at, travel_into
from colayer.problems.vehicle_scheduling.solution import checked, read_solution, routes_of, write_solution

NAN = math.nan


def by_hand() -> Instance:
    """Tasks 0 → 1 → 2, travel 5 each; two scenarios: all on time, and task 0 ends 30 minutes late."""
    travel = np.array([[NAN, 5, 5], [NAN, NAN, 5], [NAN, NAN, NAN]])
    scenario_travel = np.array([travel, [[NAN, 6, 8], [NAN, NAN, 7], [NAN, NAN, NAN]]])
    return Instance(
        vehicle_cost=1000,
        delay_cost=2,
        begin=[0, 20, 50],
        end=[10, 40, 60],
        scenario_begin=[[0, 20, 50], [0, 22, 50]],
        scenario_end=[[10, 40, 60], [40, 42, 61]],
        travel=travel,
        scenario_travel=scenario_travel,
    )


def test_an_instance_costed_by_hand() -> None:
    """Scenario 1: delay(1) = 40 + 6 − 22 = 24, τ(1) = 42 + 24 = 66, delay(2) = 66 + 7 − 50 = 23; 2·(24 + 23)/2 = 47."""
    x = by_hand()
    assert cost([1, 2, -1], x) == 1000 + 47
    assert cost([-1, 2, -1], x) == 2000  # task 2 is not late: 42 + 7 < 50
    assert cost([2, -1, -1], x) == 2000
    assert cost([-1, -1, -1], x) == 3000
    assert route_delays(x.times, np.array([0, 1, 2])).tolist() == [[0, 0], [0, 24], [0, 23]]
    assert route_total(x.times, np.array([0, 1, 2])) == 47
    assert solution_delays(x.times, np.array([1, 2, -1])).tolist() == [[0, 0], [0, 24], [0, 23]]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", ["city", "explicit"])
def test_costs_against_the_recursion(seed: int, form: str) -> None:
    x = generate(seed, tasks=30, scenarios=5 + seed)
    x = plain.explicit(x) if form == "explicit" else x
    for k in range(5):
        successor = plain.random_solution(x, k)
        assert math.isclose(cost(successor, x), plain.cost(x, successor), rel_tol=1e-12)
        late = solution_delays(x.times, successor)
        for route in routes_of(successor):
            for s in range(x.scenarios):
                assert np.allclose(late[route, s], plain.delays(x, route, s), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_travel_against_plain_python(seed: int) -> None:
    x = generate(seed, tasks=25, scenarios=40)
    out = np.empty(40)
    for u, v in plain.arcs(x):
        travel_into(x.times, u, v, out)
        expected = [plain.travel(x, s, u, v) for s in range(40)]
        assert np.allclose(out, expected, rtol=1e-12, atol=1e-9)
        assert [travel_at(x.times, u, v, s) for s in range(0, 40, 7)] == out[::7].tolist()


def test_hours_before_and_after_the_day_use_the_first_and_the_last() -> None:
    city = {
        "width": 1, "district_width": 1, "start": [[0, 0], [0, 0]], "finish": [[0, 0], [0, 0]],
        "district_delay": np.arange(24.0).reshape(1, 24, 1, 1), "inter_delay": np.zeros((1, 24)),
    }  # fmt: skip
    from colayer.problems.vehicle_scheduling.instance import read

    for end, expected in ((-500.0, 0.0), (59.0, 0.0), (60.0, 2.0), (23 * 60.0, 46.0), (1e6, 46.0)):
        x = read({
            "vehicle_cost": 1, "delay_cost": 1, "begin": [0, 100], "end": [1, 101], "city": city,
            "scenario_begin": [[0, 100]], "scenario_end": [[end, 101]],
        })  # fmt: skip
        assert travel_at(x.times, 0, 1, 0) == expected  # one district to leave, one to enter


@pytest.mark.parametrize("seed", range(3))
def test_tables_made_from_a_city_give_the_same_bits(seed: int) -> None:
    """The explicit form of a city costs the same, bit for bit: travel is one number in both."""
    x = generate(seed, tasks=20, scenarios=6)
    table = np.full((6, 20, 20), NAN)
    nominal = np.full((20, 20), NAN)
    for u, v in plain.arcs(x):
        nominal[u, v] = plain.nominal(x, u, v)
        table[:, u, v] = [travel_at(x.times, u, v, s) for s in range(6)]
    y = Instance(
        x.vehicle_cost, x.delay_cost, x.begin, x.end, x.scenario_begin, x.scenario_end, nominal, table
    )  # fmt: skip
    for k in range(10):
        successor = plain.random_solution(x, k)
        assert cost(successor, y) == cost(successor, x)
    assert np.array_equal(y.mean_delay, x.mean_delay)


def test_one_task_one_scenario_no_arcs() -> None:
    x = generate(0, tasks=1, scenarios=1)
    assert cost([-1], x) == 1000
    assert len(x.arcs[1]) == 0
    together = Instance(10, 1, [0, 0], [5, 5], [[0, 0]], [[5, 5]], np.full((2, 2), NAN), np.full((1, 2, 2), NAN))
    assert cost([-1, -1], together) == 20


BAD_SUCCESSORS = {
    "too short": ([1, -1], "successor: expected a list of 3 tasks"),
    "not whole": ([1.0, 2.0, -1.0], "successor: expected a list of 3 tasks"),
    "ragged": ([[1], [2, 3], 0], "successor: expected a list of 3 tasks"),
    "out of range": ([1, 3, -1], "successor[1]: 3 is not a task, expected -1 to 2"),
    "negative": ([1, -2, -1], "successor[1]: -2 is not a task"),
    "twice": ([2, 2, -1], "successor[1]: task 2 comes twice"),
    "no arc": ([-1, 0, -1], "successor[1]: there is no arc from task 1 to task 0"),
    "to itself": ([0, -1, -1], "successor[0]: there is no arc from task 0 to task 0"),
}


@pytest.mark.parametrize("what", BAD_SUCCESSORS)
def test_what_is_no_solution_is_refused(what: str) -> None:
    successor, message = BAD_SUCCESSORS[what]
    with pytest.raises(InputError) as caught:
        checked(successor, by_hand())
    assert str(caught.value).startswith(message)


BAD_ROUTES = {
    "not a list": ({"routes": 3, "vehicles": 1}, "routes: 3 is not a list of routes"),
    "empty route": ({"routes": [[0, 1, 2], []], "vehicles": 2}, "routes[1]: expected a list of at least one task"),
    "no task": ({"routes": [[0, 1, 7]], "vehicles": 1}, "routes[0][2]: 7 is not a task, expected 0 to 2"),
    "true": ({"routes": [[0, True, 2]], "vehicles": 1}, "routes[0][1]: True is not a task"),
    "twice": ({"routes": [[0, 1], [1, 2]], "vehicles": 2}, "routes[1][0]: task 1 comes twice"),
    "missing": ({"routes": [[0, 2]], "vehicles": 1}, "routes: task 1 is missing"),
    "no arc": ({"routes": [[0], [2, 1]], "vehicles": 2}, "routes[1][1]: there is no arc from task 2 to this one"),
    "vehicles": ({"routes": [[0, 1, 2]], "vehicles": 2}, "vehicles: 2, expected 1"),
    "no vehicles": ({"routes": [[0, 1, 2]]}, "vehicles: missing key"),
    "unknown": ({"routes": [[0, 1, 2]], "vehicles": 1, "cost": 3}, "cost: unknown key"),
}


@pytest.mark.parametrize("what", BAD_ROUTES)
def test_what_is_no_solution_file_is_refused(what: str) -> None:
    document, message = BAD_ROUTES[what]
    with pytest.raises(InputError) as caught:
        read_solution(document, by_hand())
    assert str(caught.value).startswith(message)


def test_solutions_round_trip() -> None:
    x = by_hand()
    document = write_solution([2, -1, -1], x)
    assert document == {"routes": [[0, 2], [1]], "vehicles": 2}
    assert read_solution(document, x).tolist() == [2, -1, -1]
