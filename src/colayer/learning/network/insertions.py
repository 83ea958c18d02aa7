"""The gradient of the smoothed cost of 1 | r_j | Σ C_j with respect to θ, job by job and without sampling that job.

Let θ' = θ + σZ be the priorities of all jobs, and C_i(t) the cost of the order once that of job i is t: a step function
that jumps at θ'_j, where job i passes job j. Its Gaussian average around θ_i has the derivative

    g_i = Σ_j (C_i(θ'_j + 0) − C_i(θ'_j − 0))·φ((θ'_j − θ_i)/σ)/σ,

and the mean of g over Z is the gradient of E C(θ + σZ): where sampling judges n jobs by one number for each draw, each
job is judged here by what it does itself. Moves by up to `window` places count; see `moved` for what they cost.
"""

from __future__ import annotations

import math
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
    #: How wide a job is moved, over σ of the other jobs.
    width: float = 1.0
    #: T: −T·log E exp(−C/T) is descended instead of E C, in the unit of the costs; 0: E C.
    temperature: float = 0.0

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
    way = _by_gpu if theta.is_cuda else _by_place if smoothing.temperature else _by_processor
    costs, slope = way(at, own, r, p, smoothing.width * sigma, smoothing)
    slope = slope.to(theta.dtype)
    found = torch.empty_like(slope).scatter_(1, order, slope).reshape(draws, count, n).mean(dim=0)
    return found, costs.reshape(draws, count).mean(dim=0).to(theta.dtype)


def _by_gpu(
    at: torch.Tensor, own: torch.Tensor, r: torch.Tensor, p: torch.Tensor, width: float, smoothing: Smoothing
) -> tuple[torch.Tensor, torch.Tensor]:
    """As `_by_place`, on a GPU, where it takes one launch."""
    import cupy

    end = completion(r, p)
    slope = torch.empty_like(end)
    by_place = [cupy.asarray(one) for one in (at.double(), own.double(), r, p, end)]
    window = min(smoothing.window, at.shape[1] - 1)
    slopes(_cuda(), by_place, window, width, smoothing.temperature, cupy.asarray(slope))
    return end.sum(dim=1), slope


@cache
def _cuda() -> Cuda:
    return Cuda()


def _by_processor(
    at: torch.Tensor, own: torch.Tensor, r: torch.Tensor, p: torch.Tensor, width: float, smoothing: Smoothing
) -> tuple[torch.Tensor, torch.Tensor]:
    """As `_by_place`, sequence by sequence in compiled code, which is several times as fast; without temperature."""
    rows, n = at.shape
    slope, places = np.empty((rows, n)), np.arange(n)
    arrays = [one.numpy().astype(np.float64) for one in (own, at, r, p)]
    for k in range(rows):
        slopes_into(places, *(array[k] for array in arrays), width, smoothing.window, slope[k])
    return completion(r, p).sum(dim=1), torch.from_numpy(slope)


def _by_place(
    at: torch.Tensor, own: torch.Tensor, r: torch.Tensor, p: torch.Tensor, width: float, smoothing: Smoothing
) -> tuple[torch.Tensor, torch.Tensor]:
    """Jobs by place, (rows, n) each → costs, and the slope in the priority of each job."""
    n = at.shape[1]
    window = min(smoothing.window, n - 1)
    if window == 0:
        return completion(r, p).sum(dim=1), torch.zeros_like(r)
    costs, change = moved(r, p, window)
    step = torch.arange(1, window + 1, device=at.device)
    other = torch.arange(n, device=at.device)[:, None] + torch.cat([-step.flip(0), step])
    inside = (other >= 0) & (other < n)
    distance = (at[:, other.clamp(0, n - 1)] - own[:, :, None]) / width
    weight = torch.exp(-0.5 * distance.square()) * (inside / (width * math.sqrt(2.0 * math.pi)))
    if not smoothing.temperature:
        jump = change[:, :, 1:] - change[:, :, :-1]  # passing the job at place a + d, d = −window .. −1, 1 .. window
        return costs, (jump * weight).sum(dim=2)
    return costs, _favoured(change, distance, weight, inside, smoothing.temperature)


def _favoured(
    change: torch.Tensor, distance: torch.Tensor, weight: torch.Tensor, inside: torch.Tensor, temperature: float
) -> torch.Tensor:
    """The derivative of −T·log E exp(−C_i/T) instead of that of E C_i: cheap places count for more."""
    window = inside.shape[1] // 2
    # the own place is always there; a place beyond an end is not
    there = torch.nn.functional.pad(inside[:, window:], (window + 1, 0), value=True)
    there[:, :window] = inside[:, :window]
    change = change.masked_fill(~there, math.inf)
    chance = torch.exp((change.amin(dim=2, keepdim=True) - change) / temperature)
    below = torch.special.ndtr(distance)
    below[:, :, :window].masked_fill_(~inside[:, :window], 0.0)
    below[:, :, window:].masked_fill_(~inside[:, window:], 1.0)
    mass = torch.nn.functional.pad(below, (0, 1), value=1.0) - torch.nn.functional.pad(below, (1, 0))
    among = (chance * mass).sum(dim=2).clamp(min=1e-12)
    return -temperature * ((chance[:, :, 1:] - chance[:, :, :-1]) * weight).sum(dim=2) / among


def moved(r: torch.Tensor, p: torch.Tensor, window: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Jobs in order, (rows, n) each → their costs, and how these change once job a moves by d: (rows, n, 2·window + 1).

    d = −window .. window; the change means nothing where the job would leave the sequence. Each takes
    O(window + log n): the jobs passed one by one, all behind them by `Delay`.
    """
    rows, n = r.shape
    end = completion(r, p)
    free = torch.cat([r.amin(dim=1, keepdim=True), end[:, :-1]], dim=1)
    delay = Delay.of(r - free)
    around = torch.nn.functional.pad(torch.stack([free, r - free, (r - free).relu()]), (window, window))
    # earlier, column window − d: job a runs before job a − d, which is late then, as are those up to a − 1
    at, waits, idles = around.unfold(2, window, 1)
    own = torch.maximum(at[:, :n], r[:, :, None]) + p[:, :, None]
    late, sooner = own - at[:, :n], own - end[:, :, None]
    for j in range(window):
        here = slice(0, window - j)  # where d > j
        late[:, :, here] = torch.maximum(late[:, :, here], waits[:, j : j + n, here]) - idles[:, j : j + n, here]
        sooner[:, :, here] += late[:, :, here]
    place = torch.arange(n, device=r.device)[:, None]
    sooner += delay.total(late + (free - end)[:, :, None], (place + 1).expand(rows, n, window))
    # later: jobs a + 1 .. a + d run without job a, and then it does
    passed, parts = torch.zeros_like(r), []
    behind = torch.nn.functional.pad(torch.stack([r, p, end]), (0, window))
    for d in range(1, window + 1):
        release, length, ended = behind[:, :, d : d + n]
        free = torch.maximum(free, release) + length
        passed = passed + free - ended
        last = torch.maximum(free, r) + p
        parts.append(torch.stack([passed + last - end, last - ended]))
    later, late = torch.stack(parts, dim=-1)
    after = (place + torch.arange(2, window + 2, device=r.device)).clamp(max=n)
    later = later + delay.total(late, after.expand(rows, n, window))
    return end.sum(dim=1), torch.cat([sooner, torch.zeros_like(r)[:, :, None], later], dim=2)


@dataclass(frozen=True, eq=False)
class Delay:
    """What it costs that the machine is free s later before job k, for jobs in order; O(log n) each, exact.

    The machine waits w_k for job k (negative: the job waits), idles max(0, w_k), and J_k up to there. Job m ≥ k ends

        max(s + J_{k−1}, max_{k≤l≤m} (w_l + J_{l−1})) − J_m

    later. The inner maximum grows with m: before the first l at which w_l + J_{l−1} is above s + J_{k−1} it does not
    count, and from there on s does not. That l is found in tables of maxima over 1, 2, 4, … jobs.
    """

    highest: list[torch.Tensor]
    #: (rows, n + 1), as what follows: J_{k−1}, Σ_{m≥k} J_m, and Σ_{m≥k} max_{k≤l≤m} (w_l + J_{l−1}).
    idled: torch.Tensor
    idle: torch.Tensor
    without: torch.Tensor

    @classmethod
    def of(cls, wait: torch.Tensor) -> Delay:
        """w of (rows, n)."""
        pad = torch.nn.functional.pad
        n = wait.shape[1]
        total = wait.relu().cumsum(dim=1)
        idled = pad(total, (1, 0))
        level = wait + idled[:, :-1]
        highest = [pad(level, (0, n + 1), value=math.inf)]
        while 2 ** len(highest) <= n:
            step = 2 ** (len(highest) - 1)
            last = highest[-1]
            highest.append(torch.maximum(last, pad(last[:, step:], (0, step), value=math.inf)))
        idle = pad(total.flip(1).cumsum(dim=1).flip(1), (0, 1))
        found = cls(highest, idled, idle, idle)
        # from each job to the next above it, and on from there, by doubling
        place = torch.arange(n, device=wait.device)
        following = found._first(level, (place + 1).expand(wait.shape))
        without = pad(level * (following - place), (0, 1))
        following = pad(following, (0, 1), value=n)
        for _ in highest:
            without = without + without.gather(1, following)
            following = following.gather(1, following)
        return cls(highest, idled, idle, without)

    def _first(self, above: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        """The first job from k on whose level is above; n if none is. (rows, any) each."""
        for step in range(len(self.highest) - 1, -1, -1):
            k = k + 2**step * (self.highest[step].gather(1, k) <= above)
        return k

    def total(self, late: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        """(rows, …) each: the sum over jobs from k ≤ n on."""
        shape = late.shape
        late, k = late.reshape(len(late), -1), k.reshape(len(late), -1)
        above = late + self.idled.gather(1, k)
        first = self._first(above, k)
        costs = above * (first - k) + self.without.gather(1, first) - self.idle.gather(1, k)
        return costs.reshape(shape)


def completion(r: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    """C of jobs in the order of the last axis."""
    done = p.cumsum(dim=-1)
    return done + (r - (done - p)).cummax(dim=-1).values
