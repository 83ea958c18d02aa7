"""Gradients with respect to θ towards the best of one's own perturbed solutions, and of a known one.

As in `learning.search.own_best`, with y_0 at θ itself, y_1..y_K at θ ± sZ_k, and where a solution of the instance
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
from colayer.learning.network.items import Item
from colayer.learning.network.trainer import Batch, batch_of
from colayer.learning.search.own_best import softmin
from colayer.problem.bind import BoundProblem
from colayer_paper.network_source import Source


@dataclass(frozen=True)
class Draws:
    """Pairs ±Z of draws; `sigma` is relative to the spread of θ over the rows, `temperature` to that of costs."""

    pairs: int = 8
    sigma: float = 0.03
    #: What σ is multiplied by in the course of the training.
    fall: float = 0.3
    temperature: float = 0.4


@dataclass(frozen=True, eq=False)
class ImitationBatches:
    """Batches of items, and their gradient by the problem's own layer and costs, instances shared between threads."""

    problem: BoundProblem[Any, Any, Any]
    source: Source[Item[Any]]
    count: int
    draws: Draws
    threads: Threads
    device: str

    def batch(self, random: np.random.Generator) -> Batch:
        """Draw items."""
        items = self.source.batch(self.count, random)
        seeds = random.integers(2**63, size=len(items))

        def gradient(k: int, theta: Floats, share: float) -> tuple[Floats, float]:
            sigma = self.draws.sigma * (self.draws.fall**share)
            found, behind = self._gradient(theta, items[k], int(seeds[k]), sigma)
            return found / len(found), behind

        return batch_of(items, gradient, self.threads, self.device)

    def _gradient(self, theta: Floats, item: Item[Any], seed: int, sigma: float) -> tuple[Floats, float]:
        """Return Σ q_k·embed(y_k) + q·ȳ − mean embed(y_k), and the cost of y_0 over that of the known solution."""
        draws = self.draws
        half = np.random.default_rng(seed).standard_normal((draws.pairs, len(theta)))
        many = np.vstack([np.zeros((1, len(theta))), half, -half])
        many *= sigma * float(theta.std())
        many += theta
        ys, costs = self.problem.need("solved")(many, item.instance)
        known = costs if item.target is None else np.append(costs, item.cost)
        spread = float(costs.std())
        ratio = (float(costs[0]) - item.cost) / abs(item.cost)
        if spread == 0.0:
            return np.zeros(len(theta)), ratio
        q = softmin(known, draws.temperature * spread)
        gradient = self.problem.need("mixed")(ys, q[: len(costs)] - 1.0 / len(costs), item.instance)
        if item.target is not None:
            gradient = gradient + q[-1] * item.target
        return gradient, ratio
