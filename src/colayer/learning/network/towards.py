"""Gradients with respect to θ towards the best of one's own perturbed solutions, and of a known one.

As in `learning.experience.imitation`, with y_0 at θ itself, y_1..y_K at θ + sZ_k, and where a solution of the instance
is known its target ȳ beside them: q = softmax(−C/(τ·std C)) over all, and

    g = Σ_k q_k·embed(y_k) + q·ȳ − mean_k embed(y_k).

While the known solution is much better it is imitated; once the own ones are as good, they teach themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from colayer.capabilities import SolvesMany
from colayer.learning.network.source import Item
from colayer.models.context import sequence_of
from colayer.problem import Floats
from colayer.problems.single_machine.instance import Instance as Jobs
from colayer.structure import Order
from colayer.threads import Threads


@dataclass(frozen=True)
class Draws:
    """K draws; `sigma` is relative to the spread of θ over the rows, or absolute; `temperature` to that of costs."""

    count: int = 20
    sigma: float = 0.03
    absolute: bool = False
    temperature: float = 0.4


class Layered:
    """By the problem's own layer and costs, instances shared between threads."""

    def __init__(self, problem: SolvesMany[Any], draws: Draws, threads: Threads) -> None:
        self.problem, self.draws, self.threads = problem, draws, threads

    def __call__(self, theta: torch.Tensor, batch: Sequence[Item[Any]], random: np.random.Generator) -> torch.Tensor:
        """θ (packed rows) → its gradient, each instance divided by its number of rows."""
        values = theta.detach().cpu().numpy().astype(np.float64)
        ends = np.cumsum([len(item.start) for item in batch])
        seeds = random.integers(2**63, size=len(batch))
        out = np.empty(len(values), dtype=np.float32)

        def one(k: int) -> float:
            low, high = int(ends[k]) - len(batch[k].start), int(ends[k])
            gradient, cost = self._gradient(values[low:high], batch[k], int(seeds[k]))
            out[low:high] = gradient / len(gradient)
            return cost

        self.costs = self.threads.map(one, range(len(batch)))
        return torch.from_numpy(out).to(theta.device)

    def _gradient(self, theta: Floats, item: Item[Any], seed: int) -> tuple[Floats, float]:
        """Σ q_k·embed(y_k) + q·ȳ − mean embed(y_k), and the cost of y_0 over that of the known solution."""
        draws = self.draws
        many = np.random.default_rng(seed).standard_normal((draws.count + 1, len(theta)))
        many[0] = 0.0
        many *= draws.sigma if draws.absolute else draws.sigma * float(theta.std())
        many += theta
        ys, costs = self.problem.solved(many, item.instance)
        known = costs if item.target is None else np.append(costs, item.cost)
        spread = float(costs.std())
        ratio = (float(costs[0]) - item.cost) / abs(item.cost)
        if spread == 0.0:
            return np.zeros(len(theta)), ratio
        q = np.exp(-(known - known.min()) / (draws.temperature * spread))
        q /= q.sum()
        gradient = self.problem.mixed(ys, q[: len(costs)] - 1.0 / len(costs), item.instance)
        if item.target is not None:
            gradient = gradient + q[-1] * item.target
        return gradient, ratio


class Sorted:
    """For 1 | r_j | Σ C_j in torch alone, all instances and draws at once: C = cumsum p + cummax(r − (cumsum p − p)).

    With a `window`, each job is judged by its neighbourhood alone, since a change elsewhere is no merit of its own:
    instead of all of Σ C_i, the jobs up to so many places from it, from the moment T that
    the jobs before them are done, Σ (C_i − T), and the moment T' that they are done themselves, for as many jobs as
    follow in the busy block, (T' − T) each.
    """

    def __init__(self, draws: Draws, window: int = 0) -> None:
        self.draws, self.window = draws, window

    def __call__(self, theta: torch.Tensor, batch: Sequence[Item[Jobs]], random: np.random.Generator) -> torch.Tensor:
        """θ (packed rows, jobs by their order) → its gradient, each instance divided by its number of rows."""
        device, sizes = theta.device, np.array([len(item.start) for item in batch])
        width = int(sizes.max())
        inside = torch.from_numpy(np.arange(width) < sizes[:, None]).to(device)
        counts = torch.from_numpy(sizes).to(device)

        def wide(packed: Sequence[np.ndarray]) -> torch.Tensor:
            out = torch.zeros(len(batch), width, device=device)
            out[inside] = torch.from_numpy(np.concatenate(packed).astype(np.float32)).to(device)
            return out

        sequences = [sequence_of(item.structure) for item in batch]
        r, p = (
            wide([getattr(item.instance, name)[sequence] for item, sequence in zip(batch, sequences, strict=True)])
            for name in ("release", "processing")
        )
        values = torch.full((len(batch), width), torch.inf, device=device)
        values[inside] = theta.detach()
        generator = torch.Generator(device=device).manual_seed(int(random.integers(2**62)))
        noise = torch.randn(len(batch), self.draws.count + 1, width, generator=generator, device=device)
        noise[:, 0] = 0.0
        if not self.draws.absolute:
            centre = torch.where(inside, values, 0.0).sum(1) / counts
            square = torch.where(inside, values - centre[:, None], 0.0).square().sum(1) / counts
            noise *= square.sqrt()[:, None, None]
        order = torch.argsort(values[:, None, :] + self.draws.sigma * noise, dim=2)
        completion = self._completion(order, r, p)
        completion = torch.where(inside[:, None, :], completion, 0.0)
        position = torch.empty_like(order).scatter_(2, order, torch.arange(width, device=device).expand_as(order))
        good = torch.tensor([item.cost for item in batch], device=device, dtype=torch.float64)
        self.costs = (completion[:, 0].sum(dim=1) / good - 1.0).cpu().tolist()
        if self.window:
            orders = [next(one for one in item.structure if isinstance(one, Order)) for item in batch]
            after = wide([one.amounts[one.permutation, 1] for one in orders])
            own = order[:, :1]  # places are those at θ itself
            placed = completion.gather(2, own.expand_as(completion))
            local = self._local(placed, after.gather(1, own[:, 0]), counts)
            merit = torch.empty_like(local).scatter_(2, own.expand_as(local), local)
        else:
            merit = completion.sum(dim=2, keepdim=True)
        spread = merit.std(dim=1, keepdim=True).clamp(min=1e-9)
        q = torch.softmax(-(merit - merit.amin(dim=1, keepdim=True)) / (self.draws.temperature * spread), dim=1)
        gradient = -((q.float() - 1.0 / (self.draws.count + 1)) * position).sum(dim=1)
        return (torch.tanh(gradient) / counts[:, None])[inside].float()

    @staticmethod
    def _completion(order: torch.Tensor, r: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """(instances, draws, jobs): C_j of each order, by job."""
        release, work = (values[:, None, :].expand(order.shape).gather(2, order).double() for values in (r, p))
        done = work.cumsum(dim=2)
        completion = done + (release - (done - work)).cummax(dim=2).values
        return torch.empty_like(completion).scatter_(2, order, completion)

    def _local(self, completion: torch.Tensor, after: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        """(instances, draws, jobs): Σ (C_i − T) over the window of each job, and (T' − T) for all that follow."""
        zero = torch.zeros_like(completion[:, :, :1])
        total = torch.cat([zero, completion.cumsum(dim=2)], dim=2)
        until = torch.cat([zero, completion.cummax(dim=2).values], dim=2)
        place = torch.arange(completion.shape[2], device=completion.device)[None, :]
        high = torch.minimum(place + self.window + 1, counts[:, None])
        low = torch.minimum((place - self.window).clamp(min=0), high)
        following = (after - self.window).clamp(min=0)[:, None, :]
        low, high = (bound[:, None, :].expand_as(completion) for bound in (low, high))
        begin, end = until.gather(2, low), until.gather(2, high)
        return total.gather(2, high) - total.gather(2, low) - (high - low) * begin + following * (end - begin)
