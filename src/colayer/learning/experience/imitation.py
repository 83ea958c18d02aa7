"""The gradient of structured reinforcement learning at one instance: towards the best of one's own perturbed solutions.

With θ = Φw, draws Z_1..Z_K and s = σ·std(θ), let y_k solve the layer at θ + sZ_k and C_k be its cost, decoded. The
weights q = softmax(−C/(τ·std C)) lean towards the cheap ones, and

    g = Σ_k (q_k − 1/K)·embed(y_k)

is the Fenchel-Young gradient, with respect to θ, whose target is Σ_k q_k·embed(y_k): it needs no labels and goes
through any decoder (arXiv 2505.19053; its primal-dual reading: arXiv 2505.04757). It is divided by its mean size, so
that instances of all sizes count alike, and chained through Φ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from colayer import answers
from colayer.capabilities import Embeds, SolvesMany, need
from colayer.compose import cost_of, decode_of, layer_of
from colayer.errors import InputError
from colayer.faults import calling
from colayer.held import Held
from colayer.problem import Floats, Problem, X, Y, Z

_SPAWN_KEY = 0x51A1


@dataclass(frozen=True, eq=False)
class Imitation:
    """One pass at weights w, in raw feature units; called with an instance it gives the gradient in w.

    `sigma` is relative to the spread of θ, `temperature` to the spread of the costs. Draws depend on the seed, the pass
    and the number of the instance.
    """

    weights: Floats
    draws: int
    sigma: float
    temperature: float
    seed: int
    number: int

    def __call__(self, held: Held[X, Y, Z]) -> Floats:
        """Φᵀg; 0 where all draws cost the same."""
        theta = _theta(held, self.weights)
        spread = float(theta.std())
        sequence = np.random.SeedSequence(self.seed, spawn_key=(_SPAWN_KEY, self.number, held.number))
        drawn = np.random.default_rng(sequence).standard_normal((self.draws, len(theta)))
        drawn *= self.sigma * spread if spread > 0.0 else self.sigma
        drawn += theta
        lean = _Lean(self.temperature)
        gradient = lean.towards_the_best(held.problem, drawn, held.instance)
        size = float(np.abs(gradient).mean())
        if size == 0.0:
            return np.zeros(len(self.weights))
        gradient /= size
        return np.array([float((row * gradient).sum()) for row in held.matrix])


@dataclass(frozen=True)
class _Lean:
    """Σ_k (q_k − 1/K)·embed(y_k) over the rows of θ, by the problem's own compiled path where it has one."""

    temperature: float

    def towards_the_best(self, problem: Problem[X, Y, Z], many: Floats, instance: X) -> Floats:
        if isinstance(problem, SolvesMany):
            ys, costs = problem.solved(many, instance)
            coefficients = self._coefficients(costs)
            return np.zeros(many.shape[1]) if coefficients is None else problem.mixed(ys, coefficients, instance)
        embeds = need(problem, Embeds, why="srl needs it")
        solved = [layer_of(problem, theta, instance) for theta in many]
        costs = np.array([cost_of(problem, decode_of(problem, y, instance), instance) for y in solved])
        total, coefficients = np.zeros(many.shape[1]), self._coefficients(costs)
        if coefficients is None:
            return total
        for y, coefficient in zip(solved, coefficients, strict=True):
            with calling(problem, "embed"):
                given = embeds.embed(y, instance)
            total += coefficient * answers.vector(given, len(total), f"embed of {problem.name}")
        return total

    def _coefficients(self, costs: Floats) -> Floats | None:
        """q − 1/K; None where the costs do not differ."""
        spread = float(costs.std())
        if spread == 0.0:
            return None
        q: Floats = np.exp(-(costs - costs.min()) / (self.temperature * spread))
        lean: Floats = q / q.sum() - 1.0 / len(costs)
        return lean


def _theta(held: Held[X, Y, Z], weights: Floats) -> Floats:
    """θ, feature by feature."""
    theta = np.zeros(held.matrix.shape[1])
    for row, weight in zip(held.matrix, weights.tolist(), strict=True):
        theta += weight * row.astype(np.float64)
    if not np.isfinite(theta).all():
        raise InputError("θ is not finite, expected smaller features, or smaller weights")
    return theta
