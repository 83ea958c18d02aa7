"""Imitation of hindsight on days: states on its way, then states that the policy visits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, OptionError, Pipeline
from colayer._runtime.threads import Threads
from colayer.dynamic.play import replay
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.imitation.days import DayExamples, takes_state
from support.errors import rejects
from support.parcel_days import Parcels, best_decisions, bound_parcels, days
from support.pick_problem import Pick

DAYS = days(8)
PROBLEM = bound_parcels()
LAZY = np.array([1.0, 0.0, 0.0])


def examples(solutions: Any) -> DayExamples:
    with Threads(1) as threads:
        return DayExamples(LocalEvaluator(PROBLEM, DAYS), solutions, threads, 0)


def test_the_first_states_are_those_on_the_way_of_hindsight() -> None:
    found = examples("hindsight")
    expected = [
        (epoch.state, Parcels().target(epoch.decision, epoch.state).tolist())
        for day in DAYS
        for epoch in replay(PROBLEM, day, Parcels().hindsight(day))
        if epoch.state.waiting
    ]
    assert [(example.instance, example.target.tolist()) for example in found.examples] == expected
    assert [len(features) for features in found.features] == [len(target) for _, target in expected]


def test_then_come_those_that_the_policy_visits_with_the_best_decision_from_there() -> None:
    found = examples("hindsight")
    before = len(found)
    found.collect(2, 10, LAZY)
    assert len(found) == before  # every second pass of ten
    found.collect(3, 10, LAZY)
    added = found.examples[before:]
    assert max(age for example in added for _, age in example.instance.waiting) == len(DAYS[0].arrivals) - 1
    for example in added:
        decision = best_decisions(Parcels(), example.instance)[1][0]
        assert example.target.tolist() == Parcels().target(decision, example.instance).tolist()


def test_known_decisions_and_a_hindsight_without_states_stay_as_they_are() -> None:
    class FromTheStart(Parcels):
        def hindsight(self, day: Any) -> Any:  # type: ignore[override]
            return super().hindsight(day)

    assert takes_state(PROBLEM)
    known = examples([Parcels().hindsight(day) for day in DAYS])
    before = len(known)
    known.collect(3, 10, LAZY)
    assert len(known) == before
    assert Pipeline(FromTheStart()).fit(DAYS, solutions="hindsight", evaluations=6).loss_ is not None


@pytest.mark.parametrize("method", ["imitation", "fenchel-young", "hinge"])
def test_it_comes_closer_to_hindsight(method: Any) -> None:
    data = days(16)
    known = [Parcels().hindsight(day) for day in data]  # without new states, on which losses would be others
    learned = Pipeline(Parcels()).fit(data, method=method, solutions=known, evaluations=12)
    losses = [one.demonstration for one in learned.history_ if one.demonstration is not None]
    assert len(losses) == 12
    assert losses[-1] < losses[0]


def test_a_broken_run_ends_with_the_same_weights_and_threads_do_not_matter(tmp_path: Path) -> None:
    def learn(journal: Path, workers: int = 1) -> bytes:
        options: dict[str, Any] = {"method": "imitation", "solutions": "hindsight", "evaluations": 8}
        return Pipeline(Parcels()).fit(DAYS, journal=journal, workers=workers, **options).weights_.tobytes()

    unbroken = learn(tmp_path / "a")
    lines = (tmp_path / "a").read_bytes().splitlines(keepends=True)
    (tmp_path / "b").write_bytes(b"".join(lines[:6]))
    assert learn(tmp_path / "b", workers=2) == unbroken
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()


def test_what_cannot_be_learned_from_is_refused() -> None:
    class Blind(Parcels):
        hindsight = None  # type: ignore[assignment]

    pipeline = Pipeline(Parcels())
    with rejects(OptionError, "hindsight", where="--solutions"):
        Pipeline(Blind()).fit(DAYS, solutions="hindsight")
    with rejects(InputError, "'foresight'", where="solutions"):
        pipeline.fit(DAYS, solutions="foresight")  # type: ignore[arg-type]
    with rejects(InputError, "expected 8", where="solutions"):
        pipeline.fit(DAYS, solutions=[[]])
    with rejects(InputError, where="thetas"):
        pipeline.fit(DAYS, thetas=[np.zeros(1)] * 8)
    with rejects(InputError, "not dynamic", where="solutions"):
        Pipeline(Pick()).fit([np.ones((4, 2))], solutions="hindsight")
    with rejects(OptionError, "days", where="--method"):
        pipeline.fit(DAYS, method="neural")
