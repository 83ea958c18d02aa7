"""`check_problem` on dynamic problems: none of a sound one, and each planted mistake by one check."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import check_problem
from colayer.problem.check.days import OneDecision
from support.parcel_days import Day, Parcels, State, days

CALLS: list[int] = []


class StepChangesState(Parcels):
    def step(self, state: State, decision: Any) -> Any:
        answer = super().step(state, decision)
        object.__setattr__(state, "epoch", 9)
        return answer


class NeverEnds(Parcels):
    def step(self, state: State, decision: Any) -> Any:
        return 0.0, state


class NotANumber(Parcels):
    def step(self, state: State, decision: Any) -> Any:
        return float("nan"), None


class Draws(Parcels):
    def step(self, state: State, decision: Any) -> Any:
        cost, after = super().step(state, decision)
        CALLS.append(1)
        return cost + 0.001 * len(CALLS), after


class Infeasible(Parcels):
    def decode(self, y: Any, state: State) -> Any:
        return (*super().decode(y, state), 17)

    def step(self, state: State, decision: Any) -> Any:
        return super().step(state, tuple(i for i in decision if i < 17))


class StartChangesDay(Parcels):
    def start(self, day: Day) -> State:
        object.__setattr__(day, "arrivals", (*day.arrivals, ()))
        return super().start(day)


class StartDraws(Parcels):
    def start(self, day: Day) -> State:
        CALLS.append(1)
        state = super().start(day)
        return State(0, (*state.waiting, (0.001 * len(CALLS), 0)), day)


class WrongSign(Parcels):
    def layer(self, theta: Any, state: State) -> Any:
        return (np.asarray(theta) > 0.0).astype(float)


class LazyHindsight(Parcels):
    def hindsight(self, day: Day, state: State | None = None) -> Any:
        return [(), *([()] * (len(day.arrivals) - 2)), tuple(range(sum(map(len, day.arrivals))))]


class WrongCosts(Parcels):
    def day_costs(self, weights: Any, day: Day) -> Any:
        return np.zeros(len(weights))


class ShortTarget(Parcels):
    def target(self, decision: Any, state: State) -> Any:
        return np.zeros(1 + len(state.waiting))


class LosesAParcel(Parcels):
    def read(self, document: Any) -> Day:
        return Day(super().read(document).arrivals[:-1])


class Drawing(Parcels):
    """It can draw futures: whatever waits counts as new."""

    def features(self, state: State) -> Any:
        return super().features(state) * (1.0, 1.0, 0.0)

    def future(self, state: State, seed: int) -> Day:
        known = tuple(distance for distance, _ in state.waiting)
        drawn = self.generate([seed, state.epoch], epochs=len(state.day.arrivals) - state.epoch)
        return Day((known, *drawn.arrivals[1:]))


class FeaturesLookAhead(Drawing):
    def features(self, state: State) -> Any:
        return super().features(state) + len(sum(state.day.arrivals[state.epoch + 1 :], ()))


class DecisionsLookAhead(Drawing):
    def decode(self, y: Any, state: State) -> tuple[int, ...]:
        return super().decode(y if len(sum(state.day.arrivals[state.epoch + 1 :], ())) % 2 else 1.0 - y, state)


class FutureIsWhatComes(Drawing):
    def future(self, state: State, seed: int) -> Day:
        return Day((super().future(state, seed).arrivals[0], *state.day.arrivals[state.epoch + 1 :]))


class FutureForgets(Drawing):
    def future(self, state: State, seed: int) -> Day:
        return Day(((), *super().future(state, seed).arrivals[1:]))


class FutureForgetsInEpochOne(Drawing):
    def future(self, state: State, seed: int) -> Day:
        drawn = super().future(state, seed)
        return Day(((), *drawn.arrivals[1:])) if state.epoch == 1 else drawn


class FutureIgnoresItsSeed(Drawing):
    def future(self, state: State, seed: int) -> Day:
        CALLS.append(1)
        return super().future(state, len(CALLS))


@pytest.fixture(autouse=True)
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day that does not end is given up soon."""
    monkeypatch.setattr("colayer.dynamic.play.MOST_EPOCHS", 300)


MISTAKES = [
    (StepChangesState(), "step", "state.epoch"),
    (NeverEnds(), "step", "300 epochs"),
    (NotANumber(), "step", "epoch 0: step of parcels returned nan"),
    (Draws(), "step", "the same decisions gave another cost"),
    (Infeasible(), "step", "there is no such parcel"),
    (StartChangesDay(), "start", "start changes its input day.arrivals"),
    (StartDraws(), "start", "start returned different states for the same day (look at state.waiting"),
    (WrongSign(), "objective", "Mind the sign"),
    (WrongCosts(), "day costs", "the sums of the costs of step"),
    (ShortTarget(), "target", "target of parcels"),
    (LosesAParcel(), "files", "not the same"),
    (FeaturesLookAhead(), "future", "features look ahead"),
    (DecisionsLookAhead(), "future", "decisions look ahead"),
    (FutureIsWhatComes(), "future", "the same day for every seed"),
    (FutureForgets(), "future", "other features"),
    (FutureIgnoresItsSeed(), "future", "for one seed"),
]


def test_a_sound_problem_has_no_mistakes() -> None:
    for problem, skipped in ((Parcels(), {"day costs", "future"}), (Drawing(), {"day costs"})):
        report = check_problem(problem, days(6))
        assert report.ok, str(report)
        assert {finding.check for finding in report.findings if finding.result != "passed"} == skipped


@pytest.mark.parametrize(("problem", "check", "words"), MISTAKES, ids=lambda value: type(value).__name__)
def test_a_planted_mistake_is_found(problem: Parcels, check: str, words: str) -> None:
    report = check_problem(problem, days(6))
    assert [failure.check for failure in report.failures] == [check], str(report)
    assert words in report.failures[0].detail


def test_hindsight_that_is_not_the_best_is_found() -> None:
    """It is the bound as well, unless the problem says that it is not exact."""
    found = {failure.check: failure.detail for failure in check_problem(LazyHindsight(), days(6)).failures}
    assert set(found) == {"bound", "hindsight"}
    assert "hindsight_is_exact" in found["hindsight"]


def test_a_layer_that_is_a_search_may_miss_the_best() -> None:
    for is_exact in (True, False):
        problem = type("Searching", (WrongSign,), {"layer_is_exact": is_exact})()
        found = {finding.check: finding.result for finding in check_problem(problem, days(6)).findings}
        assert found["objective"] == ("failed" if is_exact else "not applicable")


def test_one_decision_is_a_problem_of_its_own() -> None:
    problem = OneDecision(Parcels())
    state = Parcels().start(days(1)[0])
    assert problem.cost((0,), state) == state.waiting[0][0]
    assert problem.scale(state) == 1.0


def test_futures_are_drawn_in_every_epoch_of_a_short_day() -> None:
    (failure,) = check_problem(FutureForgetsInEpochOne(), days(6, epochs=3)).failures
    assert failure.check == "future"
    assert "epoch 1: the first state of a day of future has other features" in failure.detail
