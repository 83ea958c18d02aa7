"""What a model adds to θ: nothing, what one network says, or what networks say that follow one another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.models import ContextModel, LinearModel
from colayer.models.inputs import scaled_features
from colayer.models.stage import Stage
from colayer.problem.bind import bind
from colayer.problem.structure import Order
from colayer.problem.theta import correction_of, theta_of
from colayer.problems import SingleMachine
from support.stages import drawn_arrays


class Watched(SingleMachine):
    """Keeps the answers that it is told."""

    def __init__(self) -> None:
        super().__init__("27")
        self.answers: list[Any] = []

    def structure(self, instance: Any, y: Any = None) -> Order:
        self.answers.append(y)
        return super().structure(instance, y)


def network(problem: SingleMachine, *, later: int = 0) -> ContextModel:
    """Networks that change θ by about one processing time, and `later` ones that look at what was made."""
    d, relations = len(problem.feature_names), ("order",)
    first = inputs(d, 4)
    return ContextModel(
        feature_names=problem.feature_names,
        weights=0.1 * np.random.default_rng(0).normal(size=d),
        feature_scale=np.full(d, 2.0),
        problem=problem.name,
        options=problem.options,
        center=np.zeros(d),
        relations=relations,
        dilations=(1, 2),
        arrays=drawn_arrays(relations, first),
        then=tuple(
            Stage.of(relations, (1, 4), drawn_arrays(relations, inputs(d, 5), heads=5, seed=seed), "weights")
            for seed in range(later)
        ),
    )


def inputs(features: int, positions: int) -> int:
    """Features, and positions and four sizes of a row and of six neighbours."""
    return features + 7 * (positions + 4) - 1


@pytest.fixture(name="instance", scope="module")
def _instance() -> Any:
    return SingleMachine.generate(1, jobs=40, rho=1.0)


def test_a_linear_model_adds_nothing(instance: Any) -> None:
    problem = Watched()
    features = problem.features(instance)
    made = network(problem)
    linear = LinearModel(made.feature_names, made.weights, made.feature_scale, made.problem)
    assert correction_of(bind(problem), linear, instance, features) is None
    assert theta_of(bind(problem), linear, instance, features).tolist() == linear.theta(features).tolist()
    assert problem.answers == []


def test_one_network_sees_the_instance_alone(instance: Any) -> None:
    problem = Watched()
    features, model = problem.features(instance), network(problem)
    structure = (SingleMachine("27").structure(instance),)
    found = correction_of(bind(problem), model, instance, features)
    assert found is not None
    assert found.tolist() == model.correction(features, structure).tolist()
    assert theta_of(bind(problem), model, instance, features).tolist() == model.theta(features, structure).tolist()
    assert problem.answers == [None, None]


def test_a_second_network_sees_the_answer_to_the_first(instance: Any) -> None:
    problem = Watched()
    features, model = problem.features(instance), network(problem, later=1)
    theta = theta_of(bind(problem), network(problem), instance, features)
    sequence = problem.layer(theta, instance)
    problem.answers.clear()
    found = correction_of(bind(problem), model, instance, features)
    assert problem.answers[0] is None
    assert [one.tolist() for one in problem.answers[1:]] == [sequence.tolist()]
    assert found is not None
    structure = (SingleMachine("27").structure(instance, sequence),)
    expected = model.then[0].added(scaled_features(features, model.feature_scale, model.center), structure)
    assert np.allclose(found, expected - features @ model.raw())  # it starts from its positions alone
    whole = theta_of(bind(problem), model, instance, features)
    assert np.allclose(whole, expected)
    assert problem.layer(whole, instance).tolist() != sequence.tolist()


def test_a_third_network_sees_the_answer_to_the_second(instance: Any) -> None:
    problem = Watched()
    features = problem.features(instance)
    expected = [
        problem.layer(theta_of(bind(problem), network(problem, later=later), instance, features), instance).tolist()
        for later in (0, 1)
    ]
    problem.answers.clear()
    theta_of(bind(problem), network(problem, later=2), instance, features)
    assert [one.tolist() for one in problem.answers[1:]] == expected


@pytest.mark.parametrize("decoder", ["none", "ls"])
@pytest.mark.parametrize("later", [0, 1, 2])
def test_solve_goes_through_every_network(instance: Any, later: int, decoder: Any) -> None:
    problem = SingleMachine("27", decoder)
    model = network(problem, later=later)
    theta = theta_of(bind(problem), model, instance, problem.features(instance))
    expected = problem.decode(problem.layer(theta, instance), instance)
    solved = Pipeline.from_model(problem, model, safe=False).solve(instance)
    assert solved.cost == problem.cost(expected, instance)
    assert solved.solution.tolist() == expected.tolist()
