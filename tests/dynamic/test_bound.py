"""A bound dynamic problem: days as instances, decisions as solutions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from colayer import InputError
from colayer.dynamic.bound import BoundDynamic
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import moments
from colayer.problem.bind import bind
from support.errors import rejects
from support.parcel_days import Parcels, bound_parcels, days

DAYS = days(4)
WEIGHTS = np.array([[-0.5, 1.0, -0.2], [-0.2, 0.1, 0.0], [1.0, 0.0, 0.0]])


def test_costs_are_those_of_the_replayed_decisions() -> None:
    own = bound_parcels()
    for day in DAYS:
        played = own.costs(own.features(day), WEIGHTS, day)
        for row, cost in zip(WEIGHTS, played, strict=True):
            state, decisions = own.start(day), []
            while state is not None:
                decisions.append(own.decision_at(row, state))
                state = own.step(state, decisions[-1])[1]
            assert own.cost(decisions, day) == cost


def test_features_are_the_rows_of_all_states_on_the_way_of_the_safe_weights() -> None:
    own = bound_parcels()
    state, rows = own.start(DAYS[0]), []
    while state is not None:
        rows += own.state_features(state).tolist()
        state = own.step(state, own.decision_at(own.safe_weights, state))[1]  # type: ignore[arg-type]
    assert own.features(DAYS[0]).tolist() == rows
    spread = moments(own, DAYS, LocalEvaluator(own, DAYS)).spread
    assert np.allclose(spread, np.concatenate([own.features(day) for day in DAYS]).std(axis=0) * (spread > 0))


def test_without_safe_weights_features_follow_a_rule_and_without_rules_zero() -> None:
    class Unsafe(Parcels):
        safe_weights = None

    class Bare(Unsafe):
        baselines = ()

    assert bind(Unsafe()).features(DAYS[0])[:, 2].max() == 0.0  # "all": nothing grows old
    assert bind(Bare()).features(DAYS[0])[:, 2].max() > 0.0  # θ = 0 takes nothing


def test_a_compiled_path_is_used_and_its_answer_checked() -> None:
    class Compiled(Parcels):
        def day_costs(self, weights: Any, day: Any) -> Any:
            return np.arange(float(len(weights)))

    class Short(Parcels):
        def day_costs(self, weights: Any, day: Any) -> Any:
            return np.zeros(1)

    assert bind(Compiled()).costs(np.ones((1, 3)), WEIGHTS, DAYS[0]).tolist() == [0.0, 1.0, 2.0]
    with rejects(InputError, "day_costs of parcels"):
        bind(Short()).costs(np.ones((1, 3)), WEIGHTS, DAYS[0])


def test_an_infeasible_day_is_refused_with_its_epoch() -> None:
    own = bound_parcels()
    said = own.need("violation")([(), (9,), (), ()], days(1, first=3)[0])
    assert said.startswith("epoch 1: ")
    assert own.need("violation")(own.hindsight_decisions(DAYS[0]), DAYS[0]) is None


def test_hindsight_bounds_a_day_only_where_it_is_exact() -> None:
    class Heuristic(Parcels):
        hindsight_is_exact = False

    assert bind(Heuristic()).lower_bound(DAYS[0]) is None
    assert bound_parcels().lower_bound(DAYS[0]) is not None


def test_days_with_nothing_to_decide_are_none_to_learn_from_alone() -> None:
    class Empty(Parcels):
        def features(self, state: Any) -> Any:
            return np.empty((0, 3))

        def decode(self, y: Any, state: Any) -> Any:
            return tuple(range(len(state.waiting)))

    problem = bind(Empty())
    with rejects(InputError, "no rows on any day"):
        moments(problem, DAYS, LocalEvaluator(problem, DAYS))


def test_it_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(bound_parcels()))
    assert isinstance(again, BoundDynamic)
    assert again.cost(again.hindsight_decisions(DAYS[0]), DAYS[0]) == again.lower_bound(DAYS[0])


def test_a_state_in_the_place_of_a_day_is_named_as_such() -> None:
    own = bound_parcels()
    with rejects(InputError, "this is a state", where="solve"):
        own.refuse_state(own.start(DAYS[0]))
    own.refuse_state(DAYS[0])  # no state: what refused it says why


def test_no_day_was_watched_at_first() -> None:
    assert not bound_parcels().watched
