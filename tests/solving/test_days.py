"""Days solved by a pipeline: one policy, its decisions, costs and states; and single decisions."""

from __future__ import annotations

from typing import Any

import pytest

from colayer import InputError, OptionError, Pipeline
from colayer.solving.days import SolvedDay
from support.errors import rejects
from support.parcel_days import Parcels, days
from support.pick_problem import Pick

(DAY,) = days(1, first=5)
PIPELINE = Pipeline(Parcels(), [-0.5, 1.0, -0.2])


def test_a_solved_day_tells_decisions_costs_and_states() -> None:
    solved = PIPELINE.solve(DAY)
    assert isinstance(solved, SolvedDay)
    assert sum(solved.costs) == solved.cost
    assert len(solved.decisions) == len(solved.states) == len(DAY.arrivals)
    assert [PIPELINE.decide(state) for state in solved.states] == solved.decisions
    assert solved.bound is not None
    assert solved.bound <= solved.cost
    assert "hindsight" in repr(solved)


def test_a_day_is_drawn() -> None:
    figure = PIPELINE.solve(DAY).plot()
    assert len(figure.axes[0].patches) == len(DAY.arrivals)


@pytest.mark.parametrize("options", [{"candidates": 2}, {"samples": 3}, {"time_limit": 1.0}])
def test_several_weight_vectors_are_refused(options: dict[str, Any]) -> None:
    with rejects(OptionError, "once", where="--" + next(iter(options)).replace("_", "-")):
        PIPELINE.solve(DAY, **options)


def test_rounds_are_refused() -> None:
    with rejects(OptionError, where="--rounds"):
        PIPELINE.solve(DAY, rounds=2)


def test_the_safe_weights_do_not_change_a_day() -> None:
    """What they would have cost is known only when the day is over."""
    bad = [1.0, 0.0, 0.0]
    assert Pipeline(Parcels(), bad).solve(DAY).cost == Pipeline(Parcels(), bad, safe=False).solve(DAY).cost


def test_an_infeasible_decision_is_refused() -> None:
    class Infeasible(Parcels):
        def decode(self, y: Any, state: Any) -> Any:
            return (7,)

    wrong = Pipeline(Infeasible(), [-0.5, 1.0, -0.2])
    with rejects(InputError, "no such parcel"):
        wrong.decide(Parcels().start(DAY))
    with rejects(InputError, "no such parcel", where="epoch 0"):
        wrong.solve(DAY)


def test_other_problems_have_no_states() -> None:
    with rejects(InputError, "start and step"):
        Pipeline(Pick(), [1.0] * len(Pick.feature_names)).decide(None)
