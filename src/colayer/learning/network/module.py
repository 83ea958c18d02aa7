"""The network as a torch module; `NeuralModel` is what it becomes once it is trained."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from colayer.models.network import CLIP, NeuralModel

Floats = NDArray[np.float64]


class Network(torch.nn.Module):
    """x (rows, d), features divided by their scale → θ (rows,), in double precision; equivariant in the rows.

    θ_i = ⟨w + γ·g_1..d(u_i), x_i⟩ + γ·g_{d+1}(u_i), as `colayer.models.network` says; γ, the root mean square of the
    start `weights` (1 where they are 0), lets one learning rate serve weights of any size. g starts at 0.
    """

    def __init__(
        self, weights: Floats, center: Floats, hidden: tuple[int, ...] = (64, 32), context: bool = False, seed: int = 0
    ) -> None:
        super().__init__()
        d = len(weights)
        self.context = context
        self.gain = float(np.sqrt(np.mean(weights**2))) or 1.0
        self.linear = torch.nn.Parameter(torch.tensor(weights / self.gain))
        self.register_buffer("center", torch.tensor(center))
        generator = torch.Generator().manual_seed(seed)
        widths = [3 * d if context else d, *hidden, d + 1]
        self.matrices, self.biases = torch.nn.ParameterList(), torch.nn.ParameterList()
        for k, (inputs, outputs) in enumerate(itertools.pairwise(widths)):
            # He et al. (2015), Delving deep into rectifiers: variance 2/inputs; the last layer starts at 0
            deviation = math.sqrt(2.0 / inputs) if k < len(hidden) else 0.0
            noise = torch.randn(outputs, inputs, generator=generator, dtype=torch.float64)
            self.matrices.append(torch.nn.Parameter(deviation * noise))
            self.biases.append(torch.nn.Parameter(torch.zeros(outputs, dtype=torch.float64)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """θ of one instance."""
        values = torch.clamp(x - self.center, -CLIP, CLIP)
        if self.context:
            pooled = torch.cat([values.mean(dim=0), values.amax(dim=0)])
            values = torch.cat([values, pooled.expand(len(x), -1)], dim=1)
        for k, (matrix, bias) in enumerate(zip(self.matrices, self.biases, strict=True)):
            values = torch.nn.functional.linear(values if k == 0 else torch.relu(values), matrix, bias)
        return self.gain * (((self.linear + values[:, :-1]) * x).sum(dim=1) + values[:, -1])

    def model(self, **described: Any) -> NeuralModel:
        """The numpy model of the present state; `described` are its other fields (names, scale, problem, …)."""
        layers = [
            (matrix.detach().numpy().copy(), bias.detach().numpy().copy())
            for matrix, bias in zip(self.matrices, self.biases, strict=True)
        ]
        matrix, bias = layers[-1]
        layers[-1] = (self.gain * matrix, self.gain * bias)
        return NeuralModel(
            weights=self.gain * self.linear.detach().numpy(),
            architecture="context-mlp" if self.context else "mlp",
            center=self.center.numpy(),
            layers=tuple(layers),
            **described,
        )
