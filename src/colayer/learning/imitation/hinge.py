"""The structured hinge loss: the target must win by a margin that grows with the distance.

Tsochantaridis, Joachims, Hofmann and Altun (2005), Large margin methods for structured and interdependent output
variables; Nowozin and Lampert (2011), Structured learning and prediction in computer vision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.learning.imitation.example import Example, Solve, inner
from colayer.learning.imitation.fit import Demonstration
from colayer.problem import guard
from colayer.problem.protocol import X, Y, Z


def hinge(theta: Floats, target: Floats, solve: Solve, augmented: Floats, constant: float) -> tuple[float, Floats]:
    """max_y [⟨θ, ȳ⟩ − ⟨θ, y⟩ + Δ(y, ȳ)] and its subgradient ȳ − y, by one call of the layer at θ′ = `augmented`.

    θ′ and a = `constant` are such that ⟨θ, y⟩ − Δ(y, ȳ) = ⟨θ′, y⟩ − a for every y. Convex in θ, and ≥ 0 for any ȳ that
    is a mean of solutions.
    """
    y = solve(augmented)
    return inner(theta, target) - inner(augmented, y) + constant, target - y


@dataclass(frozen=True, kw_only=True)
class Hinge(Demonstration):
    """Large margin: one loss-augmented layer call for each instance and pass; the problem's `augmented` says which."""

    name: ClassVar[str] = "hinge"

    def loss(self, theta: Floats, example: Example[X, Y, Z]) -> tuple[float, Floats]:
        """See `Demonstration.loss`."""
        problem, target = example.problem, example.target
        if problem.augmented is not None:
            answer = problem.augmented(theta, target, example.instance)
            what = f"augmented of {problem.name}"
            given, constant = guard.parts(answer, 2, what, "(θ, a number)")
            augmented = guard.vector(given, len(theta), what)
            return hinge(theta, target, example.solve, augmented, guard.finite(constant, what))
        value, gradient = hinge(theta, target, example.solve, *hamming(theta, target))
        y = target - gradient
        if ((abs(y) > 1e-9) & (abs(y - 1.0) > 1e-9)).any():
            raise InputError(f"embed of {problem.name} is not 0/1: the hinge loss needs an `augmented` of its own")
        return value, gradient


def hamming(theta: Floats, target: Floats) -> tuple[Floats, float]:
    """θ′ and a for the Hamming distance of 0/1 vectors, Δ = Σ_i |y_i − ȳ_i| = Σ_i ȳ_i + ⟨1 − 2ȳ, y⟩."""
    return theta - (1.0 - 2.0 * target), float(target.sum())
