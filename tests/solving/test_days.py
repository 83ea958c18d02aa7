"""Days solved by a pipeline: one policy, its decisions, costs and states; and single decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from colayer import InputError, OptionError, Pipeline
from colayer.problems import DynamicVehicleScheduling
from colayer.solving.days import SolvedDay
from support.errors import rejects
from support.parcel_days import Day, Parcels, State, days
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


class Foresees(Parcels):
    """Its futures are what will happen: what is learned of them comes true."""

    def future(self, state: State, seed: int) -> Day:
        known = tuple(distance for distance, _ in state.waiting)
        return Day((known, *state.day.arrivals[state.epoch + 1 :]))


def test_candidates_are_tried_on_drawn_futures() -> None:
    """Where the futures come true, no day costs more than with one candidate, and some cost less."""
    pipeline = Pipeline(Foresees(), [-0.5, 1.0, 0.0])  # no weight on ages, which a drawn day forgets
    plain, several = ([pipeline.solve(day, candidates=k, sigma=0.5).cost for day in days(12)] for k in (1, 6))
    assert all(many <= one + 1e-12 for one, many in zip(plain, several, strict=True))
    assert sum(several) < sum(plain)
    solved = pipeline.solve(DAY, candidates=6, sigma=0.5)
    assert solved.candidates == 6
    assert solved == replace(pipeline.solve(DAY, candidates=6, sigma=0.5), seconds=solved.seconds)
    first = Foresees().start(DAY)
    assert pipeline.decide(first, candidates=4) == pipeline.solve(DAY, candidates=4).solution[0]


@pytest.mark.parametrize("options", [{"candidates": 2}, {"samples": 3}, {"time_limit": 1.0}])
def test_without_futures_several_weight_vectors_are_refused(options: dict[str, Any]) -> None:
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


def test_the_first_day_shows_a_step_that_changes_its_state() -> None:
    class Forgets(Parcels):
        def step(self, state: Any, decision: Any) -> Any:
            found = super().step(state, decision)
            object.__setattr__(state, "waiting", ())
            return found

    with rejects(InputError, "changes its input state.waiting", where="epoch 0"):
        Pipeline(Forgets(), [-0.5, 1.0, -0.2]).solve(DAY)


def test_a_day_in_the_place_of_a_state_and_the_other_way_round() -> None:
    own, parcels = DynamicVehicleScheduling(), Parcels()
    for problem, day in ((own, own.generate(0, customers=12, per_epoch=2)), (parcels, DAY)):
        pipeline = Pipeline(problem, problem.safe_weights)
        with rejects(InputError, "this is a day", where="decide") as refused:
            pipeline.decide(day)
        assert refused.value.__suppress_context__
        with rejects(InputError, "this is a state", where="solve") as refused:
            pipeline.solve(problem.start(day))
        assert refused.value.__suppress_context__
    with pytest.raises(AttributeError):
        PIPELINE.decide("neither")
    with pytest.raises(AttributeError, match="arrivals"):
        PIPELINE.solve("neither")


def test_other_problems_have_no_states() -> None:
    with rejects(InputError, "start and step"):
        Pipeline(Pick(), [1.0] * len(Pick.feature_names)).decide(None)
