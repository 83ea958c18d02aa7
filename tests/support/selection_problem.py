"""A problem without mistakes that has every optional part: the planted mistakes are changes to it.

Choose k of n projects: the least sum of prices plus the squared sum of their risks. The layer takes the k least θ.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer import BaseProblem, InputError, Size
from colayer.evaluators.local import LocalEvaluator


@dataclass(frozen=True, eq=False)
class Projects:
    price: np.ndarray
    risk: np.ndarray
    choose: int


class Selection(BaseProblem):
    name = "selection"
    feature_names = ("price", "risk", "price_times_risk")
    homogeneous = True
    safe_weights = np.array([1.0, 0.0, 0.0])
    baselines = ("cheapest", "safest")
    decoders = ("none", "swap")
    sizes = (Size("projects", int, 9, "number of projects", minimum=1),)
    fields = ("price", "risk", "choose")

    def __init__(self, decoder: str = "none") -> None:
        self.decoder = decoder

    @property
    def options(self) -> dict[str, Any]:
        return {"decoder": self.decoder}

    def features(self, instance: Projects) -> np.ndarray:
        return np.column_stack([instance.price, instance.risk, instance.price * instance.risk])

    def layer(self, theta: np.ndarray, instance: Projects) -> np.ndarray:
        return np.sort(np.argsort(theta, kind="stable")[: instance.choose])

    def embed(self, y: np.ndarray, instance: Projects) -> np.ndarray:
        vector = np.zeros(len(instance.price))
        vector[y] = 1.0
        return vector

    def target(self, solution: np.ndarray, instance: Projects) -> np.ndarray:
        return self.embed(solution, instance)

    def decode(self, y: np.ndarray, instance: Projects) -> np.ndarray:
        if self.decoder == "none":
            return y
        others = np.setdiff1d(np.arange(len(instance.price)), y)
        swaps = [np.sort(np.append(np.delete(y, i), other)) for i in range(len(y)) for other in others]
        return min([y, *swaps], key=lambda z: self.cost(z, instance))

    def cost(self, solution: np.ndarray, instance: Projects) -> float:
        return float(instance.price[solution].sum() + instance.risk[solution].sum() ** 2)

    def scale(self, instance: Projects) -> float:
        return float(instance.price.sum())

    def bound(self, instance: Projects) -> float:
        price, risk = np.sort(instance.price), np.sort(instance.risk)
        return float(price[: instance.choose].sum() + risk[: instance.choose].sum() ** 2)

    def violation(self, solution: np.ndarray, instance: Projects) -> str | None:
        chosen = len(set(solution.tolist()))
        return None if chosen == instance.choose else f"{chosen} projects, expected {instance.choose}"

    def best(self, thetas: np.ndarray, instance: Projects, seed: int) -> tuple[int, np.ndarray, float]:
        solutions = [self.decode(self.layer(theta, instance), instance) for theta in thetas]
        costs = [self.cost(solution, instance) for solution in solutions]
        row = int(np.argmin(costs))
        return row, solutions[row], costs[row]

    def baseline(self, rule: str, instance: Projects) -> np.ndarray:
        return self.layer(instance.price if rule == "cheapest" else instance.risk, instance)

    def exact(
        self, instance: Projects, time_limit: Any = None, progress: Any = None, start: Any = None
    ) -> tuple[np.ndarray, float, bool]:
        every = itertools.combinations(range(len(instance.price)), instance.choose)
        solution = min(map(np.array, every), key=lambda z: self.cost(z, instance))
        return solution, self.cost(solution, instance), True

    def evaluator(self, instances: Sequence[Projects]) -> LocalEvaluator:
        return LocalEvaluator(self, instances)

    def generate(self, seed: int | np.random.SeedSequence, projects: int = 9) -> Projects:
        rng = np.random.default_rng(seed)
        return Projects(rng.uniform(1, 5, projects), rng.uniform(0, 1, projects), (projects + 1) // 2)

    def read(self, document: Mapping[str, Any]) -> Projects:
        price, risk = (np.array(document[key], dtype=float) for key in ("price", "risk"))
        return Projects(price, risk, int(document["choose"]))

    def write(self, instance: Projects) -> dict[str, Any]:
        return {"price": instance.price, "risk": instance.risk, "choose": instance.choose}

    def read_solution(self, document: Mapping[str, Any], instance: Projects) -> np.ndarray:
        chosen = np.array(document["chosen"], dtype=np.int64)
        if len(chosen) != instance.choose:
            raise InputError(f"{len(chosen)} projects, expected {instance.choose}", where="chosen")
        return chosen

    def write_solution(self, solution: np.ndarray, instance: Projects) -> dict[str, Any]:
        return {"chosen": solution}


class Tables(Selection):
    """With instances and solutions as columns."""

    def instance(self, table: Mapping[str, Sequence[float]], choose: int = 1) -> Projects:
        price, risk = (np.array(table[name], dtype=float) for name in ("price", "risk"))
        return Projects(price, risk, choose)

    def table(self, solution: np.ndarray, instance: Projects) -> dict[str, list[Any]]:
        return {"project": solution.tolist(), "price": instance.price[solution].tolist()}


def instances(count: int = 5) -> list[Projects]:
    return [Selection().generate(seed, projects=6 + seed) for seed in range(count)]
