"""Flow shops: a problem with a textbook rule that learning cannot beat, as a file of a user's would have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from colayer import BaseProblem


class FlowShop(BaseProblem):
    """Order jobs on two machines: the least makespan. Johnson's rule is optimal, and one feature sorts by it."""

    name = "flow-shop"
    feature_names = ("first", "second", "johnson")
    homogeneous = True
    baselines = ("johnson",)

    def features(self, instance: np.ndarray) -> np.ndarray:
        first, second = instance
        rank = np.empty(len(first))
        rank[self.baseline("johnson", instance)] = np.arange(len(first))
        return np.column_stack([first, second, rank])

    def layer(self, theta: np.ndarray, instance: np.ndarray) -> np.ndarray:
        return np.argsort(theta, kind="stable")

    def cost(self, solution: np.ndarray, instance: np.ndarray) -> float:
        ready = done = 0.0
        for job in solution:
            ready += instance[0, job]
            done = max(done, ready) + instance[1, job]
        return float(done)

    def baseline(self, rule: str, instance: np.ndarray) -> np.ndarray:
        first, second = instance
        return np.argsort(np.where(first < second, first, 1e6 - second), kind="stable")

    def group(self, instance: np.ndarray) -> dict[str, float]:
        return {"jobs": float(instance.shape[1])}

    def generate(self, seed: Any) -> np.ndarray:
        return np.random.default_rng(seed).integers(1, 100, (2, 8)).astype(float)

    def read(self, document: Mapping[str, Any]) -> np.ndarray:
        return np.array(document["times"], dtype=float)

    def write(self, instance: np.ndarray) -> dict[str, Any]:
        return {"times": instance}


def shops(first: int, count: int) -> list[np.ndarray]:
    return [FlowShop().generate(seed) for seed in range(first, first + count)]
