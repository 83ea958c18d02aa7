"""The layers as torch modules, for your own training loops.

Pass any layer of `colayer.layers` (`TopK(3)`, `ShortestPath(…)`) as `solve`, or any function from θ, a numpy vector, to
the embedded y. θ is a vector, or a matrix with a sample per row; `workers` threads solve the rows of a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.errors import InputError, OptionError
from colayer.layers.many import solve_rows
from colayer.learning.imitation.fenchel_young import PERTURBATIONS
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import Problem, X, Y, Z

Solve = Callable[[Floats], Floats]

#: What a loss makes of the losses of the rows.
REDUCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "none": lambda values: values,
    "mean": torch.mean,
    "sum": torch.sum,
}


def layer_of(problem: Problem[X, Y, Z], instance: X) -> Solve:
    """Return the function from θ to the embedded solution of the problem's layer for one instance."""
    bound: BoundProblem[X, Y, Z] = bind(problem)
    embed = bound.need("embed")
    return lambda theta: np.asarray(embed(bound.layer(theta, instance), instance), dtype=np.float64)


class _Perturbed(torch.nn.Module):
    """The common part: ε, how θ is perturbed, and antithetic draws, fresh in each forward and for each row.

    A module of the same seed repeats them. How many forwards there were, the buffer `forwards`, is part of the state.

    Parameters:
        epsilon: Size of the perturbation, positive.
        samples: Number of draws K, even because every draw comes with its opposite.
        seed: Seed of the draws.
        perturbation: "additive", θ + εZ, or "multiplicative", θ ⊙ e^{εZ − ε²/2}, which keeps signs. Use the latter for
            layers that need θ ≥ 0, as shortest paths with cycles do.
        workers: Threads that solve the rows of a batch.
    """

    forwards: torch.Tensor

    def __init__(
        self,
        epsilon: float = 1.0,
        samples: int = 20,
        seed: int = 0,
        perturbation: str = "additive",
        *,
        workers: int = 1,
    ) -> None:
        super().__init__()
        if not epsilon > 0.0:
            raise OptionError(f"{epsilon} is out of range, expected a positive number", where="epsilon")
        if samples < 2 or samples % 2:
            raise OptionError(f"{samples} is out of range, expected an even number: draws are pairs", where="samples")
        _one_of("perturbation", perturbation, PERTURBATIONS)
        self.epsilon, self.samples, self.seed, self.perturbation = epsilon, samples, seed, perturbation
        self.workers = workers
        self.register_buffer("forwards", torch.tensor(0))

    def draws(self, rows: int, length: int) -> Floats:
        """Return the draws of the next forward, (rows, K, length): Z_1..Z_{K/2} and their opposites."""
        random = seeds.generator(self.seed, seeds.FORWARDS, int(self.forwards))
        half = random.standard_normal((rows, self.samples // 2, length))
        return np.concatenate([half, -half], axis=1)

    def _solved(self, theta: Floats, solve: Solve) -> tuple[Floats, Floats, Floats]:
        """Return Z, the factors r (1 where additive) and y*, each (rows, K, n), and count the forward."""
        Z = self.draws(*theta.shape)
        if self.perturbation == "multiplicative":
            factor = np.exp(self.epsilon * Z - self.epsilon**2 / 2)
            perturbed = theta[:, None, :] * factor
        else:
            factor = np.ones(())
            perturbed = theta[:, None, :] + self.epsilon * Z
        found = solve_rows(solve, perturbed.reshape(-1, theta.shape[1]), self.workers)
        self.forwards += 1
        return Z, factor, found.reshape(Z.shape)


class PerturbedLayer(_Perturbed):
    """A differentiable layer, θ → mean_k y*(θ + εZ_k) (Berthet et al., 2020).

    Its derivative is that of the expectation, E[y*(θ + εZ) Zᵀ]/ε, estimated with the same draws; antithetic differences
    make a baseline unnecessary, so `samples` must be even. With multiplicative perturbation the layer is mean_k y*(θ ⊙
    r_k), r_k = e^{εZ_k − ε²/2}, and the derivative E[y*(θ ⊙ r) Zᵀ] diag(1/(εθ)), for θ without zeros (Dalle et al.,
    2022).
    """

    def forward(self, theta: torch.Tensor, solve: Solve) -> torch.Tensor:
        """Return the mean of the perturbed solutions, of the shape of θ and differentiable in it.

        Parameters:
            theta: A vector, or a matrix with a sample per row.
            solve: A layer of `colayer.layers`, or any function from θ to y as numpy vectors (`layer_of`).
        """
        values = _rows(theta)
        slope = np.full(values.shape, self.epsilon)
        if self.perturbation == "multiplicative":
            slope *= values
            if (values == 0.0).any():
                place = np.unravel_index(int(np.argmax(values == 0.0)), values.shape)[2 - theta.ndim :]
                where = f"theta[{', '.join(map(str, place))}]"
                raise InputError("0 has no multiplicative perturbation, expected another number", where=where)
        Z, _, found = self._solved(values, solve)
        mean: torch.Tensor = _Mean.apply(theta, found, Z / slope[:, None, :])
        return mean


class FenchelYoungLoss(_Perturbed):
    """The loss ⟨θ, ȳ⟩ − mean_k min_y ⟨θ + εZ_k, y⟩, whose gradient is ȳ − mean_k y*(θ + εZ_k): convex in θ, and ≥ 0.

    `samples` must be even, because draws are antithetic. With multiplicative perturbation the loss is ⟨θ, ȳ⟩ − mean_k
    min_y ⟨θ ⊙ r_k, y⟩ and the gradient ȳ − mean_k r_k ⊙ y*(θ ⊙ r_k). `reduction`: "none", a loss per row, "mean" or
    "sum".
    """

    def __init__(self, *arguments: Any, reduction: str = "none", **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.reduction = _one_of("reduction", reduction, REDUCTIONS)

    def forward(self, theta: torch.Tensor, target: torch.Tensor | Floats, solve: Solve) -> torch.Tensor:
        """Return the loss of θ for the target ȳ: a scalar, or a vector if both are matrices and nothing reduces it.

        Parameters:
            theta: A vector, or a matrix with a sample per row.
            target: ȳ, of the same shape.
            solve: A layer of `colayer.layers`, or any function from θ to y as numpy vectors.
        """
        values, wanted = _rows(theta), _beside(theta, target, "target")
        Z, factor, found = self._solved(values, solve)
        costs = values[:, None, :] * factor if factor.ndim else values[:, None, :] + self.epsilon * Z
        least = (costs * found).sum(axis=2).mean(axis=1)
        loss = (values * wanted).sum(axis=1) - least
        return _losses(theta, loss, wanted - (factor * found).mean(axis=1), self.reduction)


class SpoPlusLoss(torch.nn.Module):
    """SPO+, −min_y ⟨2θ − θ*, y⟩ + 2⟨θ, ȳ⟩ − ⟨θ*, ȳ⟩ with ȳ = y*(θ*), whose subgradient is 2(ȳ − y*(2θ − θ*)).

    Convex in θ, and at least the regret of deciding by θ where θ* is true (Elmachtoub and Grigas, 2022).

    Parameters:
        reduction: "none", a loss per row, "mean" or "sum".
        workers: Threads that solve the rows of a batch.
    """

    def __init__(self, reduction: str = "none", *, workers: int = 1) -> None:
        super().__init__()
        self.reduction, self.workers = _one_of("reduction", reduction, REDUCTIONS), workers

    def forward(
        self,
        theta: torch.Tensor,
        true_theta: torch.Tensor | Floats,
        solve: Solve,
        target: torch.Tensor | Floats | None = None,
    ) -> torch.Tensor:
        """Return the loss of θ where θ* is true: a scalar, or a vector if both are matrices and nothing reduces it.

        Parameters:
            theta: A vector, or a matrix with a sample per row.
            true_theta: θ*, of the same shape.
            solve: A layer of `colayer.layers`, or any function from θ to y as numpy vectors.
            target: y*(θ*), where it is known; else it is solved for.
        """
        true = _beside(theta, true_theta, "true_theta")
        mirrored = 2.0 * _rows(theta) - true
        wanted = solve_rows(solve, true, self.workers) if target is None else _beside(theta, target, "target")
        away = wanted - solve_rows(solve, mirrored, self.workers)
        return _losses(theta, (mirrored * away).sum(axis=1), 2.0 * away, self.reduction)


class _Mean(torch.autograd.Function):
    """mean_k y_k of each row; ∂/∂θ = mean_k ⟨v, y_k⟩·slope_k for the gradient v behind it."""

    @staticmethod
    def forward(ctx: Any, theta: torch.Tensor, solutions: Floats, slopes: Floats) -> torch.Tensor:
        ctx.solutions, ctx.slopes = solutions, slopes
        return theta.new_tensor(solutions.mean(axis=1)).reshape(theta.shape)

    @staticmethod
    def backward(ctx: Any, *outputs: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (output,) = outputs
        along = np.einsum("rkn,rn->rk", ctx.solutions, _rows(output))
        gradient = np.einsum("rk,rkn->rn", along, ctx.slopes) / along.shape[1]
        return output.new_tensor(gradient).reshape(output.shape), None, None


class _Loss(torch.autograd.Function):
    """A loss per row whose value and gradient are known."""

    @staticmethod
    def forward(ctx: Any, theta: torch.Tensor, loss: Floats, gradient: Floats) -> torch.Tensor:
        ctx.gradient = theta.new_tensor(gradient).reshape(theta.shape)
        return theta.new_tensor(loss).reshape(theta.shape[:-1])

    @staticmethod
    def backward(ctx: Any, *outputs: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (output,) = outputs
        return output[..., None] * ctx.gradient, None, None


def _losses(theta: torch.Tensor, loss: Floats, gradient: Floats, reduction: str) -> torch.Tensor:
    reduced: torch.Tensor = REDUCTIONS[reduction](_Loss.apply(theta, loss, gradient))
    return reduced


def _rows(theta: torch.Tensor) -> Floats:
    """Return θ as rows, in float64, detached from the graph and the device."""
    if theta.ndim not in (1, 2):
        raise InputError(f"a tensor of {theta.ndim} dimensions, expected one, or two: rows of θ", where="theta")
    values: Floats = theta.detach().cpu().double().numpy()
    return np.atleast_2d(values)


def _beside(theta: torch.Tensor, given: torch.Tensor | Floats, where: str) -> Floats:
    """Return what goes with θ as rows, checked: of its shape, and finite."""
    values = given.detach().cpu().double().numpy() if isinstance(given, torch.Tensor) else np.asarray(given, float)
    if values.shape != tuple(theta.shape):
        raise InputError(f"shape {values.shape}, expected that of theta, {tuple(theta.shape)}", where=where)
    if not np.isfinite(values).all():
        raise InputError("not finite, expected numbers", where=where)
    return np.atleast_2d(values)


def _one_of(name: str, value: str, expected: Any) -> str:
    if value not in expected:
        raise OptionError(f"{value!r}, expected one of {', '.join(expected)}", where=name)
    return value
