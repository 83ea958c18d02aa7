"""States: who must go, what a decision costs, what is refused; a day costed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from colayer import Pipeline
from colayer.errors import InputError
from colayer.problems.dynamic_vehicle_scheduling.state import (
    future,
    read_decisions,
    routes,
    start,
    step,
    successors,
    violation,
    write_decisions,
)
from support.dynamic_days import PROBLEM, line_day, small, states
from support.errors import rejects

#: Customers at −20, −10, 10 and 20 minutes; vehicles leave at 1:00, 2:00, 3:00 and 4:00.
DAY = line_day([0, 0, 1, 3], [1, 2, 3, 4], [1.5, 2.5, 2.5, 4.5])


def test_a_day_costed_by_hand() -> None:
    """Request 0 must go at 1:00 (at 2:00 it is too late), and 1 with it for free; 2 at 2:00, 3 at 4:00."""
    state = start(DAY)
    assert state.open.tolist() == [0, 1]
    assert state.must.tolist() == [True, False]
    cost, state = step(state, [[0, 1]])
    assert cost == 60.0 * (20 + 10 + 10)
    assert (state.epoch, state.open.tolist(), state.must.tolist()) == (1, [2], [True])
    cost, state = step(state, [[2]])
    assert cost == 60.0 * 20
    cost, state = step(state, [])
    assert (cost, state.open.tolist(), state.epochs_left) == (0.0, [3], 0)
    assert state.must.all()
    assert step(state, [[3]]) == (60.0 * 40, None)


def test_a_request_that_waits_stays_open() -> None:
    first = start(DAY)
    cost, second = step(first, ((0,),))
    assert cost == 60.0 * 40
    assert second.open.tolist() == [1, 2]
    assert first.open.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ([[1]], "epoch 0: request 0 must go now, and is on no route"),
        ([[0], [1], [1]], "epoch 0: request 1 is on two routes"),
        ([[0], [2]], "epoch 0: request 2 is not open"),
        ([[1, 0]], "epoch 0: request 0 cannot be visited in time after request 1"),
        ([[0], []], "epoch 0: a route has no request"),
    ],
)
def test_a_wrong_decision_is_refused(decision: list[list[int]], message: str) -> None:
    assert violation(decision, start(DAY)) == message
    with rejects(InputError, message):
        step(start(DAY), decision)


@pytest.mark.parametrize("seed", range(3))
def test_routes_and_successors_are_inverse(seed: int) -> None:
    for state in states(small(seed, per_epoch=6)):
        rng = np.random.default_rng(seed)
        own = np.arange(len(state.open))
        successor = np.where(rng.random(len(own)) < 0.5, own, -1)
        assert successors(routes(successor, state), state).tolist() == successor.tolist()


def test_futures_of_other_seeds_are_others() -> None:
    state = start(small(2))
    assert not np.array_equal(future(state, 7).start, future(state, 8).start)


def test_a_future_begins_with_what_is_open() -> None:
    for state in states(small(2)):
        day, again = future(state, 7), future(state, 7)
        first = start(day)
        assert first.epoch == state.epoch
        assert first.open.tolist() == list(range(len(state.open)))
        assert np.array_equal(first.location, state.location)
        assert np.array_equal(first.must, state.must)
        assert np.array_equal(day.start, again.start)
        assert (day.epoch[len(state.open) :] > state.epoch).all()


def test_decisions_are_what_was_written() -> None:
    decisions = [((0, 1),), ((2,),), (), ((3,),)]
    document = write_decisions(decisions, DAY)
    assert document == {"decisions": [[[0, 1]], [[2]], [], [[3]]]}
    assert read_decisions(document, DAY) == decisions


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "decisions: expected lists of routes"),
        ({"decisions": [[["a"]]]}, "decisions: expected lists of routes"),
        ({"decisions": [[[0, 1]]]}, "decisions: 1 epochs, expected 4"),
        ({"decisions": [[[0, 1]], [[2]], [], [[3]], []]}, "decisions: 5 epochs, expected 4"),
        ({"decisions": [[[1]], [], [], []]}, "request 0 must go now"),
    ],
)
def test_wrong_documents_are_refused(document: dict[str, object], message: str) -> None:
    with rejects(InputError, message):
        read_decisions(document, DAY)


def test_a_state_is_one_line() -> None:
    state = PROBLEM.start(small(0))
    sizes = f"{len(state.open)} open requests, {state.must.sum()} must go"
    assert repr(state) == f"State(epoch 0, {state.epochs_left} to come: {sizes})"


def test_the_table_of_a_day_adds_up_to_its_cost() -> None:
    day = small(0)
    solved = Pipeline(PROBLEM).solve(day)
    columns = solved.to_columns()
    assert sum(columns["travel"]) + sum(columns["back"]) == pytest.approx(solved.cost)
    assert sorted(columns["request"]) == list(range(day.requests))
    assert columns["location"] == day.location[columns["request"]].tolist()
    assert sum(back > 0 for back in columns["back"]) == len(set(columns["route"]))
    assert (np.diff(columns["epoch"]) >= 0).all()
