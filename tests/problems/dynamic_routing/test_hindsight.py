"""Hindsight: feasible, no dearer than rules, from any state on."""

from __future__ import annotations

from colayer.problem.bind import bind
from colayer.problems import DynamicRouting
from support.routing_days import PROBLEM, play, small, states


def test_hindsight_is_feasible_and_costs_no_more_than_rules() -> None:
    problem = bind(DynamicRouting(iterations=500, futures=2, future_iterations=50))
    for seed in range(3):
        day = small(seed)
        decisions = problem.hindsight_decisions(day)
        assert problem.violation is not None
        assert problem.violation(decisions, day) is None
        costs = [play(day, lambda state, rule=rule: PROBLEM.baseline(rule, state)) for rule in ("greedy", "prize")]
        assert problem.cost(decisions, day) <= min(costs)


def test_hindsight_goes_on_from_a_state() -> None:
    day = small(2)
    _, second, *_ = states(day)
    decisions = PROBLEM.hindsight(day, second)
    state = second
    for decision in decisions:
        _, state = PROBLEM.step(state, decision)
    assert state is None
