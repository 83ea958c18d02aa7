"""Portfolios for rounds: chosen round by round, where the members before have led to, and used in that order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.pool import PoolEvaluator
from colayer.learning.portfolio.rounds import PER_ROUND, RoundInstances, _drawn, choose_round_portfolio
from colayer.models import LinearModel
from colayer.problem.bind import bind
from colayer.problem.rounds import factors
from colayer.problems import VehicleScheduling
from colayer.solving.candidates import rows_of_rounds
from support.crowd_problem import Crowd

PROBLEM = Crowd()
DATA = [PROBLEM.generate(seed) for seed in range(6)]
OTHERS = [PROBLEM.generate(seed) for seed in range(100, 130)]
WEIGHTS = np.array([1.0, 0.1, -0.2])


def held(problem: Any, data: list[Any]) -> RoundInstances:
    return RoundInstances([(LocalEvaluator(bind(problem), data, rounds=3), len(data))])


def chosen(count: int, instances: RoundInstances | None = None, evaluations: int = 100) -> np.ndarray:
    known = bind(PROBLEM)
    return choose_round_portfolio(instances or held(PROBLEM, DATA), known, WEIGHTS, np.ones(3), 0, count, evaluations)


def by_hand(rounds: list[np.ndarray], instance: Any) -> list[float]:
    """The least cost of each round, each at the features that see the best solution of the one before."""
    best, solution = [], None
    for rows in rounds:
        features = bind(PROBLEM).features(instance, solution)
        found = [bind(PROBLEM).solution_at(features @ row, instance) for row in rows]
        solution, cost = min(found, key=lambda one: one[1])
        best.append(cost)
    return best


def test_losses_are_those_of_a_round_after_the_steps_before() -> None:
    instances = held(PROBLEM, DATA)
    rows = np.array([WEIGHTS, [1.0, 0.3, 0.0]])
    scale = np.array([PROBLEM.scale(x) for x in DATA])
    for before in range(3):
        losses = instances.losses(np.stack([rows, rows[::-1]]))
        assert losses.shape == (2, 2, len(DATA))
        assert np.array_equal(losses[0], losses[1][::-1])
        expected = [by_hand([*[rows] * before, rows[:1]], x)[-1] for x in DATA]
        assert losses[0, 0] == pytest.approx(np.array(expected) / scale, rel=1e-12)
        instances.step(rows)


def test_the_weights_come_first_and_every_beginning_is_the_same() -> None:
    members = chosen(8)
    assert members.shape == (8, 3)
    assert members[0].tolist() == WEIGHTS.tolist()
    assert np.array_equal(chosen(4), members[:4])
    assert np.array_equal(chosen(9), members)  # a round that is not whole is left out


@pytest.mark.parametrize(("evaluations", "draws"), [(4, 0), (60, 12), (479, 95), (5000, 96)])
def test_draws_are_a_share_of_what_the_search_spent_and_bounded(evaluations: int, draws: int) -> None:
    asked = []

    class Asked(RoundInstances):
        def losses(self, weights):
            asked.append(weights.shape[1])
            return np.zeros((*weights.shape[:2], 1))

    chosen(PER_ROUND, Asked([]), evaluations)
    assert asked == [1 + draws]  # the weights


def test_most_draws_multiply_every_weight_and_every_fourth_adds_to_them() -> None:
    """The factor of what holds is one; what is added is a share of the norm, by turns of two."""
    centre, holding = np.array([2.0, -1.0, -2.0]), np.array([False, True, True])
    for number in range(9):
        normal = np.random.default_rng(number).standard_normal(4)
        found = _drawn(np.random.default_rng(number), centre, number, holding)
        multiplied = centre * np.exp([0.5 * normal[1], normal[0], normal[0]])
        added = centre + {3: 0.3, 7: 0.1}.get(number, 0.0) * np.sqrt(3.0) * normal[1:]
        assert found == pytest.approx(added if number in (3, 7) else multiplied)


def test_turns_are_better_than_the_weights_in_every_round_on_other_instances() -> None:
    """And than the same members in another order: later ones mend what the first ones made."""
    members = chosen(8)
    turns = [members[k : k + PER_ROUND] for k in range(0, 8, PER_ROUND)]
    mine, alone, turned = (
        np.array([min(by_hand(rows, x)) for x in OTHERS]) for rows in (turns, [members[:1]] * 8, turns[::-1])
    )
    assert mine.mean() < 0.99 * alone.mean()
    assert mine.mean() < turned.mean()


def test_solve_takes_the_turns_that_were_chosen_and_then_those_after_the_first() -> None:
    members = chosen(8)
    model = LinearModel(PROBLEM.feature_names, WEIGHTS, np.ones(3), PROBLEM.name, {}, {}, 0.05, members)
    rows = rows_of_rounds(model, PER_ROUND, 0, None, 0)
    taken = [rows(number)[0] for number in range(6)]
    assert np.array_equal(np.vstack(taken[:4]), members)
    assert np.array_equal(np.vstack(taken[4:]), members[2:6])
    assert rows(4)[1] == ["member 3", "member 4"]


def test_several_evaluators_and_processes_give_the_same() -> None:
    parts = [
        (LocalEvaluator(bind(PROBLEM), DATA[:4], rounds=3), 4),
        (LocalEvaluator(bind(PROBLEM), DATA[4:], rounds=3), 2),
    ]
    pool = PoolEvaluator(bind(PROBLEM), DATA, 2, rounds=3)
    try:
        apart = [chosen(6, RoundInstances(parts)), chosen(6, RoundInstances([(pool, len(DATA))]))]
    finally:
        pool.close()
    assert all(np.array_equal(one, chosen(6)) for one in apart)


def test_the_factors_of_features_that_hold_are_those_of_solve() -> None:
    """What was measured when choosing is what `solve` finds."""
    problem = VehicleScheduling("rounds")
    data = [problem.generate(seed, tasks=25, scenarios=5) for seed in range(3)]
    weights = np.array([1.0, 0.0, 1.0, 0.3, 0.6, 0.0, *[-3.0] * 12])
    instances, known = held(problem, data), bind(problem)
    members = choose_round_portfolio(instances, known, weights, np.ones(18), 0, 6, 60)
    model = LinearModel(problem.feature_names, weights, np.ones(18), problem.name, problem.options, {}, 0.05, members)
    again, least = held(problem, data), np.full(len(data), np.inf)
    for number in range(3):
        rows = members[PER_ROUND * number : PER_ROUND * number + PER_ROUND] * factors(known, number, PER_ROUND)
        least = np.minimum(least, again.losses(rows[None, :, :])[0].min(axis=0))
        again.step(rows)
    pipeline = Pipeline.from_model(problem, model, safe=False)
    costs = [pipeline.solve(x, rounds=3, candidates=PER_ROUND).cost / problem.scale(x) for x in data]
    assert costs == pytest.approx(least.tolist(), rel=1e-12)


def test_learning_in_rounds_ends_with_turns() -> None:
    fitted = Pipeline(PROBLEM).fit(DATA, evaluations=60, rounds=3, portfolio=6)
    assert fitted.model.portfolio.shape == (6, 3)
    assert fitted.model.portfolio[0].tolist() == fitted.weights_.tolist()
    assert len(Pipeline(PROBLEM).fit(DATA, evaluations=60, rounds=3, portfolio=1).model.portfolio) == 0
