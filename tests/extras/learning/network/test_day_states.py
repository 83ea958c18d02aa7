"""Networks on days: drawn states, gradients with the rest of the day, and a policy that is saved and resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, Neural, OptionError, Pipeline
from colayer.learning.network.day_states import by_rests, drawn_epochs
from support.errors import rejects
from support.parcel_days import Parcels, bound_parcels, days

DAYS = days(10)
PROBLEM = bound_parcels()
WEIGHTS = np.array(Parcels.safe_weights)
QUICK = Neural(channels=4, depth=1, samples=4, share=0.2)


def learned(problem: Any = None, **options: Any) -> Pipeline[Any, Any, Any]:
    return Pipeline(problem or Parcels()).fit(DAYS, **{"method": QUICK, "evaluations": 150, **options})


def test_one_state_of_each_day_is_drawn_and_its_gradient_is_of_its_rows() -> None:
    policy = PROBLEM.policy(WEIGHTS)
    epochs = drawn_epochs(PROBLEM, policy, DAYS, seed=0, number=1)
    assert len(epochs) == len(DAYS)
    assert epochs == drawn_epochs(PROBLEM, policy, DAYS, seed=0, number=1)
    assert epochs != drawn_epochs(PROBLEM, policy, DAYS, seed=0, number=2)
    gradient = by_rests(PROBLEM, policy, epochs, 8, 3.0)
    found = [
        gradient(PROBLEM.state_features(epoch.state) @ WEIGHTS, x, 0.0, np.random.default_rng(x))
        for x, epoch in enumerate(epochs)
    ]
    assert [len(one) for one in found] == [len(epoch.state.waiting) for epoch in epochs]
    assert any(one.any() for one in found)


def test_a_network_is_no_worse_than_the_linear_model_it_starts_from() -> None:
    pipeline = learned(validation=0.0)
    start = next(one for one in pipeline.history_ if one.cost == 0)
    assert pipeline.loss_ is not None
    assert pipeline.loss_ <= start.loss
    costs = [pipeline.solve(day).cost / Parcels().scale(day) for day in DAYS]
    assert pipeline.loss_ == pytest.approx(np.mean(costs))


def test_it_is_saved_and_decides_where_nothing_waits(tmp_path: Path) -> None:
    pipeline = learned()
    assert len(pipeline.model.portfolio) == 0
    pipeline.save(tmp_path / "m.json")
    again = Pipeline.load(tmp_path / "m.json", Parcels())
    assert [again.solve(day).cost for day in DAYS] == [pipeline.solve(day).cost for day in DAYS]
    states = [state for day in days(30) for state in again.solve(day).states]
    assert any(not state.waiting for state in states)


def test_a_broken_run_ends_with_the_same_network(tmp_path: Path) -> None:
    unbroken = learned(journal=tmp_path / "a")
    learned(journal=tmp_path / "b", time_limit=0.2)
    resumed = learned(journal=tmp_path / "b")
    assert resumed.history_ == unbroken.history_
    assert [resumed.solve(day).cost for day in DAYS] == [unbroken.solve(day).cost for day in DAYS]
    assert learned(workers=2).history_ == unbroken.history_


def test_what_it_cannot_learn_from_is_refused() -> None:
    class Unembedded(Parcels):
        embed = None  # type: ignore[assignment]

    with rejects(OptionError, "embed", where="--method"):
        learned(Unembedded())
    with rejects(OptionError, "costs alone", where="--method"):
        learned(solutions="hindsight")
    with rejects(InputError, "no rows on any day"):
        drawn_epochs(PROBLEM, lambda state: (), [], seed=0, number=0)
