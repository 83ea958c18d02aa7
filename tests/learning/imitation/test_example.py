"""What a demonstration loss is given: targets, draws, and answers that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.evaluators.base import Backend
from colayer.learning.imitation.example import Example, examples_of, inner, vector
from colayer.learning.learner import TrainingJob
from colayer.learning.settings import Settings
from colayer.problem.bind import bind
from support.errors import rejects
from support.pick_problem import Embedded, Pick, picks


def job(problem=None, seed=0, **known):
    return TrainingJob(bind(problem or Embedded()), picks(3), Settings(seed=seed), Backend(), **known)


def test_targets_are_those_of_the_solutions():
    examples = examples_of(job(solutions=[[0, 2], [1, 4], [3, 5]]), [6, 6, 6])
    assert [np.flatnonzero(example.target).tolist() for example in examples] == [[0, 2], [1, 4], [3, 5]]
    assert all(example.true_theta is None for example in examples)


def test_targets_of_true_thetas_are_what_the_layer_does_there():
    thetas = [x @ np.array([1.0, 2.0]) for x in picks(3)]
    examples = examples_of(job(thetas=thetas), [6, 6, 6])
    for example, theta in zip(examples, thetas, strict=True):
        assert np.array_equal(example.true_theta, theta)
        assert np.array_equal(example.target, Embedded().embed(np.argsort(theta)[:3], theta))


def test_draws_depend_on_the_seed_and_the_place_alone():
    """The same for every θ and every call; nested in their number."""
    first, second, third = examples_of(job(solutions=[0, 0, 0]), [6, 6, 6])
    assert first.draws(4).shape == (4, 6)
    assert np.array_equal(first.draws(4), first.draws(7)[:4])
    again = examples_of(job(solutions=[1, 1, 1]), [6, 6, 6])[0]
    assert np.array_equal(first.draws(4), again.draws(4))
    other = examples_of(job(seed=1, solutions=[0, 0, 0]), [6, 6, 6])[0]
    assert not np.array_equal(first.draws(4), other.draws(4))
    assert not np.array_equal(second.draws(4), third.draws(4))


@pytest.mark.parametrize(
    ("problem", "known", "names"),
    [
        (None, {"solutions": [0, 1]}, ("solutions",)),
        (None, {"thetas": []}, ("thetas",)),
        (None, {"thetas": [np.zeros(6), np.zeros(5), np.zeros(6)]}, ("thetas[1]",)),
        (None, {"thetas": [np.zeros(6)] * 2 + [np.array([0, np.nan, 0, 0, 0, 0])]}, ("thetas[2][1]",)),
        (Pick(), {"solutions": [0, 1, 2]}, ("pick", "target")),
        (Pick(), {"thetas": [np.zeros(6)] * 3}, ("pick", "embed")),
    ],
)
def test_what_does_not_fit_is_refused_by_name(problem, known, names):
    with rejects(InputError, *names):
        examples_of(job(problem, **known), [6, 6, 6])


def test_an_embedding_of_the_wrong_length_is_named():
    class Short(Embedded):
        def embed(self, y, instance):
            return np.zeros(2)

    shown = Example(bind(Short()), picks(1)[0], np.zeros(6), None, np.random.SeedSequence(0))
    with rejects(InputError, "embed", "pick"):
        shown.solve(np.zeros(6))


def test_inner_and_vector():
    assert inner(np.array([1.0, 2.0]), np.array([3.0, 4.0])) == 11.0
    assert vector([1, 2], 2, "it").dtype == np.float64
    for wrong, where in (([[1.0, 2.0]], "it"), ([1.0, np.inf], "it[1]")):
        with rejects(InputError, where=where):
            vector(wrong, 2, "it")
