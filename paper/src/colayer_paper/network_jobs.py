"""Batches of jobs that stay on the device, and the gradient of the smoothed cost of 1 | r_j | Σ C_j with respect to θ.

Let θ' = θ + σZ be the priorities of all jobs, and C_i(t) the cost of the order once that of job i is t: a step function
that jumps at θ'_j, where job i passes job j. Its Gaussian average around θ_i has the derivative

    g_i = Σ_j (C_i(θ'_j + 0) − C_i(θ'_j − 0))·φ((θ'_j − θ_i)/σ)/σ,

and the mean of g over Z is the gradient of E C(θ + σZ): where sampling judges n jobs by one number for each draw, each
job is judged here by what it does itself. Moves by up to `window` places count.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Self

import numpy as np
import torch

from colayer.evaluators.gpu.device import Cuda
from colayer.evaluators.gpu.moves import slopes
from colayer.learning.network.context import Packed
from colayer.learning.network.items import Item
from colayer.learning.network.trainer import Batch, ThetaGradient
from colayer.models.inputs import offsets_of, sequence_of
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.moves import slopes_into
from colayer_paper.network_source import Source


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
        """Return the stack of these items."""
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
        """Return a copy there: what a process sent holds shared memory."""
        return Stack(*(getattr(self, field.name).to(device, copy=True) for field in fields(self)))


@dataclass(frozen=True)
class Smoothing:
    """σ at the start and in the end of the training, falling geometrically, in the unit of θ; pairs ±Z; places."""

    first: float = 2.0
    last: float = 0.4
    pairs: int = 1
    window: int = 12
    #: How strongly θ is held to where it starts.
    pull: float = 0.02

    def sigma(self, share: float) -> float:
        """Return σ once a share of the training is over."""
        return float(self.first * (self.last / self.first) ** share)


class JobBatches:
    """Batches that are stacks, and the gradient of their smoothed relative cost."""

    def __init__(self, source: Source[Stack], smoothing: Smoothing, device: str) -> None:
        self.source, self.smoothing, self.device = source, smoothing, device

    def batch(self, random: np.random.Generator) -> Batch:
        """Draw a stack."""
        (stack,) = self.source.batch(1, random)
        count, n, inputs = stack.inputs.shape
        places = torch.arange(n, device=self.device).repeat(count)
        offsets = stack.offsets.reshape(count * n, -1)
        rows = Packed(stack.inputs.reshape(count * n, inputs), places, torch.full_like(places, n), (None,), offsets)
        return Batch(rows, stack.start.reshape(-1), partial(self._gradient, stack, int(random.integers(2**62))))

    def _gradient(self, stack: Stack, seed: int, theta: torch.Tensor, share: float) -> ThetaGradient:
        """Return the gradient of n·C/bound of each instance, less its parts along scale and place of θ; and the pull.

        Both mean nothing to a sort, but σ is relative to the scale: without this, θ would grow to escape the noise.
        """
        count, n = stack.start.shape
        values = theta.reshape(count, n)
        centred = values - values.mean(dim=1, keepdim=True)
        ratio = centred.square().mean(dim=1, keepdim=True).sqrt() / stack.start.std(dim=1, keepdim=True)
        random = torch.Generator(device=self.device).manual_seed(seed)
        scaled = centred / ratio
        sigma = self.smoothing.sigma(share)
        found, costs = gradient(scaled, stack.r, stack.p, sigma, self.smoothing, random)
        found = found * (n / stack.bound)[:, None] / ratio
        found = found - found.mean(dim=1, keepdim=True)
        along = (found * scaled).sum(dim=1, keepdim=True) / scaled.square().sum(dim=1, keepdim=True)
        found = found - along * scaled
        moved = values - stack.start
        found = found + self.smoothing.pull / n * (moved - moved.mean(dim=1, keepdim=True))
        return (found / count).reshape(-1), (costs / stack.bound - 1.0).mean()


def gradient(
    theta: torch.Tensor, r: torch.Tensor, p: torch.Tensor, sigma: float, smoothing: Smoothing, random: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the gradient of the smoothed cost, (instances, jobs), and the mean of the costs at θ', (instances,)."""
    count, n = theta.shape
    draws = 2 * smoothing.pairs
    noise = sigma * torch.randn((smoothing.pairs, count, n), generator=random, device=theta.device)
    at, order = (theta + torch.cat([noise, -noise])).reshape(-1, n).sort(dim=1)
    own = theta.repeat(draws, 1).gather(1, order)
    r, p = (one.double().repeat(draws, 1).gather(1, order) for one in (r, p))
    window = min(smoothing.window, n - 1)
    end = completion(r, p)
    slope = (_by_gpu if theta.is_cuda else _by_processor)((at.double(), own.double(), r, p, end), window, sigma)
    slope = slope.to(theta.dtype)
    found = torch.empty_like(slope).scatter_(1, order, slope).reshape(draws, count, n).mean(dim=0)
    return found, end.sum(dim=1).reshape(draws, count).mean(dim=0).to(theta.dtype)


def _by_gpu(by_place: tuple[torch.Tensor, ...], window: int, sigma: float) -> torch.Tensor:
    """Return the slope in the priority of each job, (rows, n); one launch."""
    device = _cuda()
    import cupy

    slope = torch.empty_like(by_place[0])
    slopes(device, [cupy.asarray(one) for one in by_place], window, sigma, cupy.asarray(slope))
    return slope


@cache
def _cuda() -> Cuda:
    return Cuda()


def _by_processor(by_place: tuple[torch.Tensor, ...], window: int, sigma: float) -> torch.Tensor:
    """Do as `_by_gpu`, sequence by sequence in compiled code."""
    drawn, own, r, p, _ = (one.numpy() for one in by_place)
    slope, places = np.empty(own.shape), np.arange(own.shape[1])
    for k in range(len(own)):
        slopes_into(places, own[k], drawn[k], r[k], p[k], sigma, window, slope[k])
    return torch.from_numpy(slope)


def completion(r: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    """Return C of jobs in the order of the last axis."""
    done = p.cumsum(dim=-1)
    return done + (r - (done - p)).cummax(dim=-1).values
