"""Decisions by simulation: candidates, their costs, and that they repeat."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.dynamic_vehicle_scheduling import Day
from colayer.problems.dynamic_vehicle_scheduling.city import REQUESTS
from colayer.problems.dynamic_vehicle_scheduling.drawn import drawn_days
from colayer.problems.dynamic_vehicle_scheduling.simulation import _candidates, simulated
from support.dynamic_days import PROBLEM, line_day, play, states

WEIGHTS = PROBLEM.safe_weights


def test_one_candidate_is_the_policy_itself() -> None:
    day = PROBLEM.generate(2, customers=40, per_epoch=5)
    cost = play(day, lambda state: simulated(state, WEIGHTS, candidates=1, futures=1))
    assert cost == PROBLEM.day_costs(WEIGHTS, day)[0]


def test_simulation_is_feasible_and_repeatable() -> None:
    day = PROBLEM.generate(3, customers=40, per_epoch=5)
    first, again = (play(day, lambda state: simulated(state, WEIGHTS, 8, 4)) for _ in range(2))
    assert first == again
    assert first >= PROBLEM.bound(day) - 1e-6


def test_the_decision_has_the_least_mean_cost_of_its_candidates() -> None:
    """It costs no more on the drawn days than that of the policy, by the plain steps."""
    day = PROBLEM.generate(5, customers=40, per_epoch=6)
    drawn = drawn_days(day.city, 6, tried=True)
    for state in states(day):
        costs = []
        for count in (10, 1):
            decision = simulated(state, WEIGHTS, count, 1)
            place = {int(r): i for i, r in enumerate(state.open)}
            moved = tuple(tuple(place[r] for r in route) for route in decision)
            rest = np.flatnonzero(drawn.epoch[: drawn.ends[0]] > state.epoch)
            columns = [np.append(getattr(day, name)[state.open], getattr(drawn, name)[rest]) for name in REQUESTS]
            cost, after = PROBLEM.step(PROBLEM.start(Day(day.city, *columns, 6, state.epoch)), moved)
            while after is not None:
                more, after = PROBLEM.step(after, PROBLEM.baseline("prize+wait", after))
                cost += more
            costs.append(cost)
        assert costs[0] <= costs[1] + 1e-9


def test_the_worse_half_is_dropped_and_the_best_is_left() -> None:
    """With as many parts as days, one candidate is left; it is one of those tried."""
    for state in states(PROBLEM.generate(6, customers=40, per_epoch=6)):
        tried = _candidates(state, WEIGHTS, 10)
        assert simulated(state, WEIGHTS, 10, 4) in tried


def test_nothing_is_sent_where_nothing_must_go() -> None:
    state = PROBLEM.start(line_day([0], [2], [3.0]))
    assert simulated(state, WEIGHTS) == ()
    assert pytest.approx(0.0) == PROBLEM.step(state, ())[0]
