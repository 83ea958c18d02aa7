"""The Fenchel-Young loss of a perturbed layer.

Berthet, Blondel, Teboul, Cuturi, Vert and Bach (2020), Learning with differentiable perturbed optimizers; the
multiplicative form: Dalle, Baty, Bouvier and Parmentier (2022), Learning with combinatorial optimization layers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import OptionError
from colayer.learning.imitation.example import Example, Solve, inner
from colayer.learning.imitation.fit import Demonstration
from colayer.learning.options import one_of, positive
from colayer.problem.protocol import X, Y, Z

PERTURBATIONS = ("additive", "multiplicative")


def fenchel_young(theta: Floats, target: Floats, solve: Solve, Z: Floats, epsilon: float = 1.0) -> tuple[float, Floats]:
    """Additive: ⟨θ, ȳ⟩ − mean_k min_y ⟨θ + εZ_k, y⟩, and the gradient ȳ − mean_k y*(θ + εZ_k).

    Convex in θ. With antithetic rows of Z (each with its opposite) the value is ≥ 0 for any ȳ that is a mean of
    solutions, because the mean of the minima is at most the minimum at the mean, θ; with others it need not be.
    """
    least = np.empty(len(Z))
    mean = np.zeros(len(theta))
    for k, z in enumerate(Z):
        perturbed = theta + epsilon * z
        y = solve(perturbed)
        least[k] = inner(perturbed, y)
        mean += y
    return inner(theta, target) - math.fsum(least) / len(Z), target - mean / len(Z)


def multiplicative_fenchel_young(
    theta: Floats, target: Floats, solve: Solve, Z: Floats, epsilon: float = 1.0
) -> tuple[float, Floats]:
    """θ is multiplied by r_k = e^{εZ_k − ε²/2}, of mean 1, which keeps signs: for layers that need θ > 0.

    ⟨θ, ȳ⟩ − mean_k min_y ⟨θ ⊙ r_k, y⟩, and the gradient ȳ − mean_k r_k ⊙ y*(θ ⊙ r_k).
    """
    least = np.empty(len(Z))
    mean = np.zeros(len(theta))
    for k, z in enumerate(Z):
        factor = np.exp(epsilon * z - epsilon**2 / 2)
        y = factor * solve(theta * factor)
        least[k] = inner(theta, y)
        mean += y
    return inner(theta, target) - math.fsum(least) / len(Z), target - mean / len(Z)


@dataclass(frozen=True, kw_only=True)
class FenchelYoung(Demonstration):
    """Imitation through a perturbed layer: any layer with `embed`, from solutions.

    `epsilon` is the size of the perturbation of θ, `samples` the number of layer calls for each instance and pass;
    their draws are fixed (a sample average) and come with their opposites if `antithetic`.
    """

    epsilon: float = 1.0
    samples: int = 20
    perturbation: str = "additive"
    antithetic: bool = True

    name: ClassVar[str] = "fenchel-young"

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "epsilon")
        if self.samples < 1 or (self.antithetic and self.samples % 2):
            expected = "an even number" if self.antithetic else "at least 1"
            raise OptionError(f"{self.samples} samples, expected {expected}", where="--method")
        one_of(self, "perturbation", PERTURBATIONS)
        if self.homogeneous and self.optimizer != "adam":
            raise OptionError("a multiplicative perturbation is learned with the optimizer adam", where="--method")

    @property
    def homogeneous(self) -> bool:
        """True for the multiplicative perturbation."""
        return self.perturbation == "multiplicative"

    def loss(self, theta: Floats, example: Example[X, Y, Z]) -> tuple[float, Floats]:
        """See `Demonstration.loss`."""
        if self.antithetic:
            half = example.draws(self.samples // 2)
            Z = np.concatenate([half, -half])
        else:
            Z = example.draws(self.samples)
        form = multiplicative_fenchel_young if self.homogeneous else fenchel_young
        return form(theta, example.target, example.solve, Z, self.epsilon)
