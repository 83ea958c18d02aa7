"""srl on days: a decision is costed with the rest of the day, and the gradient leads to better days."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer import Pipeline
from colayer.dynamic.play import play
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.search.own_best import Imitation
from colayer.learning.search.own_best_days import cost_of_rest, drawn_epoch, solved_with_rests
from support.parcel_days import Parcels, best_decisions, bound_parcels, days

PROBLEM = bound_parcels()
WEIGHTS = np.array([-0.5, 1.0, -0.2])


def epochs_of(day: Any) -> Any:
    return list(play(PROBLEM, PROBLEM.start(day), PROBLEM.policy(WEIGHTS)))


def test_a_decision_costs_its_step_and_the_rest_of_the_day() -> None:
    for day in days(5):
        epochs = epochs_of(day)
        for k, epoch in enumerate(epochs):
            cost = cost_of_rest(PROBLEM, PROBLEM.policy(WEIGHTS), epoch, epoch.decision)
            assert cost == np.float64(0.0) + sum(later.cost for later in epochs[k:])
            assert cost >= best_decisions(Parcels(), epoch.state)[0] - 1e-12


def test_equal_answers_are_played_once() -> None:
    (day,) = days(1)
    epoch, calls = epochs_of(day)[0], []
    policy = PROBLEM.policy(WEIGHTS)

    def counting(state: Any) -> Any:
        calls.append(state)
        return policy(state)

    vectors, costs = solved_with_rests(PROBLEM, counting, epoch, np.full((6, 1), -1.0))
    assert len(vectors) == len(costs) == 6
    assert len(calls) == len(day.arrivals) - 1


def test_states_without_rows_are_not_drawn() -> None:
    for day in days(10):
        drawn = [drawn_epoch(PROBLEM, epochs_of(day), np.random.default_rng(seed)) for seed in range(20)]
        assert all(epoch is not None and len(epoch.state.waiting) for epoch in drawn)
        assert len({epoch.number for epoch in drawn if epoch is not None}) > 1 or len(epochs_of(day)) == 1
    assert drawn_epoch(PROBLEM, [], np.random.default_rng(0)) is None


def test_the_gradient_leads_to_cheaper_decisions() -> None:
    """A step against it lowers the θ of parcels that cheap decisions take: on average the days cost less."""
    data = days(40)
    work = Imitation(WEIGHTS, draws=20, sigma=2.0, temperature=0.4, seed=1, number=2)
    gradient = np.sum(LocalEvaluator(PROBLEM, data).visit(work, range(len(data))), axis=0)
    rows = np.array([WEIGHTS, WEIGHTS - 0.3 * gradient / np.abs(gradient).max()])
    before, after = np.mean([PROBLEM.costs(np.empty(0), rows, day) for day in data], axis=0)
    assert after < before


def test_srl_learns_on_days_and_is_the_same_for_two_workers() -> None:
    data = days(12)
    one, two = (Pipeline(Parcels()).fit(data, method="srl", evaluations=120, workers=workers) for workers in (1, 2))
    assert one.weights_.tobytes() == two.weights_.tobytes()
    start = np.mean([PROBLEM.costs(np.empty(0), WEIGHTS[None, :], day)[0] / PROBLEM.scale(day) for day in data])
    assert one.loss_ is not None
    assert one.loss_ < start
