"""Gradients with respect to θ towards the best of one's own perturbed solutions, and of a known one.

As in `learning.experience.imitation`, with y_0 at θ itself, y_1..y_K at θ ± sZ_k, and where a solution of the instance
is known its target ȳ beside them: q = softmax(−C/(τ·std C)) over all, and

    g = Σ_k q_k·embed(y_k) + q·ȳ − mean_k embed(y_k).

While the known solution is much better it is imitated; once the own ones are as good, they teach themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.threads import Threads
from colayer.learning.network.averaged import Batch, batch_of
from colayer.learning.network.context import Packed, joined, pack
from colayer.learning.network.source import Item, Source
from colayer.learning.search.imitation import softmin
from colayer.problem.abilities import SolvesMany


@dataclass(frozen=True)
class Draws:
    """Pairs ±Z of draws; `sigma` is relative to the spread of θ over the rows, `temperature` to that of costs."""

    pairs: int = 8
    sigma: float = 0.03
    #: What σ is multiplied by in the course of the training.
    fall: float = 0.3
    temperature: float = 0.4


@dataclass(frozen=True, eq=False)
class Placed:
    """An item, and its rows on the device: they go there once."""

    item: Item[Any]
    rows: Packed

    @classmethod
    def on(cls, device: str, item: Item[Any]) -> Placed:
        """The item there."""
        return cls(item, pack([item.inputs], [item.structure], device))


class Layered:
    """Batches of items, and their gradient by the problem's own layer and costs, instances shared between threads."""

    def __init__(
        self,
        problem: SolvesMany[Any],
        source: Source[Placed],
        count: int,
        draws: Draws,
        threads: Threads,
        device: str,
    ) -> None:
        self.problem, self.source, self.count = problem, source, count
        self.draws, self.threads, self.device = draws, threads, device

    def batch(self, random: np.random.Generator) -> Batch:
        """Items that were drawn."""
        drawn = self.source.batch(self.count, random)
        items = [one.item for one in drawn]
        seeds = random.integers(2**63, size=len(items))

        def gradient(k: int, theta: Floats, share: float) -> tuple[Floats, float]:
            sigma = self.draws.sigma * (self.draws.fall**share)
            found, behind = self._gradient(theta, items[k], int(seeds[k]), sigma)
            return found / len(found), behind

        return batch_of(items, gradient, self.threads, self.device, rows=joined([one.rows for one in drawn]))

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
