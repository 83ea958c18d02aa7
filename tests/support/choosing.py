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
