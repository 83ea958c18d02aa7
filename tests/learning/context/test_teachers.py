"""Gradients that teach: those of the losses one by one, and towards cheap solutions."""

from __future__ import annotations

import numpy as np

from colayer import FenchelYoung, SpoPlus
from colayer.errors import InputError
from colayer.evaluators.base import Backend
from colayer.learning.context.data import ContextData
from colayer.learning.context.teachers import ByAnswers, ByOwnBest, Solver
from colayer.learning.imitation.example import examples_of
from colayer.learning.imitation.spo import spo_plus
from colayer.learning.learner import TrainingJob
from colayer.learning.settings import Settings
from colayer.problem.bind import bind
from support.context_samples import SIZE, data, problem
from support.errors import rejects


def taught(method, count: int = 10, **known) -> tuple[ByAnswers, ContextData, np.ndarray]:
    contexts, costs = data(count)
    bound = bind(problem())
    job = TrainingJob(bound, list(contexts), Settings(), Backend(1), **(known or {"thetas": list(costs)}))
    found = ByAnswers(method, examples_of(job, [SIZE] * count), Solver(bound, list(contexts), 1))
    return found, ContextData.of(bound, list(contexts)), costs


def test_all_at_once_is_one_by_one() -> None:
    teacher, _, costs = taught(SpoPlus())
    thetas, chosen = np.random.default_rng(3).random((4, SIZE)), np.array([2, 5, 7, 8])
    value, gradients = teacher.losses(thetas, chosen, 1)
    layer = problem().solve
    wanted = [spo_plus(t, costs[i], layer(costs[i]), layer) for t, i in zip(thetas, chosen, strict=True)]
    assert np.isclose(value, np.mean([one for one, _ in wanted]))
    assert np.array_equal(gradients, [gradient for _, gradient in wanted])


def test_draws_are_fresh_in_each_pass_and_repeat_with_it() -> None:
    solutions = [problem().solve(costs) for costs in data(10)[1]]
    teacher, _, _ = taught(FenchelYoung(samples=4), solutions=solutions)
    thetas, chosen = np.zeros((3, SIZE)), np.array([0, 1, 2])
    first, again, other = (teacher.losses(thetas, chosen, number)[1] for number in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_loss_is_the_mean_of_those_one_by_one() -> None:
    solutions = [problem().solve(costs) for costs in data(10)[1]]
    teacher, _, _ = taught(FenchelYoung(samples=4), solutions=solutions)
    thetas, chosen = np.random.default_rng(3).random((3, SIZE)), np.array([2, 5, 7])
    alone = [teacher.losses(thetas[k : k + 1], chosen[k : k + 1], 1)[0] for k in range(3)]
    assert np.isclose(teacher.losses(thetas, chosen, 1)[0], np.mean(alone))


def test_a_regressor_of_the_users_is_where_it_starts() -> None:
    class Mean:
        def fit(self, inputs, values):
            self.mean = values.mean(axis=0)
            return self

        def predict(self, inputs):
            return np.tile(self.mean, (len(inputs), 1))

    teacher, arrays, costs = taught(SpoPlus(start=Mean()))
    everything = np.arange(10)
    thetas = arrays.thetas(arrays.regression(teacher.answers(arrays, everything), everything), everything)
    assert np.allclose(thetas, costs.mean(axis=0))

    class Wrong(Mean):
        def predict(self, inputs):
            return self.mean

    teacher, arrays, _ = taught(SpoPlus(start=Wrong()))
    with rejects(InputError, where="start"):
        teacher.answers(arrays, everything)


def test_own_best_points_to_what_is_cheap() -> None:
    """A step against the gradient makes cheap entries cheaper in θ."""
    contexts, costs = data(5)
    own = problem()
    bound, samples = bind(own), own.samples(contexts, costs)
    teacher = ByOwnBest(bound, samples, Solver(bound, samples, 1), seed=0, draws=60)
    _, gradients = teacher.losses(np.zeros((5, SIZE)), np.arange(5), 1)
    assert all(np.corrcoef(*pair)[0, 1] < -0.5 for pair in zip(gradients, costs, strict=True))
