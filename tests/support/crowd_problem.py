"""A problem whose features look at the solution of the round before: jobs that crowd on the fastest machine.

Every job goes to one machine. A machine takes the square of the work it has: least total. The layer gives every job
the machine of its least θ, so that without a look at the loads all of them go to the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from colayer import BaseProblem, Size


class Crowd(BaseProblem):
    name = "crowd"
    feature_names = ("work", "load", "stay")
    homogeneous = True
    safe_weights = np.array([1.0, 0.0, 0.0])
    sizes = (Size("jobs", int, 12, "number of jobs", minimum=1),)
    fields = ("work",)

    def features(self, instance: np.ndarray, solution: np.ndarray | None = None) -> np.ndarray:
        load, stay = np.zeros_like(instance), np.zeros_like(instance)
        if solution is not None:
            stay[np.arange(len(instance)), solution] = 1.0
            load = (stay * instance).sum(axis=0) - stay * instance  # of the others
        return np.column_stack([instance.ravel(), load.ravel(), stay.ravel()])

    def layer(self, theta: np.ndarray, instance: np.ndarray) -> np.ndarray:
        return theta.reshape(instance.shape).argmin(axis=1)

    def embed(self, y: np.ndarray, instance: np.ndarray) -> np.ndarray:
        vector = np.zeros(instance.shape)
        vector[np.arange(len(y)), y] = 1.0
        return vector.ravel()

    def cost(self, solution: np.ndarray, instance: np.ndarray) -> float:
        work = instance[np.arange(len(solution)), solution]
        return float((np.bincount(solution, work, minlength=instance.shape[1]) ** 2).sum())

    def scale(self, instance: np.ndarray) -> float:
        return float(len(instance)) ** 2

    def generate(self, seed: int | np.random.SeedSequence, jobs: int = 12) -> np.ndarray:
        random = np.random.default_rng(seed)
        return random.uniform(1.0, 2.0, (jobs, 1)) * random.uniform(0.5, 1.5, (jobs, 3)) + np.array([0.0, 0.5, 1.0])

    def read(self, document: Mapping[str, Any]) -> np.ndarray:
        return np.asarray(document["work"], dtype=float)

    def write(self, instance: np.ndarray) -> dict[str, Any]:
        return {"work": instance.tolist()}

    def write_solution(self, solution: np.ndarray, instance: np.ndarray) -> dict[str, Any]:
        return {"machine": solution.tolist()}
