"""A time limit, by a clock that only the problem moves: what is cheapest comes first, what does not fit is left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer._runtime.deadline import look
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.selection_problem import Selection

INSTANCE = Selection().generate(0)
WEIGHTS = np.array([0.5, 0.5, 1.0])


class Clock:
    """Seconds that pass where the problem says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    own = Clock()
    for module in ("_runtime.deadline", "solving.in_time", "solving.candidates", "solving.solve"):
        monkeypatch.setattr(f"colayer.{module}.clock", own)
    return own


class Slow(Selection):
    """`Selection` whose methods take seconds of a clock."""

    safe_weights = np.array([1.0, 0.0, 0.0])

    def __init__(self, clock: Clock, **seconds: float) -> None:
        super().__init__()
        self._clock, self._seconds = clock, seconds
        self.called: list[str] = []

    def _pass(self, method: str) -> None:
        self.called.append(method)
        self._clock.now += self._seconds.get(method, 0.0)

    def features(self, instance: Any) -> Any:
        self._pass("features")
        return super().features(instance)

    def layer(self, theta: Any, instance: Any) -> Any:
        self._pass("layer")
        return super().layer(theta, instance)

    def bound(self, instance: Any) -> float:
        self._pass("bound")
        return -1e9


class Quick(Slow):
    """A rule that is at hand at once, and as bad as can be."""

    def quick(self, instance: Any) -> Any:
        self._pass("quick")
        return Selection.layer(self, -Selection.features(self, instance) @ WEIGHTS, instance)


def solved(problem: Slow, limit: float, safe: bool = True) -> Any:
    problem.called.clear()
    return Pipeline(problem, WEIGHTS, safe=safe).solve(INSTANCE, time_limit=limit)


def test_the_rule_stands_where_there_is_no_time_for_more(clock: Clock) -> None:
    problem = Quick(clock, quick=1.0, features=10.0, layer=1.0)
    found = solved(problem, 1.5)
    assert problem.called == ["quick"]
    assert (found.source, found.candidates, found.bound, found.first_seconds) == ("quick", 0, None, 1.0)
    assert found.cost == problem.cost(found.solution, INSTANCE)


def test_features_that_took_too_long_are_no_reason_for_a_candidate(clock: Clock) -> None:
    problem = Quick(clock, quick=1.0, features=10.0, layer=1.0)
    assert solved(problem, 11.5).source == "quick"
    assert problem.called == ["quick", "features"]


def test_weights_come_before_safe_weights_and_the_bound_comes_last(clock: Clock) -> None:
    problem = Quick(clock, quick=0.5, features=1.0, layer=1.0, bound=1.0)
    found = solved(problem, 4.6)
    assert problem.called == ["quick", "features", "layer", "layer", "bound"]
    assert (found.candidates, found.bound, found.first_seconds, found.seconds) == (2, -1e9, 0.5, 4.5)
    assert solved(problem, 3.6).bound is None
    assert problem.called.count("layer") == 2


def test_without_a_rule_one_candidate_is_always_tried(clock: Clock) -> None:
    problem = Slow(clock, features=10.0, layer=1.0)
    found = solved(problem, 0.0)
    assert problem.called == ["features", "layer"]
    assert (found.source, found.candidates, found.bound, found.first_seconds) == ("learned", 1, None, 11.0)


def test_the_rule_is_no_candidate_of_a_pipeline_without_safety(clock: Clock) -> None:
    problem = Quick(clock, quick=0.1, layer=1.0)
    worst = Pipeline(problem, -WEIGHTS, safe=False).solve(INSTANCE, time_limit=3.0)
    assert worst.source == "learned"
    assert solved(problem, 0.0, safe=False).source == "quick"


class Interrupted(Quick):
    """Features that look at the deadline."""

    def features(self, instance: Any) -> Any:
        for _ in range(10):
            self._pass("part")
            look()
        return super().features(instance)


def test_long_steps_are_given_up(clock: Clock) -> None:
    problem = Interrupted(clock, quick=0.5, part=1.0)
    found = solved(problem, 4.0)
    assert (found.source, found.seconds) == ("quick", 4.5)
    assert problem.called == ["quick", *["part"] * 4]


@pytest.mark.parametrize("problem", [SingleMachine(), SpanningTree(), VehicleScheduling("23")], ids=lambda p: p.name)
def test_built_in_problems_have_a_solution_at_once(problem: Any) -> None:
    instance = problem.generate(seed=1)
    found = Pipeline(problem).solve(instance, time_limit=0.0)
    assert (found.source, found.bound) == ("quick", None)
    assert found.cost == problem.cost(problem.quick(instance), instance)
    assert Pipeline(problem).solve(instance, time_limit=5.0, samples=1).cost <= found.cost
