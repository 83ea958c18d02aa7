"""Jobs to learn from that stay on the device: stacks of instances of one size, made ahead, each of them a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
import torch

from colayer.learning.network.averaged import Batch, Slope
from colayer.learning.network.context import Packed
from colayer.learning.network.insertions import Smoothing, gradient
from colayer.learning.network.source import Item, Source
from colayer.models.inputs import offsets_of, sequence_of
from colayer.problems.single_machine.instance import Instance


@dataclass(frozen=True, eq=False)
class Stack:
    """Instances of one size, jobs in the order they stand in; time in mean processing times of the instance."""

    inputs: torch.Tensor  # (instances, jobs, inputs)
    start: torch.Tensor  # (instances, jobs), as are r and p
    r: torch.Tensor
    p: torch.Tensor
    bound: torch.Tensor  # (instances,)
    offsets: torch.Tensor  # (instances, jobs, moments − 1)

    @classmethod
    def of(cls, items: list[Item[Instance]]) -> Self:
        """The stack of these."""
        columns: tuple[list[np.ndarray], ...] = ([], [], [], [], [], [])
        for item in items:
            r, p = item.instance.arrays
            unit, sequence = float(p.mean()), sequence_of(item.structure)
            row: tuple[np.ndarray, ...] = (
                item.inputs.T, item.start, r[sequence] / unit, p[sequence] / unit, np.array(item.cost / unit),
                offsets_of(item.structure).T,
            )  # fmt: skip
            for column, value in zip(columns, row, strict=True):
                column.append(value.astype(np.float32))
        return cls(*(torch.from_numpy(np.array(column)) for column in columns))

    def to(self, device: str) -> Stack:
        """A copy there: what a process sent holds shared memory."""
        return Stack(*(getattr(self, field.name).to(device, copy=True) for field in fields(self)))


class Resident:
    """Batches that are stacks, and the gradient of their smoothed relative cost."""

    def __init__(self, source: Source[Stack], smoothing: Smoothing, device: str) -> None:
        self.source, self.smoothing, self.device = source, smoothing, device

    def batch(self, random: np.random.Generator) -> Batch:
        """A stack that was drawn."""
        (stack,) = self.source.batch(1, random)
        count, n, inputs = stack.inputs.shape
        places = torch.arange(n, device=self.device).repeat(count)
        rows = Packed(
            stack.inputs.reshape(count * n, inputs),
            places,
            torch.full_like(places, n),
            (None,),
            stack.offsets.reshape(count * n, -1),
        )
        return Batch(rows, stack.start.reshape(-1), self._slope(stack, int(random.integers(2**62))))

    def _slope(self, stack: Stack, seed: int) -> Callable[[torch.Tensor, float], Slope]:
        def slope(theta: torch.Tensor, share: float) -> Slope:
            """The gradient of n·C/bound of each instance, less its parts along scale and place of θ; and the pull.

            Both mean nothing to a sort, but σ is relative to the scale: without this, θ would grow to escape the noise.
            """
            count, n = stack.start.shape
            values = theta.reshape(count, n)
            centred = values - values.mean(dim=1, keepdim=True)
            ratio = centred.square().mean(dim=1, keepdim=True).sqrt() / stack.start.std(dim=1, keepdim=True)
            random = torch.Generator(device=self.device).manual_seed(seed)
            sigma = self.smoothing.sigma(share)
            scaled = centred / ratio
            found, costs = gradient(scaled, stack.r, stack.p, sigma, self.smoothing, random)
            found = found * (n / stack.bound)[:, None] / ratio
            found = found - found.mean(dim=1, keepdim=True)
            along = (found * scaled).sum(dim=1, keepdim=True) / scaled.square().sum(dim=1, keepdim=True)
            found = found - along * scaled
            moved = values - stack.start
            found = found + self.smoothing.pull / n * (moved - moved.mean(dim=1, keepdim=True))
            return (found / count).reshape(-1), (costs / stack.bound - 1.0).mean()

        return slope
