"""Contexts whose costs are known, for a layer that picks some of a few."""

from __future__ import annotations

import numpy as np

from colayer import ContextProblem
from colayer.layers import TopK

SIZE = 6


def problem(**options) -> ContextProblem:
    return ContextProblem(TopK(2), size=SIZE, name="pick", **options)


def data(count: int, seed: int = 0, degree: int = 3, noise: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Return contexts and costs, polynomials of a linear function of them."""
    truth, random = np.random.default_rng(99), np.random.default_rng(seed)
    matrix = truth.normal(size=(SIZE, 3))
    contexts = random.normal(size=(count, 3))
    costs = (contexts @ matrix.T / 2 + 2.0) ** degree
    return contexts, costs * random.uniform(1 - noise, 1 + noise, costs.shape)
