"""Networks, data and a problem of known answers for the tests of the extra `neural`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from colayer.learning.network.module import Network
from colayer.problem.protocol import BaseProblem


def network(context: bool = False, d: int = 5, hidden: tuple[int, ...] = (6, 4), seed: int = 0) -> Network:
    """One whose last layer is not 0, so that it does something."""
    random = np.random.default_rng(seed)
    made = Network(random.normal(size=d), random.normal(size=d), hidden, context, seed)
    with torch.no_grad():
        made.matrices[-1].copy_(torch.tensor(random.normal(size=made.matrices[-1].shape)))
        made.biases[-1].copy_(torch.tensor(random.normal(size=d + 1)))
    return made


def described(d: int = 5, scale: Any = None) -> dict[str, Any]:
    """The fields of a model beside those of the network."""
    names = tuple(f"f{k}" for k in range(d))
    return {"feature_names": names, "feature_scale": np.ones(d) if scale is None else scale, "problem": "toy"}


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
