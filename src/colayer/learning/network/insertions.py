"""The gradient of the smoothed cost of 1 | r_j | Σ C_j with respect to θ, job by job and without sampling that job.

Let θ' = θ + σZ be the priorities of all jobs, and C_i(t) the cost of the order once that of job i is t: a step function
that jumps at θ'_j, where job i passes job j. Its Gaussian average around θ_i has the derivative

    g_i = Σ_j (C_i(θ'_j + 0) − C_i(θ'_j − 0))·φ((θ'_j − θ_i)/σ)/σ,

and the mean of g over Z is the gradient of E C(θ + σZ): where sampling judges n jobs by one number for each draw, each
job is judged here by what it does itself. Costs come from all moves by up to `window` places, at once:
C = cumsum p + cummax(r − (cumsum p − p)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch


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


@lru_cache(maxsize=64)
def _moves(n: int, window: int, device: str) -> torch.Tensor:
    """(n, 2·window + 1, n): the places, in order, once the job at place a has moved by d = −window .. window places."""
    place, offset = np.arange(n), np.arange(-window, window + 1)
    target = np.clip(place[:, None] + offset, 0, n - 1)[:, :, None]
    a, k = place[:, None, None], place[None, None, :]
    others = k - (k > target)  # place k holds the so-many-th of the other jobs
    moved = np.where(k == target, a, others + (others >= a))
    return torch.from_numpy(moved).to(device)


def gradient(
    theta: torch.Tensor, r: torch.Tensor, p: torch.Tensor, sigma: float, smoothing: Smoothing, random: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """(instances, jobs) each: the gradient of the smoothed cost, and the costs at θ' of the last draw, (instances,)."""
    total, costs = torch.zeros_like(theta), theta[:, 0]
    for _ in range(smoothing.pairs):
        noise = sigma * torch.randn(theta.shape, generator=random, device=theta.device)
        for drawn in (theta + noise, theta - noise):
            part, costs = _one(theta, drawn, r, p, sigma, smoothing.window)
            total += part
    return total / (2 * smoothing.pairs), costs


def _one(
    theta: torch.Tensor, drawn: torch.Tensor, r: torch.Tensor, p: torch.Tensor, sigma: float, window: int
) -> tuple[torch.Tensor, torch.Tensor]:
    n = theta.shape[1]
    window = min(window, n - 1)
    at, order = drawn.sort(dim=1)
    r, p = r.gather(1, order), p.gather(1, order)
    base = completion(r, p)
    moves = _moves(n, window, str(theta.device))
    change = (completion(r[:, moves], p[:, moves]) - base[:, None, None, :]).sum(dim=3)  # (instances, n, moves)
    jump = change[:, :, 1:] - change[:, :, :-1]  # passing the job at place a + d, d = −window .. −1, 1 .. window
    offset = torch.arange(-window, window + 1, device=theta.device)
    offset = offset[offset != 0]
    other = torch.arange(n, device=theta.device)[:, None] + offset
    inside = (other >= 0) & (other < n)
    distance = (at[:, other.clamp(0, n - 1)] - theta.gather(1, order)[:, :, None]) / sigma
    weight = torch.exp(-0.5 * distance.square()) * (inside / (sigma * math.sqrt(2.0 * math.pi)))
    slope = (jump * weight).sum(dim=2)
    return torch.empty_like(slope).scatter_(1, order, slope), base.sum(dim=1)


def completion(r: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    """C of jobs in the order of the last axis."""
    done = p.cumsum(dim=-1)
    return done + (r - (done - p)).cummax(dim=-1).values
