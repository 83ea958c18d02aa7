"""The layers as torch modules, for training loops of the user's own. `solve` maps θ, a numpy vector, to y embedded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from colayer.errors import OptionError
from colayer.learning.losses import fenchel_young
from colayer.learning.perturbation import draws

Floats = NDArray[np.float64]
Solve = Callable[[Floats], Floats]


def layer_of(problem: Any, instance: Any) -> Solve:
    """θ → the embedded solution of the problem's layer for one instance."""
    return lambda theta: np.asarray(problem.embed(problem.layer(theta, instance), instance), dtype=np.float64)


class _Perturbed(torch.nn.Module):
    """What both share: ε, and antithetic draws that depend on the seed alone."""

    def __init__(self, epsilon: float = 1.0, samples: int = 20, seed: int = 0) -> None:
        super().__init__()
        if not epsilon > 0.0:
            raise OptionError(f"{epsilon} is out of range, expected a positive number", where="epsilon")
        if samples < 2 or samples % 2:
            raise OptionError(f"{samples} is out of range, expected an even number", where="samples")
        self.epsilon, self.samples, self.seed = epsilon, samples, seed

    def draws(self, length: int) -> Floats:
        """Z_1..Z_{K/2} and their opposites."""
        half = draws(self.seed, self.samples // 2, length)
        return np.concatenate([half, -half])


class PerturbedLayer(_Perturbed):
    """θ → mean_k y*(θ + εZ_k), the layer made differentiable (Berthet et al., 2020).

    Its derivative is that of the expectation, E[y*(θ + εZ) Zᵀ]/ε, estimated with the same draws; the antithetic
    differences leave no need for a baseline.
    """

    def forward(self, theta: torch.Tensor, solve: Solve) -> torch.Tensor:
        """The mean of the perturbed solutions, with a gradient with respect to θ."""
        return _Mean.apply(theta, solve, self.draws(len(theta)), self.epsilon)


class FenchelYoungLoss(_Perturbed):
    """⟨θ, ȳ⟩ − mean_k min_y ⟨θ + εZ_k, y⟩, whose gradient is ȳ − mean_k y*(θ + εZ_k): convex in θ, and ≥ 0."""

    def forward(self, theta: torch.Tensor, target: torch.Tensor | Floats, solve: Solve) -> torch.Tensor:
        """The loss of θ for the target ȳ, a scalar."""
        wanted = np.asarray(target.detach() if isinstance(target, torch.Tensor) else target, dtype=np.float64)
        return _Loss.apply(theta, wanted, solve, self.draws(len(theta)), self.epsilon)


class _Mean(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, theta: torch.Tensor, solve: Solve, Z: Floats, epsilon: float) -> torch.Tensor:
        values = theta.detach().double().numpy()
        solutions = np.array([solve(values + epsilon * z) for z in Z])
        ctx.solutions, ctx.Z, ctx.epsilon = solutions, Z, epsilon
        return theta.new_tensor(solutions.mean(axis=0))

    @staticmethod
    def backward(ctx: Any, *outputs: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
        (output,) = outputs
        along = ctx.solutions @ output.detach().double().numpy()
        return output.new_tensor((along[:, None] * ctx.Z).mean(axis=0) / ctx.epsilon), None, None, None


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, theta: torch.Tensor, target: Floats, solve: Solve, Z: Floats, epsilon: float) -> torch.Tensor:
        value, gradient = fenchel_young(theta.detach().double().numpy(), target, solve, Z, epsilon)
        ctx.gradient = theta.new_tensor(gradient)
        return theta.new_tensor(value)

    @staticmethod
    def backward(ctx: Any, *outputs: torch.Tensor) -> tuple[torch.Tensor, None, None, None, None]:
        (output,) = outputs
        return output * ctx.gradient, None, None, None, None
