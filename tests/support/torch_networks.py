"""Data and a problem of known answers for the tests of the extra `neural`."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.problem.protocol import BaseProblem


def data(problem: Any, count: int, seed: int = 11, **sizes: int) -> list[Any]:
    """Instances by seed."""
    return [problem.generate(np.random.SeedSequence([seed, k]), **sizes) for k in range(count)]


class Line(BaseProblem):
    """θ itself is the solution, its squared distance from the instance the cost: known in closed form."""

    name = "line"
    feature_names = ("one", "x")

    def features(self, instance: Any) -> Any:
        return np.column_stack([np.ones(len(instance)), np.arange(len(instance)) / len(instance)])

    def layer(self, theta: Any, instance: Any) -> Any:
        return theta

    def cost(self, solution: Any, instance: Any) -> float:
        return float(((solution - instance) ** 2).sum())
