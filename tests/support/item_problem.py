"""Pick a number: the smallest problem that contenders can race on, whose instances can keep what was left in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from colayer import BaseProblem
from colayer.comparison.contender import Contender
from colayer.comparison.trajectory import Attempt


@dataclass
class Item:
    values: list[float]
    cache: dict[str, int] = field(default_factory=dict)


class PickItem(BaseProblem):
    """A solution is the place of a number, its cost the number. No weights, no baselines, no models."""

    name = "pick"
    feature_names = ("value",)

    def features(self, instance: Item) -> Any:
        return np.array(instance.values)[:, None]

    def layer(self, theta: Any, instance: Item) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: Item) -> float:
        return instance.values[solution]


class Even(PickItem):
    """A solution that is not even is none, as the problem itself can tell."""

    def violation(self, solution: int, instance: Item) -> str | None:
        return "odd" if solution % 2 else None


class Written(PickItem):
    """The same, told by its solution files alone."""

    def write_solution(self, solution: int, instance: Item) -> dict[str, Any]:
        return {"pick": solution}

    def read_solution(self, document: Any, instance: Item) -> int:
        if document["pick"] % 2:
            raise ValueError("odd")
        return int(document["pick"])


def attempting(name: str, *solutions: tuple[float, int], kind: Any = "rule") -> Contender[Item, int]:
    """A contender that hands in these solutions, (seconds, place), whatever the instance is."""
    return Contender(name, lambda instance, limit: Attempt(list(solutions)), kind)


def calling(name: str, attempt: Callable[[Item, float], Attempt[int]], kind: Any = "rule") -> Contender[Item, int]:
    """A contender that is a function of instance and time limit."""
    return Contender(name, attempt, kind)
