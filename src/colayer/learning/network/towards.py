"""Gradients with respect to θ towards the best of one's own perturbed solutions, and of a known one.

As in `learning.experience.imitation`, with y_0 at θ itself, y_1..y_K at θ ± sZ_k, and where a solution of the instance
is known its target ȳ beside them: q = softmax(−C/(τ·std C)) over all, and

    g = Σ_k q_k·embed(y_k) + q·ȳ − mean_k embed(y_k).

While the known solution is much better it is imitated; once the own ones are as good, they teach themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from colayer.capabilities import SolvesMany
from colayer.learning.experience.imitation import softmin
from colayer.learning.network.context import pack
from colayer.learning.network.course import Batch, Slope
from colayer.learning.network.source import Item, Source
from colayer.problem import Floats
from colayer.threads import Threads


@dataclass(frozen=True)
class Draws:
    """Pairs ±Z of draws; `sigma` is relative to the spread of θ over the rows, `temperature` to that of costs."""

    pairs: int = 8
    sigma: float = 0.03
    #: What σ is multiplied by in the course of the training.
    fall: float = 0.3
    temperature: float = 0.4


class Layered:
    """Batches of items, and their gradient by the problem's own layer and costs, instances shared between threads."""

    def __init__(
        self,
        problem: SolvesMany[Any],
        source: Source[Item[Any]],
        count: int,
        draws: Draws,
        threads: Threads,
        device: str,
    ) -> None:
        self.problem, self.source, self.count = problem, source, count
        self.draws, self.threads, self.device = draws, threads, device

    def batch(self, random: np.random.Generator) -> Batch:
        """Items that were drawn."""
        items = self.source.batch(self.count, random)
        rows = pack([item.inputs for item in items], [item.structure for item in items], self.device)
        start = torch.from_numpy(np.concatenate([item.start for item in items]).astype(np.float32))
        return Batch(rows, start.to(self.device), partial(self._slope, items, random))

    def _slope(
        self, items: Sequence[Item[Any]], random: np.random.Generator, theta: torch.Tensor, share: float
    ) -> Slope:
        """θ (packed rows) → its gradient, each instance divided by its number of rows."""
        values = theta.cpu().numpy().astype(np.float64)
        ends = np.cumsum([len(item.start) for item in items])
        seeds = random.integers(2**63, size=len(items))
        sigma = self.draws.sigma * (self.draws.fall**share)
        out = np.empty(len(values), dtype=np.float32)

        def one(k: int) -> float:
            low, high = int(ends[k]) - len(items[k].start), int(ends[k])
            gradient, cost = self._gradient(values[low:high], items[k], int(seeds[k]), sigma)
            out[low:high] = gradient / (len(gradient) * len(items))
            return cost

        costs = self.threads.map(one, range(len(items)))
        return torch.from_numpy(out).to(theta.device), torch.tensor(float(np.mean(costs)))

    def _gradient(self, theta: Floats, item: Item[Any], seed: int, sigma: float) -> tuple[Floats, float]:
        """Σ q_k·embed(y_k) + q·ȳ − mean embed(y_k), and the cost of y_0 over that of the known solution."""
        draws = self.draws
        half = np.random.default_rng(seed).standard_normal((draws.pairs, len(theta)))
        many = np.vstack([np.zeros((1, len(theta))), half, -half])
        many *= sigma * float(theta.std())
        many += theta
        ys, costs = self.problem.solved(many, item.instance)
        known = costs if item.target is None else np.append(costs, item.cost)
        spread = float(costs.std())
        ratio = (float(costs[0]) - item.cost) / abs(item.cost)
        if spread == 0.0:
            return np.zeros(len(theta)), ratio
        q = softmin(known, draws.temperature * spread)
        gradient = self.problem.mixed(ys, q[: len(costs)] - 1.0 / len(costs), item.instance)
        if item.target is not None:
            gradient = gradient + q[-1] * item.target
        return gradient, ratio
