"""Tiny layers whose solutions can all be listed, and examples to try demonstration losses on."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from colayer.layers import sorting
from colayer.learning.imitation.example import Example
from colayer.problem.bind import bind
from colayer.problems import SingleMachine


class Choose:
    """A layer whose solutions are the rows of a table."""

    def __init__(self, rows: Any) -> None:
        self.rows = np.array(rows, dtype=np.float64)

    def __call__(self, theta: Any) -> Any:
        return self.rows[int(np.argmin(self.rows @ theta))]


SORTING = Choose([sorting.embed(np.array(order)) for order in permutations(range(4))])
PAIRS = Choose([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1]])  # 0/1, two of four
LAYERS = {"sorting": SORTING, "pairs": PAIRS}


def differences(value: Any, theta: Any, step: float = 1e-6) -> Any:
    """The gradient of `value` at θ by central differences."""
    units = step * np.eye(len(theta))
    return np.array([(value(theta + unit) - value(theta - unit)) / (2 * step) for unit in units])


def mean_target(layer: Choose, rng: np.random.Generator) -> Any:
    """A mean of solutions, with fractions."""
    return rng.dirichlet(np.ones(len(layer.rows))) @ layer.rows


def example(jobs: int = 6, *, true: Any = None) -> Example[Any, Any, Any]:
    """Jobs whose solution is their own order, and the true θ where it is given."""
    problem = SingleMachine()
    instance = problem.generate(3, jobs=jobs)
    target = problem.target(np.arange(jobs), instance)
    return Example(bind(problem), instance, target, true, np.random.SeedSequence(5))


class Items:
    """A problem of a user's, without the base class: choose the cheapest of a few items; the true costs are known."""

    name = "items"
    feature_names = ("a", "b")

    def features(self, instance: Any) -> Any:
        return instance

    def layer(self, theta: Any, instance: Any) -> int:
        return int(np.argmin(theta))

    def decode(self, y: int, instance: Any) -> int:
        return y

    def cost(self, solution: int, instance: Any) -> float:
        return float(instance[solution, 0] + 2 * instance[solution, 1])

    def scale(self, instance: Any) -> float:
        return 1.0


class Embedded(Items):
    def embed(self, y: int, instance: Any) -> Any:
        return np.eye(len(instance))[y]

    def target(self, solution: int, instance: Any) -> Any:
        return self.embed(solution, instance)


def items(count: int = 20) -> list[Any]:
    return [np.random.default_rng(k).normal(size=(6, 2)) for k in range(count)]
