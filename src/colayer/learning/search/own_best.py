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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.play import play
from colayer.evaluators.visit import LoadedInstance
from colayer.learning.search.own_best_days import drawn_epoch, solved_with_rests
from colayer.models.thetas import theta_blocks
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z
from colayer.problem.rounds import play_rounds

#: Of features and gradient at once: they stay in cache.
_PRODUCTS = 1 << 15


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

    def __call__(self, held: LoadedInstance[X, Y, Z]) -> Floats:
        """Φᵀg; 0 where all draws cost the same. In several rounds the sum over the features of each."""
        if isinstance(held.problem, BoundDynamic):
            return self._gradient_of_day(held.problem, held)
        if held.rounds == 1:
            return self._gradient(held, held.matrix, self.weights)
        rounds = play_rounds(held.problem, held.matrix.T, self.weights, held.instance, held.rounds)
        total = np.zeros(len(self.weights))
        for number, one in enumerate(rounds):
            factors = np.divide(one.weights, self.weights, out=np.ones(len(total)), where=self.weights != 0.0)
            total += factors * self._gradient(held, one.features.T, one.weights, *((number,) if number else ()))
        return total

    def _gradient(self, held: LoadedInstance[X, Y, Z], matrix: NDArray[Any], weights: Floats, *key: int) -> Floats:
        """Φᵀg at one matrix of features, and with the weights of its round."""
        random = seeds.generator(self.seed, seeds.IMITATION, self.number, held.number, *key)
        drawn = self._perturbed(matrix, weights, random)
        return _chained_alike(matrix, towards_the_best(held.problem, drawn, held.instance, self.temperature))

    def _gradient_of_day(self, problem: BoundDynamic, held: LoadedInstance[X, Y, Z]) -> Floats:
        """Φᵀg in one state of the day, drawn among those that the weights visit."""
        random = seeds.generator(self.seed, seeds.IMITATION, self.number, held.number)
        policy = problem.policy(self.weights)
        epoch = drawn_epoch(problem, play(problem, problem.start(held.instance), policy), random)
        if epoch is None:
            return np.zeros(len(self.weights))
        matrix = np.ascontiguousarray(problem.state_features(epoch.state).T)
        drawn = self._perturbed(matrix, self.weights, random)
        vectors, costs = solved_with_rests(problem, policy, epoch, drawn)
        lean = _lean(costs, self.temperature)
        total = np.zeros(drawn.shape[1])
        for vector, coefficient in zip(vectors, np.zeros(len(vectors)) if lean is None else lean, strict=True):
            total += coefficient * vector
        return _chained_alike(matrix, total)

    def _perturbed(self, matrix: NDArray[Any], weights: Floats, random: np.random.Generator) -> Floats:
        """θ + sZ_k, one row per draw."""
        ((_, (theta,)),) = theta_blocks(matrix.T, weights[None, :])
        spread = float(theta.std())
        drawn = random.standard_normal((self.draws, len(theta)))
        drawn *= self.sigma * spread if spread > 0.0 else self.sigma
        drawn += theta
        return drawn


def _chained_alike(matrix: NDArray[Any], gradient: Floats) -> Floats:
    """Φᵀg of g over its mean size; 0 where g is."""
    size = float(np.abs(gradient).mean())
    return np.zeros(len(matrix)) if size == 0.0 else chained(matrix, gradient / size)


def chained(matrix: NDArray[Any], gradient: Floats) -> Floats:
    """Φᵀg, each entry the sum of one row of products, whatever the order of `matrix`; a few rows at a time."""
    many = max(1, _PRODUCTS // len(gradient))
    parts = [matrix[k : k + many] for k in range(0, len(matrix), many)]
    return np.concatenate([np.multiply(part, gradient, order="C").sum(axis=1) for part in parts])


def towards_the_best(problem: BoundProblem[X, Y, Z], many: Floats, instance: X, temperature: float) -> Floats:
    """Σ_k (q_k − 1/K)·embed(y_k) over the rows of θ, by the problem's own compiled path where it has one."""
    if problem.solved is not None and problem.mixed is not None:
        ys, costs = problem.solved(many, instance)
        lean = _lean(costs, temperature)
        return np.zeros(many.shape[1]) if lean is None else problem.mixed(ys, lean, instance)
    problem.need("embed", why="srl needs it")
    solved = [problem.layer(theta, instance) for theta in many]
    costs = np.array([problem.cost(problem.decode(y, instance), instance) for y in solved])
    total, lean = np.zeros(many.shape[1]), _lean(costs, temperature)
    if lean is None:
        return total
    for y, coefficient in zip(solved, lean, strict=True):
        total += coefficient * problem.vector("embed", len(total), y, instance)
    return total


def _lean(costs: Floats, temperature: float) -> Floats | None:
    """q − 1/K; None where the costs do not differ."""
    spread = float(costs.std())
    if spread == 0.0:
        return None
    return softmin(costs, temperature * spread) - 1.0 / len(costs)


def softmin(costs: Floats, width: float) -> Floats:
    """softmax(−C/width): weights that sum to 1 and lean towards the cheap ones."""
    q: Floats = np.exp(-(costs - costs.min()) / width)
    return np.asarray(q / q.sum())
