"""The training loop: gradients that are known, a loss that falls, the best state kept, and the clock."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from colayer import Pipeline
from colayer.evaluators.base import Backend
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.demonstration.example import examples_of
from colayer.learning.demonstration.fenchel_young import FenchelYoung
from colayer.learning.learner import Lesson
from colayer.learning.network.method import Neural
from colayer.learning.network.module import Network
from colayer.learning.network.training import Training, demonstration_gradient, experience_gradient, instance_loss
from colayer.learning.settings import Settings
from colayer.problems import find_problem, problem_names
from colayer.threads import Threads
from support.torch_networks import Line, data


def test_experience_gradient_of_a_known_loss() -> None:
    """ℓ(θ) = |θ − x|² is smoothed to itself plus a constant: the estimate is unbiased for 2(θ − x)."""
    instance = np.array([1.0, -2.0, 0.5])
    theta = np.array([2.0, 0.0, 0.0])
    gradient = experience_gradient(LocalEvaluator(Line(), [instance]), Neural(pairs=20000))
    estimate = gradient(theta, 0, np.random.default_rng(0))
    assert np.allclose(estimate, 2 * (theta - instance), atol=0.15)


def test_loss_of_an_instance_is_its_cost_over_its_scale() -> None:
    class Scaled(Line):
        def scale(self, instance):
            return 4.0

    evaluator = LocalEvaluator(Scaled(), [np.zeros(2), np.ones(2)])
    assert instance_loss(evaluator, np.array([3.0, 1.0]), 1) == (4.0 + 0.0) / 4.0


@pytest.mark.parametrize("name", problem_names())
def test_demonstration_loss_falls(name: str) -> None:
    """Fenchel-Young through the network, on every problem that has an embedding."""
    problem = find_problem(name)
    instances = data(problem, 3)
    solutions = [Pipeline(problem, weights=problem.safe_weights).solve(x, samples=10).solution for x in instances]
    loss = FenchelYoung(samples=4)
    start = Pipeline(problem, weights=problem.safe_weights).fit(
        instances, solutions=solutions, method=loss, evaluations=5, validation=0.0
    )
    raw, scale = start.model.raw(), start.model.feature_scale
    evaluator = LocalEvaluator(problem, instances)
    lesson = Lesson(problem, instances, Settings(validation=0.0), Backend(), solutions)
    examples = examples_of(lesson, [len(features) for features in evaluator.features])
    made = Network(raw * scale, np.zeros(len(raw)), (8,), False, 0)
    fields = {"feature_names": problem.feature_names, "feature_scale": scale, "problem": problem.name}

    def value() -> float:
        thetas = [made(torch.tensor(f / scale)).detach().numpy() for f in evaluator.features]
        return sum(loss.loss(theta, example)[0] for theta, example in zip(thetas, examples, strict=True))

    before = value()
    with Threads(2) as threads:
        gradient = demonstration_gradient(examples, loss)
        run = Training(made, evaluator, None, gradient, Neural(), 0, fields, threads)
        assert [number for number, _, _ in run.run(15)] == list(range(16))
    assert value() < before


def line_training(threads: Threads, held_out: bool = False, **options) -> Training:
    """From w = 0, on two lines; validated on a third one, which is the opposite of what they teach."""
    evaluator = LocalEvaluator(Line(), [np.full(5, 2.0), np.full(5, 2.2)])
    other = LocalEvaluator(Line(), [np.full(5, -2.0)]) if held_out else None
    method = Neural(hidden=(4,), rate=0.05, pairs=8, **options)
    fields = {"feature_names": Line.feature_names, "feature_scale": np.ones(2), "problem": "line"}
    made = Network(np.zeros(2), np.zeros(2), (4,), False, 0)
    return Training(made, evaluator, other, experience_gradient(evaluator, method), method, 0, fields, threads)


def test_the_best_state_is_kept_by_training_loss() -> None:
    with Threads(1) as threads:
        run = line_training(threads)
        losses = [loss for _, loss, validation in run.run(30) if validation is None]
    assert losses[-1] < 0.5 * losses[0]
    assert run.loss == min(losses)
    assert run.validation_loss is None
    model = run.model
    again = [instance_loss(run.data, model.theta(f), k) for k, f in enumerate(run.data.features)]
    assert math.fsum(again) / 2 == run.loss


def test_the_best_state_is_kept_by_validation_loss() -> None:
    """Training goes the wrong way for the instance held out: the start is kept."""
    with Threads(1) as threads:
        run = line_training(threads, held_out=True)
        states = list(run.run(10))
    assert states[-1][1] < states[0][1]
    assert states[-1][2] > states[0][2]
    assert (run.loss, run.validation_loss) == states[0][1:]


def test_the_state_does_not_depend_on_the_threads() -> None:
    found = []
    for workers in (1, 2):
        with Threads(workers) as threads:
            found.append(list(line_training(threads, batch=1).run(5)))
    assert found[0] == found[1]


def test_no_pass_begins_after_the_deadline() -> None:
    """The start is always evaluated, so that something is known."""
    with Threads(1) as threads:
        run = line_training(threads)
        assert [number for number, _, _ in run.run(5, deadline=0.0)] == [0]
    assert run.model is not None
