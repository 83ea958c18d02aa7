"""What a context learner is taught by: where to start, how long a step is, and the gradients in θ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.seeds import below
from colayer.errors import InputError
from colayer.learning.context.data import ContextData
from colayer.learning.imitation.example import Example
from colayer.learning.imitation.fit import Demonstration
from colayer.learning.imitation.spo import SpoPlus
from colayer.learning.search.own_best import softmin
from colayer.problem.bind import BoundProblem
from colayer.problem.context import ContextProblem


@dataclass(frozen=True, eq=False)
class Solver:
    """The layer of a problem at rows of θ, embedded; `workers` threads for a fixed one."""

    problem: BoundProblem[Any, Any, Any]
    instances: Sequence[Any]
    workers: int

    def __call__(self, thetas: Floats, chosen: Ints) -> Floats:
        """Return y, a row per row of θ; `chosen` are the numbers of the instances."""
        problem = self.problem
        if isinstance(problem.problem, ContextProblem):
            return problem.problem.solve_rows(thetas, [self.instances[i] for i in chosen], self.workers)
        rows = ((theta, self.instances[i]) for theta, i in zip(thetas, chosen, strict=True))
        return np.array([problem.vector("embed", len(t), problem.layer(t, one), one) for t, one in rows])


class Teacher(Protocol):
    """See the head of this module."""

    @property
    def spread(self) -> float:
        """Return the spread of θ that steps are a share of."""

    def answers(self, data: ContextData, chosen: Ints) -> Floats | None:
        """Return θ that a regression for these samples aims at; None where none is known."""

    def losses(self, thetas: Floats, chosen: Ints, number: int) -> tuple[float, Floats]:
        """Return the mean loss and its gradient in each θ, in pass `number`."""


class ByAnswers:
    """Known answers: true θ, or solutions. It starts from a regression: of θ*, or of −ȳ over its spread.

    The regression is least squares, or linear in what a regressor of the user's (`fit` and `predict`) makes of it.
    """

    def __init__(self, method: Demonstration, examples: Sequence[Example[Any, Any, Any]], solve: Solver) -> None:
        self.method, self.examples, self.solve = method, examples, solve
        self.targets = np.array([example.target for example in examples])
        true = [example.true_theta for example in examples if example.true_theta is not None]
        self.true = np.array(true) if len(true) == len(examples) else None
        if self.true is None:
            self.values = -self.targets / max(float(self.targets.std()), 1e-9)
            self.spread = float(getattr(method, "epsilon", 1.0))
        else:
            self.values = self.true
            self.spread = float((self.true - self.true.mean(axis=0)).std()) or 1.0

    def answers(self, data: ContextData, chosen: Ints) -> Floats:
        """See `Teacher.answers`."""
        values, regressor = self.values[chosen], self.method.start
        if regressor is not None:
            inputs = data.inputs[chosen, :-1]
            values = np.asarray(regressor.fit(inputs, values).predict(inputs), dtype=np.float64)
            if values.shape != self.values[chosen].shape or not np.isfinite(values).all():
                raise InputError(f"predict returned shape {values.shape}, expected a θ per sample", where="start")
        return values

    def losses(self, thetas: Floats, chosen: Ints, number: int) -> tuple[float, Floats]:
        """See `Teacher.losses`; draws are fresh in each pass."""
        if type(self.method) is SpoPlus and self.true is not None:
            mirrored = 2.0 * thetas - self.true[chosen]
            away = self.targets[chosen] - self.solve(mirrored, chosen)
            return float((mirrored * away).sum()) / len(chosen), 2.0 * away
        found = []
        for theta, i in zip(thetas, chosen, strict=True):
            drawn = below(self.examples[i].sequence, number)
            found.append(self.method.loss(theta, replace(self.examples[i], sequence=drawn)))
        return math.fsum(value for value, _ in found) / len(found), np.array([gradient for _, gradient in found])


@dataclass(frozen=True, eq=False)
class ByOwnBest:
    """Costs alone: imitate the best of one's own perturbed solutions (see `search/own_best.py`), from θ = 0.

    With y_k at θ + Z_k, K draws per sample and pass, and q = softmax(−C/(τ·std C)), the gradient is Σ_k (q_k − 1/K)·y_k
    with the sign of the Fenchel-Young loss: mean_k y_k is pulled to the mixture.
    """

    problem: BoundProblem[Any, Any, Any]
    instances: Sequence[Any]
    solve: Solver
    seed: int
    draws: int = 10
    temperature: float = 0.4
    spread: float = 1.0

    def answers(self, data: ContextData, chosen: Ints) -> None:
        """See `Teacher.answers`."""

    def losses(self, thetas: Floats, chosen: Ints, number: int) -> tuple[float, Floats]:
        """See `Teacher.losses`; the loss is the mean cost of the draws."""
        gradients, means = np.zeros_like(thetas), []
        for row, (theta, i) in enumerate(zip(thetas, chosen, strict=True)):
            random = seeds.generator(self.seed, seeds.IMITATION, number, int(i))
            found = self.solve(theta + random.standard_normal((self.draws, len(theta))), np.full(self.draws, i))
            costs = np.array([self._cost(y, int(i)) for y in found])
            means.append(float(costs.mean()))
            if costs.std() > 0.0:
                lean = softmin(costs, self.temperature * float(costs.std())) - 1.0 / self.draws
                gradients[row] = (lean[:, None] * found).sum(axis=0)
        return math.fsum(means) / len(means), gradients

    def _cost(self, y: Floats, i: int) -> float:
        instance = self.instances[i]
        return float(self.problem.cost(self.problem.decode(y, instance), instance) / self.problem.scale(instance))
