"""What an optimiser is given and what it must offer; how a budget is shared between several of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import InputError, OptionError
from colayer.learning.run import Stop

#: W (k, d) → the k losses. The one who gives it counts, records, and raises `Stop` when the budget is spent.
Evaluate = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be searched, in model units, where every feature has standard deviation 1.

    `radius` is that of the L∞ ball of weights, `evaluations` the budget in loss evaluations. `safe` are weights known
    to be good, from which a local search may start; they need not lie in the ball. `instances` are how many there are
    to learn on, `scale` is what a weight is divided by for raw feature units, and in a `homogeneous` layer only the
    direction of the weights matters. `embeds` says whether solutions of the layer can be embedded, for imitation,
    and `days` whether instances are days of a dynamic problem.
    """

    dimension: int
    radius: float = 10.0
    evaluations: int = 1000
    seed: int = 0
    safe: Floats | None = None
    instances: int = 1
    scale: Floats | float = 1.0
    homogeneous: bool = False
    embeds: bool = False
    days: bool = False

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise InputError(f"{self.dimension} features, expected at least 1", where="dimension")
        if not (math.isfinite(self.radius) and self.radius > 0.0):
            raise OptionError(f"{self.radius} is out of range, expected a positive number", where="--radius")
        if self.evaluations < 1:
            raise OptionError(f"{self.evaluations} is out of range, expected at least 1", where="--evaluations")
        if self.seed < 0:
            raise OptionError(f"{self.seed} is out of range, expected at least 0", where="--seed")
        if self.safe is not None:
            safe = np.array(self.safe, dtype=np.float64)
            if safe.shape != (self.dimension,) or not np.isfinite(safe).all():
                raise InputError(f"expected {self.dimension} finite numbers", where="safe")
            safe.flags.writeable = False
            object.__setattr__(self, "safe", safe)


@runtime_checkable
class Optimizer(Protocol):
    """A black-box search for weights of low loss. Implementations are frozen: one object serves any number of runs."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    def options(self) -> dict[str, Any]:
        """What, with the task, determines the search; JSON-able, part of a journal's identity."""

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Ask for losses until `evaluate` raises `Stop`, which is let through, or until there is nothing left to ask.

        The sequence of weights asked for is a function of the task and of the losses alone.
        """


class Portion:
    """A part of the evaluations of a larger search: an `evaluate` of its own budget that remembers its best weights."""

    def __init__(self, evaluate: Evaluate, evaluations: int) -> None:
        self._evaluate = evaluate
        self.left = evaluations
        self.best: Floats | None = None
        self.loss = math.inf

    def __call__(self, W: Floats) -> Floats:
        """The losses of W; raises `Stop` where W holds more rows than are left, after evaluating those that are."""
        inside = W[: self.left]
        losses = self._evaluate(inside) if len(inside) else np.empty(0)
        self.left -= len(inside)
        if len(inside):
            k = int(np.argmin(losses))
            if losses[k] < self.loss:
                self.best, self.loss = np.array(inside[k]), float(losses[k])
        if len(inside) < len(W):
            raise Stop(self)
        return losses

    def spend(self, search: Callable[[Portion], None]) -> None:
        """Run `search` on this portion until it returns or the portion is spent."""
        try:
            search(self)
        except Stop as stop:
            if stop.by is not self:
                raise


def ball(task: Task, start: Floats) -> float:
    """The radius that a search from `start` keeps to: the task's, or twice the largest weight of a start outside."""
    largest = float(np.abs(start).max())
    return task.radius if largest <= task.radius else 2.0 * largest


def size(start: Floats, task: Task) -> float:
    """What steps from `start` are relative to: its root mean square, or the radius where it is 0."""
    return float(np.sqrt(np.mean(start**2))) or task.radius
