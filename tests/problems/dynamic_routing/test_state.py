"""States: who must go, what a decision costs, what is refused; a stored day costed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.dynamic_routing.state import (
    can_wait,
    future,
    read_decisions,
    start,
    step,
    violation,
)
from colayer.problems.dynamic_vehicle_scheduling.state import write_decisions
from support.errors import rejects
from support.routing_days import HOUR, PROBLEM, line_day, schedule, small, states

#: Vehicles leave at 1:00, 2:00, 3:00 and 4:00; request 0 is served by 1:30, so it must go at once.
DAY = line_day([(0, 1, 60, 90, 1), (0, 2, 60, 170, 1), (1, 3, 120, 200, 2), (3, 4, 240, 290, 2)])
DECISIONS = [[[0, 1]], [[2]], [], [[3]]]
COSTS = [60.0 * 40, 60.0 * 20, 0.0, 60.0 * 40]


def test_a_stored_day_costs_what_it_was_costed_by_hand() -> None:
    document = {"decisions": DECISIONS}
    decisions = read_decisions(document, DAY)
    state, costs = start(DAY), []
    for decision in decisions:
        cost, state = step(state, decision)
        costs.append(cost)
    assert (costs, state) == (COSTS, None)
    assert write_decisions(decisions, DAY) == document


def test_a_request_must_go_where_the_next_epoch_is_too_late() -> None:
    first = start(DAY)
    assert first.open.tolist() == [0, 1]
    assert first.must.tolist() == [True, False]
    _, second = step(first, ((0,),))
    assert second.open.tolist() == [1, 2]
    assert second.must.tolist() == [True, False]  # 3:00 and ten minutes are after 2:50
    assert first.open.tolist() == [0, 1]


def test_in_the_last_epoch_all_must_go() -> None:
    *_, last = states(DAY)
    assert last.epochs_left == 0
    assert last.must.all()


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ([[1]], "epoch 0: request 0 must go now, and is on no route"),
        ([[0], [1], [1]], "epoch 0: request 1 is visited twice"),
        ([[0], [2]], "epoch 0: request 2 is not open"),
        ([[1, 0]], "epoch 0: the route of request 1 is late at a request or at the depot"),
        ([[0], []], "epoch 0: a route has no request"),
    ],
)
def test_a_wrong_decision_is_refused(decision: list[list[int]], message: str) -> None:
    state = start(line_day([(0, 1, 60, 80, 1), (0, 2, 60, 170, 1), (1, 3, 120, 200, 2)]))
    assert violation(decision, state) == message
    with rejects(InputError, message):
        step(state, decision)


def test_a_vehicle_takes_no_more_than_its_capacity() -> None:
    state = start(line_day([(0, 1, 60, 200, 2), (0, 2, 60, 200, 2)]))
    assert violation([[0, 1]], state) == "epoch 0: the route of request 0 loads 4, a vehicle takes 3"
    assert violation([[0], [1]], state) is None


def test_a_route_can_wait_if_it_is_in_time_an_hour_later() -> None:
    state = start(DAY)
    assert [can_wait(route, state) for route in ([0], [1], [0, 1])] == [False, True, False]


@pytest.mark.parametrize("seed", range(3))
def test_costs_and_feasibility_are_those_of_a_plain_loop(seed: int) -> None:
    for state in states(small(seed)):
        decision = PROBLEM.baseline("greedy", state)
        place = {int(request): i for i, request in enumerate(state.open)}
        drives = [
            schedule(state.day.city, state.requests, [place[r] for r in route], state.leave) for route in decision
        ]
        assert None not in drives
        assert step(state, decision)[0] == sum(drives)


def test_a_future_begins_with_the_state_and_is_a_function_of_its_seed() -> None:
    _, state, *_ = states(small(1))
    days = [future(state, seed) for seed in (0, 0, 1)]
    assert np.array_equal(days[0].closing, days[1].closing)
    assert not np.array_equal(days[0].location, days[2].location)
    first = start(days[0])
    assert np.array_equal(first.requests, state.requests)
    assert np.array_equal(first.must, state.must)
    assert (days[0].epoch[len(state.open) :] > state.epoch).all()


@pytest.mark.parametrize("decisions", [[], DECISIONS[:3], [*DECISIONS, []]])
def test_decisions_of_another_number_of_epochs_are_refused(decisions: list[list[list[int]]]) -> None:
    with rejects(InputError, "expected 4", where="decisions"):
        read_decisions({"decisions": decisions}, DAY)


def test_the_vehicles_of_an_epoch_leave_an_hour_after_it_begins() -> None:
    assert [state.leave for state in states(DAY)] == [HOUR * k for k in range(1, 5)]
