"""The layers as torch modules, for your own training loops.

Pass any layer of `colayer.layers` (`TopK(3)`, `ShortestPath(…)`) as `solve`, or any function from θ, a numpy vector, to
the embedded y.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from colayer._runtime.arrays import Floats
from colayer.errors import InputError, OptionError
from colayer.learning.imitation.fenchel_young import PERTURBATIONS, fenchel_young, multiplicative_fenchel_young
from colayer.learning.perturbation import draws
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import Problem, X, Y, Z

Solve = Callable[[Floats], Floats]


def layer_of(problem: Problem[X, Y, Z], instance: X) -> Solve:
    """Return the function from θ to the embedded solution of the problem's layer for one instance."""
    bound: BoundProblem[X, Y, Z] = bind(problem)
    embed = bound.need("embed")
    return lambda theta: np.asarray(embed(bound.layer(theta, instance), instance), dtype=np.float64)


class _Perturbed(torch.nn.Module):
    """The common part: ε, how θ is perturbed, and antithetic draws that depend on the seed alone.

    Parameters:
        epsilon: Size of the perturbation, positive.
        samples: Number of draws K, even because every draw comes with its opposite.
        seed: Seed of the draws.
        perturbation: "additive", θ + εZ, or "multiplicative", θ ⊙ e^{εZ − ε²/2}, which keeps signs. Use the latter for
            layers that need θ ≥ 0, as shortest paths with cycles do.
    """

    def __init__(self, epsilon: float = 1.0, samples: int = 20, seed: int = 0, perturbation: str = "additive") -> None:
        super().__init__()
        if not epsilon > 0.0:
            raise OptionError(f"{epsilon} is out of range, expected a positive number", where="epsilon")
        if samples < 2 or samples % 2:
            raise OptionError(f"{samples} is out of range, expected an even number: draws are pairs", where="samples")
        if perturbation not in PERTURBATIONS:
            expected = ", ".join(PERTURBATIONS)
            raise OptionError(f"{perturbation!r}, expected one of {expected}", where="perturbation")
        self.epsilon, self.samples, self.seed, self.perturbation = epsilon, samples, seed, perturbation

    def draws(self, length: int) -> Floats:
        """Return Z_1..Z_{K/2} and their opposites."""
        half = draws(self.seed, self.samples // 2, length)
        return np.concatenate([half, -half])


class PerturbedLayer(_Perturbed):
    """A differentiable layer, θ → mean_k y*(θ + εZ_k) (Berthet et al., 2020).

    Its derivative is that of the expectation, E[y*(θ + εZ) Zᵀ]/ε, estimated with the same draws; antithetic differences
    make a baseline unnecessary, so `samples` must be even. With multiplicative perturbation the layer is mean_k y*(θ ⊙
    r_k), r_k = e^{εZ_k − ε²/2}, and the derivative E[y*(θ ⊙ r) Zᵀ] diag(1/(εθ)), for θ without zeros (Dalle et al.,
    2022).
    """

    def forward(self, theta: torch.Tensor, solve: Solve) -> torch.Tensor:
        """Return the mean of the perturbed solutions, differentiable in θ.

        Parameters:
            theta: A vector, or a matrix that is handled row by row.
            solve: A layer of `colayer.layers`, or any function from θ to y as numpy vectors (`layer_of`).
        """
        _check_dimensions(theta)
        if theta.ndim == 2:
            return torch.stack([self(row, solve) for row in theta])
        multiplicative = self.perturbation == "multiplicative"
        mean: torch.Tensor = _Mean.apply(theta, solve, self.draws(len(theta)), self.epsilon, multiplicative)
        return mean


class FenchelYoungLoss(_Perturbed):
    """The loss ⟨θ, ȳ⟩ − mean_k min_y ⟨θ + εZ_k, y⟩, whose gradient is ȳ − mean_k y*(θ + εZ_k): convex in θ, and ≥ 0.

    `samples` must be even, because draws are antithetic. With multiplicative perturbation the loss is ⟨θ, ȳ⟩ − mean_k
    min_y ⟨θ ⊙ r_k, y⟩ and the gradient ȳ − mean_k r_k ⊙ y*(θ ⊙ r_k).
    """

    def forward(self, theta: torch.Tensor, target: torch.Tensor | Floats, solve: Solve) -> torch.Tensor:
        """Return the loss of θ for the target ȳ: a scalar, or a vector if both are matrices.

        Parameters:
            theta: A vector, or a matrix that is handled row by row.
            target: ȳ, of the same shape.
            solve: A layer of `colayer.layers`, or any function from θ to y as numpy vectors.
        """
        wanted = _numpy(target) if isinstance(target, torch.Tensor) else np.asarray(target, dtype=np.float64)
        _check_dimensions(theta)
        if wanted.shape != tuple(theta.shape):
            raise InputError(f"shape {wanted.shape}, expected that of theta, {tuple(theta.shape)}", where="target")
        if not np.isfinite(wanted).all():
            raise InputError("not finite, expected numbers", where="target")
        if theta.ndim == 2:
            return torch.stack([self(row, y, solve) for row, y in zip(theta, wanted, strict=True)])
        multiplicative = self.perturbation == "multiplicative"
        loss: torch.Tensor = _Loss.apply(theta, wanted, solve, self.draws(len(theta)), self.epsilon, multiplicative)
        return loss


class _Mean(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, theta: torch.Tensor, solve: Solve, Z: Floats, epsilon: float, multiplicative: bool
    ) -> torch.Tensor:
        values = _numpy(theta)
        if multiplicative:
            if (values == 0.0).any():
                i = int(np.argmax(values == 0.0))
                raise InputError("0 has no multiplicative perturbation, expected another number", where=f"theta[{i}]")
            perturbed = values * np.exp(epsilon * Z - epsilon**2 / 2)
        else:
            perturbed = values + epsilon * Z
        solutions = np.array([solve(row) for row in perturbed])
        ctx.solutions, ctx.slopes = solutions, Z / (epsilon * values) if multiplicative else Z / epsilon
        return theta.new_tensor(solutions.mean(axis=0))

    @staticmethod
    def backward(ctx: Any, *outputs: torch.Tensor) -> tuple[torch.Tensor, None, None, None, None]:
        (output,) = outputs
        along = ctx.solutions @ _numpy(output)
        return output.new_tensor((along[:, None] * ctx.slopes).mean(axis=0)), None, None, None, None


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, theta: torch.Tensor, target: Floats, solve: Solve, Z: Floats, epsilon: float, multiplicative: bool
    ) -> torch.Tensor:
        form = multiplicative_fenchel_young if multiplicative else fenchel_young
        value, gradient = form(_numpy(theta), target, solve, Z, epsilon)
        ctx.gradient = theta.new_tensor(gradient)
        return theta.new_tensor(value)

    @staticmethod
    def backward(ctx: Any, *outputs: torch.Tensor) -> tuple[torch.Tensor, None, None, None, None, None]:
        (output,) = outputs
        return output * ctx.gradient, None, None, None, None, None


def _check_dimensions(theta: torch.Tensor) -> None:
    if theta.ndim not in (1, 2):
        raise InputError(f"a tensor of {theta.ndim} dimensions, expected one, or two: rows of θ", where="theta")


def _numpy(tensor: torch.Tensor) -> Floats:
    """Return the values in float64, detached from the graph and the device."""
    values: Floats = tensor.detach().cpu().double().numpy()
    return values
