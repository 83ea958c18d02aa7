"""Contexts as arrays: θ of the model is θ of the arrays, and gradients are those of finite differences."""

from __future__ import annotations

import numpy as np

from colayer.errors import InputError
from colayer.learning.context.data import ContextData
from colayer.problem.bind import bind
from colayer.problem.context import ContextProblem
from colayer.problem.theta import theta_of
from support.context_samples import SIZE, data, problem
from support.errors import rejects


class Shared(ContextProblem):
    """Two numbers of each row, the same in all instances but for a factor."""

    feature_names = ("number", "parity")

    def features(self, instance):
        rows = np.arange(float(SIZE))
        return np.column_stack([rows * (1.0 + instance[0]), rows % 2])


def shared() -> ContextProblem:
    return Shared(problem().solve, size=SIZE, name="shared")


def test_the_model_gives_the_theta_that_was_learned() -> None:
    contexts, _ = data(20)
    for own in (problem(), shared()):
        found = ContextData.of(bind(own), list(contexts))
        weights = np.random.default_rng(1).normal(size=found.dimension)
        model, wanted = found.model(bind(own), weights, {}), found.thetas(weights, np.arange(20))
        for i, context in enumerate(contexts):
            assert np.allclose(theta_of(bind(own), model, context, own.features(context)), wanted[i], atol=1e-12)


def test_pulled_back_gradients_are_those_of_the_weights() -> None:
    contexts, costs = data(8)
    found, chosen = ContextData.of(bind(shared()), list(contexts)), np.array([1, 4, 6])
    weights = np.random.default_rng(2).normal(size=found.dimension)

    def value(w):
        return ((found.thetas(w, chosen) - costs[chosen]) ** 2).sum() / len(chosen)

    gradient = found.pull_back(2.0 * (found.thetas(weights, chosen) - costs[chosen]), chosen)
    for k in range(0, found.dimension, 5):
        step = 1e-5 * np.eye(found.dimension)[k]
        assert np.isclose((value(weights + step) - value(weights - step)) / 2e-5, gradient[k], rtol=1e-5, atol=1e-4)


def test_the_regression_finds_a_linear_truth() -> None:
    contexts, costs = data(400, degree=1, noise=0.0)
    found = ContextData.of(bind(problem()), list(contexts))
    everything = np.arange(400)
    assert np.abs(found.thetas(found.regression(costs, everything), everything) - costs).max() < 0.02
    both = ContextData.of(bind(shared()), list(contexts))
    values = costs + both.shared @ np.array([3.0, -1.0])
    assert np.abs(both.thetas(both.regression(values, everything), everything) - values).max() < 0.1


def test_a_column_that_never_changes_or_comes_twice_is_no_trouble() -> None:
    contexts, costs = data(30)
    wide = np.column_stack([contexts, contexts[:, 0], np.full(30, 7.0)])
    found = ContextData.of(bind(problem()), list(wide))
    assert np.isfinite(found.regression(costs, np.arange(30))).all()


def test_inputs_and_shared_features_have_spread_one() -> None:
    """But for what never changes, which stays 0 in units of its own."""
    contexts, _ = data(30)
    found = ContextData.of(bind(shared()), list(np.column_stack([contexts, np.full(30, 7.0)])))
    assert np.allclose(found.inputs.std(axis=0), [1.0, 1.0, 1.0, 0.0, 0.0])
    assert np.allclose(found.shared.std(axis=(0, 1)), 1.0)
    assert found.spread[-1] == 1.0


def test_names_what_is_wrong() -> None:
    with rejects(InputError, "expected one size", where="instance 1"):
        ContextData.of(bind(problem()), [np.ones(3), np.ones(2)])
    with rejects(InputError, "finite"):
        ContextData.of(bind(problem()), [np.array([1.0, np.nan])])
