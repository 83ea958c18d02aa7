"""Searches in the paper's set-up: of the whole ball, in the units of the features, or without some of the features."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.learning.search.optimizer import Evaluate, Optimizer, Task


@dataclass(frozen=True)
class _Inside:
    """A search by another method, whose name it has."""

    method: Optimizer

    @property
    def name(self) -> str:
        """That of the method."""
        return self.method.name


@dataclass(frozen=True)
class Blind(_Inside):
    """A method kept from the safe weights: it searches the whole ball, as the paper's methods do."""

    def options(self) -> dict[str, Any]:
        """The method's, and that it is blind."""
        return {**self.method.options(), "safe": False}

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search without the safe weights."""
        self.method.minimize(evaluate, dataclasses.replace(task, safe=None))


@dataclass(frozen=True)
class Raw(_Inside):
    """A method whose ball is one of weights of the features as they are, not of features of standard deviation 1."""

    def options(self) -> dict[str, Any]:
        """The method's, and the units."""
        return {**self.method.options(), "units": "raw", "safe": False}

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search the ball of raw weights; w raw is w·scale in model units."""
        self.method.minimize(
            lambda weights: evaluate(weights * task.scale), dataclasses.replace(task, safe=None, scale=1.0)
        )


@dataclass(frozen=True)
class Without(_Inside):
    """A method that leaves the weights of some features, by their numbers, at 0."""

    features: tuple[int, ...]

    def options(self) -> dict[str, Any]:
        """The method's, and the features."""
        return {**self.method.options(), "without": list(self.features)}

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search the ball of the other weights."""
        kept = np.delete(np.arange(task.dimension), self.features)

        def widened(weights: Floats) -> Floats:
            whole = np.zeros((len(weights), task.dimension))
            whole[:, kept] = weights
            return evaluate(whole)

        scale = task.scale if isinstance(task.scale, float) else task.scale[kept]
        self.method.minimize(widened, dataclasses.replace(task, dimension=len(kept), safe=None, scale=scale))
