"""The portfolio of rounds: each member is the best of the pool for its round, whatever the number of workers."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer import Pipeline
from colayer.compose import decoded, features_of
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.schedule import State, Step, Trial, choose_schedule
from support.crowd_problem import Crowd

PROBLEM = Crowd()
DATA = [PROBLEM.generate(seed) for seed in range(6)]
WEIGHTS, SCALE = np.array([2.0, 0.4, -0.2]), np.array([1.0, 2.0, 1.0])


def mean_loss(schedule: Any) -> float:
    """The mean of the best loss, by hand: member r in round r."""
    total = 0.0
    for instance in DATA:
        solution, best = None, np.inf
        for weights in schedule:
            theta = features_of(PROBLEM, instance, solution) @ (weights / SCALE)
            solution, cost = decoded(PROBLEM, theta, instance)
            best = min(best, cost / PROBLEM.scale(instance))
        total += best
    return total / len(DATA)


def chosen(count: int, seed: int = 0) -> Any:
    return choose_schedule(LocalEvaluator(PROBLEM, DATA), len(DATA), [], WEIGHTS, SCALE, seed, count)


def test_a_schedule_begins_with_the_weights_and_beats_them_alone() -> None:
    schedule = chosen(6)
    assert np.array_equal(schedule[0], WEIGHTS)
    assert schedule.shape == (6, 3)
    assert mean_loss(schedule) < mean_loss([WEIGHTS] * 6)
    losses = [mean_loss(schedule[:rounds]) for rounds in range(1, 7)]
    assert losses == sorted(losses, reverse=True)


def test_a_beginning_of_a_schedule_is_one_and_the_seed_decides() -> None:
    assert np.array_equal(chosen(3), chosen(5)[:3])
    assert np.array_equal(chosen(3, seed=1), chosen(3, seed=1))
    assert not np.array_equal(chosen(3, seed=1), chosen(3))
    assert chosen(1).shape == (0, 3)


def test_a_trial_and_a_step_look_at_the_solution_that_an_instance_has_come_to() -> None:
    data = LocalEvaluator(PROBLEM, DATA)
    first = (State(),) * len(DATA)
    states = tuple(data.visit(Step(WEIGHTS / SCALE, first), range(len(DATA))))
    pool = np.array([WEIGHTS, [2.0, 0.0, 0.0]])
    losses = np.array(data.visit(Trial(pool / SCALE, states), range(len(DATA))))
    for x, instance in enumerate(DATA):
        solution, cost = decoded(PROBLEM, features_of(PROBLEM, instance) @ (WEIGHTS / SCALE), instance)
        assert states[x].loss == cost / PROBLEM.scale(instance)
        for row, loss in zip(pool, losses[x], strict=True):
            theta = features_of(PROBLEM, instance, solution) @ (row / SCALE)
            assert loss == decoded(PROBLEM, theta, instance)[1] / PROBLEM.scale(instance)


def test_members_take_turns_where_the_schedule_is_used() -> None:
    pipeline = Pipeline(PROBLEM, safe=False).fit(DATA, method="cma-es", evaluations=20, rounds=3, validation=0.0)
    members = pipeline.model.portfolio
    assert len(members) == 20
    for instance in DATA[:3]:
        solution, costs = None, []
        for weights in members[:3]:
            theta = features_of(PROBLEM, instance, solution) @ pipeline.model.raw(weights)
            solution, cost = decoded(PROBLEM, theta, instance)
            costs.append(cost)
        assert pipeline.solve(instance).cost == min(costs)
