"""The generic evaluator: any problem, in this process, by its five methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Evaluator
from colayer.evaluators.visit import LoadedInstance, Visits
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import Problem, X, Y, Z

R = TypeVar("R")


class LocalEvaluator(Generic[X, Y, Z]):
    """Features are computed once and kept; each loss is one pass θ → y → z → cost, or the best of several rounds."""

    def __init__(self, problem: Problem[X, Y, Z], instances: Sequence[X], rounds: int = 1) -> None:
        self.problem: BoundProblem[X, Y, Z] = bind(problem)
        self.rounds = rounds
        self.instances = list(instances)
        self.features = [self.problem.features(instance) for instance in self.instances]
        self.scales = np.array([self.problem.scale(instance) for instance in self.instances])

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        columns = [
            self.problem.costs(features, weights, instance, self.rounds) / scale
            for features, instance, scale in zip(self.features, self.instances, self.scales, strict=True)
        ]
        return np.ascontiguousarray(np.array(columns).T)

    def map_features(self, work: Callable[[NDArray[Any]], R]) -> list[R]:
        """See `statistics.MapsFeatures`."""
        return [work(features.T) for features in self.features]

    def visit(self, work: Callable[[LoadedInstance[X, Y, Z]], R], chosen: Sequence[int]) -> list[R]:
        """See `visit.Visits`."""
        return [work(self.loaded(x, x)) for x in chosen]

    def loaded(self, x: int, number: int) -> LoadedInstance[X, Y, Z]:
        """Return instance x with its features, under the number it has elsewhere."""
        return LoadedInstance(
            number, self.problem, self.instances[x], self.features[x].T, float(self.scales[x]), self.rounds
        )

    def close(self) -> None:
        """Nothing to give back."""


def visitor(evaluator: Evaluator, problem: BoundProblem[X, Y, Z], instances: Sequence[X], rounds: int = 1) -> Visits:
    """Return the evaluator if it can be visited, else a local one, which computes the features again."""
    return evaluator if isinstance(evaluator, Visits) else LocalEvaluator(problem, instances, rounds)
