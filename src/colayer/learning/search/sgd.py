"""Stochastic gradient descent on the smoothed loss L_s(w) = E ℓ(w + sZ), Z standard Gaussian.

ℓ is piecewise constant and has no useful gradient; L_s is smooth, with ∇L_s(w) = E[ℓ(w + sZ) Z]/s (paper, section 3).
Steps are Adam's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.learning.adam import Adam
from colayer.learning.options import at_least_one, positive
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Portion, Task, ball, size


@dataclass(frozen=True)
class Sgd(Experience):
    """Adam on a smoothed loss, from the task's safe weights (0 where it has none), which are the first evaluation.

    Each step draws `pairs` directions Z_j and evaluates w, w + sZ_j and w − sZ_j in one batch: the antithetic
    differences Σ_j (ℓ(w + sZ_j) − ℓ(w − sZ_j)) Z_j/(2 s·pairs) estimate the gradient, and any baseline cancels in them.
    `spread`, for s, and `rate`, for the step of Adam, are fractions of the root mean square of the start (of the radius
    where that is 0); the rate falls as the inverse square root of the steps. Weights keep to the ball of the radius, or
    of twice the start's largest weight where the start lies outside.
    """

    spread: float = 0.03
    rate: float = 0.03
    pairs: int = 8

    name: ClassVar[str] = "sgd"

    def __post_init__(self) -> None:
        positive(self, "spread", "rate")
        at_least_one(self, "pairs")

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Descend until the evaluations of the task are spent."""
        start = np.zeros(task.dimension) if task.safe is None else np.array(task.safe)
        Portion(evaluate, task.evaluations).spend(lambda portion: self._descend(portion, task, start))

    def _descend(self, portion: Portion, task: Task, w: Floats) -> None:
        scale, radius = size(w, task), ball(task, w)
        spread = self.spread * scale
        random = seeds.generator(task.seed, seeds.SGD)
        adam = Adam(task.dimension)
        while True:
            Z = random.standard_normal((self.pairs, task.dimension))
            losses = portion(np.vstack([w[None, :], w + spread * Z, w - spread * Z]))
            ahead, behind = losses[1 : self.pairs + 1], losses[self.pairs + 1 :]
            gradient = np.zeros(task.dimension)
            for difference, direction in zip(ahead - behind, Z, strict=True):  # in order: no BLAS, the same bits
                gradient += difference * direction / (2.0 * spread * self.pairs)
            w = np.clip(w - adam.step(gradient, self.rate * scale / math.sqrt(adam.steps + 1)), -radius, radius)
