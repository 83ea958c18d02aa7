"""Hindsight against brute force over all decisions of all epochs, and below every rule."""

from __future__ import annotations

import pytest

from colayer.problems.dynamic_vehicle_scheduling import hindsight as module
from colayer.problems.dynamic_vehicle_scheduling.hindsight import _cover, hindsight
from support.dynamic_days import PROBLEM, best_cost, line_day, play, small, states


@pytest.mark.parametrize("seed", range(8))
def test_hindsight_is_the_best_of_all_decisions(seed: int) -> None:
    day = small(seed, per_epoch=1)
    decisions = iter(hindsight(day))
    assert play(day, lambda _: next(decisions)) == pytest.approx(best_cost(PROBLEM.start(day)))


def test_hindsight_from_a_state_on_is_the_best_from_there() -> None:
    day = small(11, per_epoch=1)
    for state in states(day, "greedy"):
        total, now = 0.0, state
        for decision in hindsight(day, state):
            cost, now = PROBLEM.step(now, decision)
            total += cost
        assert now is None
        assert total == pytest.approx(best_cost(state))


@pytest.mark.parametrize("seed", range(5))
def test_no_rule_is_better(seed: int) -> None:
    day = PROBLEM.generate(seed, customers=40, per_epoch=5)
    bound = PROBLEM.bound(day)
    for rule in ("greedy", "lazy", "prize", "prize+wait"):
        assert bound <= play(day, lambda state, rule=rule: PROBLEM.baseline(rule, state)) + 1e-6


def test_a_route_waits_for_what_comes() -> None:
    """Request 1, at the same end of the line, comes an hour later: one route takes both."""
    assert hindsight(line_day([0, 1], [2, 1], [2.6, 3.0])) == [(), ((0, 1),), (), ()]


def test_a_day_without_requests_has_empty_decisions() -> None:
    assert hindsight(line_day([], [], [])) == [()] * 4


def test_the_assignment_is_asked_first_and_agrees_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its routes have an epoch each they cost as much; on some days they have none."""
    both = []
    for seed in range(6):
        day = PROBLEM.generate(seed, customers=40, per_epoch=2 if seed < 3 else 5)
        first = PROBLEM.bound(day)
        with monkeypatch.context() as patch:
            asked: list[object] = []
            patch.setattr(module, "_cover", lambda *data, asked=asked: asked.append(data) or _cover(*data))
            PROBLEM.bound(day)
            both.append(not asked)
            patch.setattr(module, "_relaxed", lambda *data: None)
            assert PROBLEM.bound(day) == pytest.approx(first)
    assert set(both) == {True, False}
