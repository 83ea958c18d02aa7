"""The gradient of the smoothed cost of 1 | r_j | Σ C_j with respect to θ, job by job and without sampling that job.

Let θ' = θ + σZ be the priorities of all jobs, and C_i(t) the cost of the order once that of job i is t: a step function
that jumps at θ'_j, where job i passes job j. Its Gaussian average around θ_i has the derivative

    g_i = Σ_j (C_i(θ'_j + 0) − C_i(θ'_j − 0))·φ((θ'_j − θ_i)/σ)/σ,

and the mean of g over Z is the gradient of E C(θ + σZ): where sampling judges n jobs by one number for each draw, each
job is judged here by what it does itself. Moves by up to `window` places count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch

from colayer.evaluators.gpu.device import Cuda
from colayer.evaluators.gpu.moves import slopes
from colayer.problems.single_machine.kernels.moves import slopes_into


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
        """σ once a share of the training is over."""
        return float(self.first * (self.last / self.first) ** share)


def gradient(
    theta: torch.Tensor, r: torch.Tensor, p: torch.Tensor, sigma: float, smoothing: Smoothing, random: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """(instances, jobs) each: the gradient of the smoothed cost, and the mean of the costs at θ', (instances,)."""
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
    """(rows, n): the slope in the priority of each job; one launch."""
    device = _cuda()
    import cupy

    slope = torch.empty_like(by_place[0])
    slopes(device, [cupy.asarray(one) for one in by_place], window, sigma, cupy.asarray(slope))
    return slope


@cache
def _cuda() -> Cuda:
    return Cuda()


def _by_processor(by_place: tuple[torch.Tensor, ...], window: int, sigma: float) -> torch.Tensor:
    """As `_by_gpu`, sequence by sequence in compiled code."""
    drawn, own, r, p, _ = (one.numpy() for one in by_place)
    slope, places = np.empty(own.shape), np.arange(own.shape[1])
    for k in range(len(own)):
        slopes_into(places, own[k], drawn[k], r[k], p[k], sigma, window, slope[k])
    return torch.from_numpy(slope)


def completion(r: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    """C of jobs in the order of the last axis."""
    done = p.cumsum(dim=-1)
    return done + (r - (done - p)).cummax(dim=-1).values
