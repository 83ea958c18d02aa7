"""The rules."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.dynamic_vehicle_scheduling import DynamicVehicleScheduling
from colayer.problems.dynamic_vehicle_scheduling.hindsight import hindsight
from colayer.problems.dynamic_vehicle_scheduling.solvers import FUTURES, SEED, greedy, lazy, look_ahead
from colayer.problems.dynamic_vehicle_scheduling.state import future
from support.dynamic_days import PROBLEM, line_day, play, small, states
from support.errors import rejects


def served(decision: tuple[tuple[int, ...], ...]) -> list[int]:
    return sorted(request for route in decision for request in route)


def test_greedy_sends_all_and_lazy_what_must_go() -> None:
    for state in states(small(1, per_epoch=6)):
        assert served(greedy(state)) == state.open.tolist()
        assert served(lazy(state)) == state.open[state.must].tolist()


@pytest.mark.parametrize(("rule", "decoder"), [("prize", "none"), ("prize+wait", "wait")])
def test_the_prize_rule_is_the_safe_weights(rule: str, decoder: str) -> None:
    problem = DynamicVehicleScheduling(decoder=decoder)
    day = problem.generate(5, customers=40)
    cost = play(day, lambda state: problem.baseline(rule, state))
    assert problem.day_costs(problem.safe_weights, day).tolist() == [cost]


def test_look_ahead_leaves_what_can_wait_at_the_other_end() -> None:
    """The request on the way may ride or wait; the one at the other end of the line waits, then nothing must go."""
    state = PROBLEM.start(line_day([0, 0, 0], [1, 2, 4], [1.5, 2.5, 4.4]))
    assert served(look_ahead(state)) in ([0], [0, 1])
    _, after = PROBLEM.step(state, ((0, 1),))
    assert look_ahead(after) == ()


def test_look_ahead_is_feasible_and_repeatable() -> None:
    day = small(4)
    assert play(day, look_ahead) == play(day, look_ahead)
    assert np.isfinite(play(day, look_ahead))


def test_look_ahead_is_the_vote_of_all_futures_though_it_may_stop_early() -> None:
    for state in states(small(6, per_epoch=5)):
        votes = np.zeros(len(state.open))
        for k in range(FUTURES):
            for route in hindsight(future(state, SEED + k))[0]:
                votes[list(route)] += 1
        chosen = state.must | (votes > FUTURES / 2) if state.must.any() else state.must
        assert served(look_ahead(state)) == state.open[chosen].tolist()


def test_another_rule_is_refused() -> None:
    with rejects(InputError, "no baseline 'best', expected one of greedy, lazy, prize, prize+wait, look-ahead"):
        PROBLEM.baseline("best", next(states(small(1))))
