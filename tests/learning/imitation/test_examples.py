"""Mean losses over examples and their gradients with respect to the weights."""

from __future__ import annotations

import numpy as np
import pytest

from colayer._runtime.threads import Threads
from colayer.errors import InputError
from colayer.evaluators.base import Backend
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.imitation.example import examples_of
from colayer.learning.imitation.examples import Examples, pull_back
from colayer.learning.imitation.fenchel_young import FenchelYoung
from colayer.learning.imitation.hinge import Hinge
from colayer.learning.learner import TrainingJob
from colayer.learning.settings import Settings
from colayer.problem.bind import bind
from support.choosing import differences
from support.errors import rejects
from support.pick_problem import Embedded, picks

METHOD = FenchelYoung(samples=6)


def examples(threads, count=5):
    data, problem = picks(count), bind(Embedded())
    job = TrainingJob(problem, data, Settings(), Backend(), solutions=[np.arange(3)] * count)
    return Examples(LocalEvaluator(problem, data), examples_of(job, [6] * count), threads)


def test_the_mean_and_its_gradient_against_finite_differences():
    with Threads(1) as threads:
        held = examples(threads)
        w = np.array([0.3, -0.7])
        value, gradient = held.demonstration(METHOD, w, range(5))
        alone = [held.demonstration(METHOD, w, [x]) for x in range(5)]
        assert value == pytest.approx(np.mean([loss for loss, _ in alone]), rel=1e-12)
        assert gradient == pytest.approx(np.mean([slope for _, slope in alone], axis=0), rel=1e-12)
        assert gradient == pytest.approx(differences(lambda v: held.demonstration(METHOD, v, range(5))[0], w), abs=1e-6)


def test_the_same_bits_for_any_number_of_threads():
    found = []
    for workers in (1, 3):
        with Threads(workers) as threads:
            held = examples(threads)
            loss, gradient = held.demonstration(METHOD, np.array([0.3, -0.7]), [4, 1, 2])
            found.append((loss, gradient.tobytes(), held.pipeline(np.array([1.0, 2.0]))))
    assert found[0] == found[1]


def test_the_pipeline_loss_is_the_mean_cost():
    """At the true weights (1, 0) the layer finds the cheapest half."""
    with Threads(1) as threads:
        expected = np.mean([(np.sort(x[:, 0])[:3].sum() + 100.0) / 6.0 for x in picks(5)])
        assert examples(threads).pipeline(np.array([1.0, 0.0])) == pytest.approx(expected, rel=1e-12)
        assert len(examples(threads)) == 5


def test_a_loss_that_is_no_number_is_refused():
    class Broken(Hinge):
        def loss(self, theta, example):
            return np.inf, theta

    with Threads(1) as threads, rejects(InputError, "loss"):
        examples(threads).demonstration(Broken(), np.zeros(2), range(5))


def test_pull_back_is_the_transposed_product():
    rng = np.random.default_rng(0)
    for n in (1, 3, 4, 5, 64, 67):
        features, gradient, out = rng.normal(size=(5, n)).astype(np.float32), rng.normal(size=n), np.empty(5)
        pull_back(features, gradient, out)
        np.testing.assert_allclose(out, features.astype(float) @ gradient, rtol=1e-12, atol=1e-12)
