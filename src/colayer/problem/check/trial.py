"""The problem on trial, and what the pipeline makes of sampled θ."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.models import thetas
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.check.report import Skip
from colayer.problem.protocol import SomeProblem

#: Instances that are looked at closely; features and scale are checked on all.
MOST_INSTANCES = 6
#: θ of each instance that go through the whole pipeline.
SAMPLES = 10
#: Seconds that the exact solver gets, on the smallest instances.
EXACT_SECONDS = 1.0
EXACT_INSTANCES = 2


@dataclass(frozen=True)
class Sample:
    """One θ of one instance and what the pipeline makes of it."""

    index: int
    theta: Floats
    y: Any
    solution: Any
    cost: float


class Trial:
    """A problem with its instances, bound so that every exception of its methods is an `InputError`."""

    def __init__(self, problem: SomeProblem, instances: Sequence[Any], seed: int) -> None:
        #: What is wrong with the attributes.
        self.mistakes: list[InputError] = []
        self.problem: BoundProblem[Any, Any, Any] = bind(problem, self.mistakes)
        #: Whether `feature_names` is wrong: then nothing else can be looked at.
        self.unnamed = bool(self.mistakes) and not self.problem.feature_names
        self.instances = list(instances)
        self.seed = seed
        #: A copy made before any method was called.
        self.untouched = copied(problem)
        #: The instance that is looked at, which a finding names; None where it is about all.
        self.current: int | None = None
        self._features: dict[int, NDArray[Any]] = {}
        self._exact: dict[int, tuple[Any, float]] = {}

    @property
    def chosen(self) -> range:
        """The instances that are looked at closely."""
        return range(min(MOST_INSTANCES, len(self.instances)))

    def each(self, indices: Sequence[int] | None = None) -> Iterator[int]:
        """Yield the instances checked closely, or these, and make each the `current` one."""
        before = self.current
        for index in self.chosen if indices is None else indices:
            self.current = index
            yield index
        self.current = before

    def each_sample(self) -> Iterator[Sample]:
        """Yield the samples, and make the instance of each the `current` one."""
        samples = self.samples
        for index in self.each():
            yield from (sample for sample in samples if sample.index == index)

    def rng(self, *key: int) -> np.random.Generator:
        """Return a generator that depends on the seed and the key alone."""
        return np.random.default_rng([self.seed, *key])

    def has(self, *methods: str) -> bool:
        """Tell whether the problem has these optional methods."""
        return all(getattr(self.problem, method) is not None for method in methods)

    def need(self, *methods: str) -> None:
        """Skip the check if the problem lacks one of these optional methods."""
        for method in methods:
            if not self.has(method):
                raise Skip(f"the problem has no {method}")

    def vector(self, method: str, index: int, given: Any) -> Floats:
        """Return what `embed` or `target` makes of y or of a solution: a finite number per row of the features."""
        return self.problem.vector(method, self.rows[index], given, self.instances[index])

    def features(self, index: int) -> NDArray[Any]:
        """Return φ of an instance, computed once, on a copy of it."""
        if index not in self._features:
            self._features[index] = np.array(self.problem.features(copied(self.instances[index])))
        return self._features[index]

    @cached_property
    def rows(self) -> list[int]:
        """|I(x)| of the instances looked at closely."""
        return [len(self.features(index)) for index in self.chosen]

    def thetas(self, index: int, count: int = SAMPLES, *key: int) -> Floats:
        """Return θ as in learning: from random weights, and 0; then whole numbers (with ties), free, one sign.

        The first is from random weights, the second is 0: the middle of the ball in which weights are searched.
        """
        features, rng = self.features(index), self.rng(1, index, *key)
        d = features.shape[1]
        spread = features.std(axis=0, dtype=np.float64)
        weights = rng.normal(size=(count, d)) / np.where(spread > 0, spread, 1.0)
        many = thetas(features, weights)
        many[1::4] = rng.integers(-2, 3, size=many[1::4].shape)
        many[2::4] = rng.normal(size=many[2::4].shape)
        many[3::4] = rng.exponential(size=many[3::4].shape) * np.where(np.arange(len(many[3::4])) % 2, -1, 1)[:, None]
        if count > 1:
            many[1] = 0.0
        return many

    def layer(self, index: int, theta: Floats) -> Any:
        """Return y; the layer gets its own copies of θ and the instance."""
        return self.problem.layer(theta.copy(), copied(self.instances[index]))

    def decode(self, index: int, y: Any) -> Any:
        """Return the solution of y, decoded on a copy of the instance."""
        return self.problem.decode(y, copied(self.instances[index]))

    def cost(self, index: int, solution: Any) -> float:
        """Return C(z, x), computed on a copy of the instance."""
        return self.problem.cost(solution, copied(self.instances[index]))

    def sample(self, index: int, theta: Floats) -> Sample:
        """Return what the pipeline makes of θ: y, z and its cost."""
        y = self.layer(index, theta)
        solution = self.decode(index, y)
        return Sample(index, theta, y, solution, self.cost(index, solution))

    @cached_property
    def samples(self) -> list[Sample]:
        """Every instance looked at closely under some θ, through the whole pipeline."""
        return [self.sample(index, theta) for index in self.each() for theta in self.thetas(index)]

    @property
    def smallest(self) -> list[int]:
        """The instances that the exact solver gets."""
        return sorted(self.chosen, key=lambda index: self.rows[index])[:EXACT_INSTANCES]

    def best_sample(self, index: int) -> Sample:
        """Return the cheapest decoded solution of an instance."""
        return min((sample for sample in self.samples if sample.index == index), key=lambda sample: sample.cost)

    def exact(self, index: int) -> tuple[Any, float]:
        """Return the exact solver's solution and bound for an instance, computed once."""
        if index not in self._exact:
            start = self.best_sample(index).solution
            solved = self.problem.solve_exactly(self.instances[index], time_limit=EXACT_SECONDS, start=start)
            self._exact[index] = solved[:2]
        return self._exact[index]


def copied(value: Any) -> Any:
    """Return a deep copy, or the value itself where it cannot be copied."""
    try:
        return copy.deepcopy(value)
    except (Exception, SystemExit):
        return value


def losses(problem: BoundProblem[Any, Any, Any], instances: Sequence[Any], weights: Floats) -> Floats:
    """Return the losses by the five methods: one row per weight vector, one column per instance."""
    return np.array([problem.costs(problem.features(x), weights, x) / problem.scale(x) for x in instances]).T
