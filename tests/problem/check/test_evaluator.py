"""Evaluators that differ from the five methods: the check finds each mistake, alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from colayer.evaluators.local import LocalEvaluator
from colayer.problem.check import check_problem
from support.planted import assert_found, only_failure
from support.selection_problem import Selection, instances


class Fused(LocalEvaluator):
    """An evaluator of one's own, with arithmetic that a mistake may change."""

    def theta(self, features, weights):
        total = np.zeros(len(features))
        for column, weight in zip(features.T, weights, strict=True):
            total += weight * column
        return total

    def loss(self, cost, scale):
        return cost / scale

    def losses(self, weights):
        out = np.empty((len(weights), len(self.instances)))
        for k, row in enumerate(weights):
            for x, instance in enumerate(self.instances):
                theta = self.theta(self.features[x], row)
                solution = self.problem.decode(self.problem.layer(theta, instance), instance)
                out[k, x] = self.loss(self.problem.cost(solution, instance), self.scales[x])
        return out


class InAnotherOrder(Fused):
    def theta(self, features, weights):
        return super().theta(features[:, ::-1], weights[::-1])


class Single(Fused):
    def theta(self, features, weights):
        return super().theta(features.astype(np.float32), weights.astype(np.float32)).astype(np.float32)


class FeatureLeftOut(Fused):
    def theta(self, features, weights):
        return super().theta(features[:, :2], weights[:2])


class TimesTheInverse(Fused):
    def loss(self, cost, scale):
        return cost * (1.0 / scale)


class Rounded(Fused):
    def loss(self, cost, scale):
        return round(cost / scale, 6)


class OfTheBatch(Fused):
    """Few weight vectors take another path."""

    def losses(self, weights):
        return super().losses(weights) * (1.0 if len(weights) > 30 else 1.0 + 1e-12)


class Transposed(Fused):
    def losses(self, weights):
        return super().losses(weights).T


class Forgetful(Fused):
    def losses(self, weights):
        super().losses(weights)


class VisitsInItsOwnOrder(Fused):
    def visit(self, work, chosen):
        return super().visit(work, sorted(chosen))


class VisitsOneTooFew(Fused):
    def visit(self, work, chosen):
        return super().visit(work, chosen[:-1])


class VisitsOthers(Fused):
    def loaded(self, x, number):
        return super().loaded((x + 1) % len(self.instances), number)


class VisitsInSinglePrecision(Fused):
    def loaded(self, x, number):
        loaded = super().loaded(x, number)
        return replace(loaded, matrix=loaded.matrix.astype(np.float32))


class VisitsWithoutScale(Fused):
    def loaded(self, x, number):
        return replace(super().loaded(x, number), scale=1.0)


class MapsRows(Fused):
    """The features are not transposed."""

    def map_features(self, work):
        return [work(features) for features in self.features]


class Raises(Fused):
    def losses(self, weights):
        raise KeyError("weights")


class NoEvaluator:
    def __init__(self, problem, instances):
        self.close = lambda: None


#: evaluator → words of what is said of it.
EVALUATORS: dict[Any, str] = {
    InAnotherOrder: "losses differ): let both call the same code; add up θ feature by feature",
    Single: "losses differ): let both call the same code",
    FeatureLeftOut: "losses differ): let both call the same code",
    TimesTheInverse: "losses differ): let both call the same code",
    Rounded: "losses differ): let both call the same code",
    OfTheBatch: "given without the others, or to two workers",
    Transposed: "losses of the evaluator returned an array of float64 of shape (5,",
    Forgetful: "losses of the evaluator returned None, expected an array",
    VisitsInItsOwnOrder: "instance 4: visit of the evaluator shows instance 0 instead",
    VisitsOneTooFew: "visit of the evaluator answers for ",
    VisitsOthers: "visit of the evaluator shows features of shape (",
    VisitsInSinglePrecision: "visit of the evaluator shows features of shape (",
    VisitsWithoutScale: "visit of the evaluator shows the scale 1.0: hand over",
    MapsRows: "map_features of the evaluator shows features of shape (6, 3) that differ",
    Raises: "the evaluator of selection raised KeyError: 'weights' (test_evaluator.py, line",
    NoEvaluator: "evaluator of selection returned a NoEvaluator, expected an object with losses",
}


def evaluated(kind: Any, decoder: str = "none") -> Any:
    """The problem with an evaluator of this kind."""

    class Evaluated(Selection):
        def __reduce__(self):
            return evaluated, (kind, self.decoder)

        def evaluator(self, instances):
            return kind(self, instances)

    return Evaluated(decoder)


@pytest.mark.parametrize("kind", EVALUATORS, ids=lambda kind: kind.__name__)
def test_an_evaluator_that_differs_from_the_five_methods_is_found(kind: Any) -> None:
    failure = only_failure(evaluated(kind))
    assert failure.check == "evaluator"
    assert EVALUATORS[kind] in failure.detail


def test_an_evaluator_of_the_same_arithmetic_is_no_mistake() -> None:
    report = check_problem(evaluated(Fused), instances())
    assert report.ok, str(report)


class EvaluatorOfOneInstance(Selection):
    def evaluator(self, instances):
        return LocalEvaluator(self, instances[:1])


def test_an_evaluator_of_other_instances_is_found() -> None:
    assert_found(
        EvaluatorOfOneInstance(), "evaluator", "losses of the evaluator returned an array of float64 of shape ("
    )


OPENED: list[Any] = []


class Counted(Fused):
    def __init__(self, problem, instances):
        super().__init__(problem, instances)
        OPENED.append(self)

    def close(self):
        OPENED.remove(self)


def test_evaluators_are_closed() -> None:
    assert check_problem(evaluated(Counted), instances(2), decoder="none").ok
    assert OPENED == []


class Constant(Selection):
    def features(self, instance):
        return super().features(instance) * (1.0, 1.0, 0.0) + (0.0, 0.0, 1.0)


def test_a_feature_that_is_the_same_everywhere_is_no_mistake() -> None:
    report = check_problem(Constant(), instances(2), decoder="none")
    assert report.ok, str(report)
