"""Weight vectors that are good together: the best of K on every instance, chosen greedily from what was evaluated.

The mean over the instances of the least loss is a monotone supermodular function of the set of weight vectors, so that
the greedy choice keeps 1 − 1/e of the best possible gain over the first member, and every beginning of a portfolio is
one (docs/guarantees.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Evaluator
from colayer.learning.journal import Record
from colayer.learning.portfolio.sigma import SHARES
from colayer.models import norm

#: Members of a portfolio at most, by default.
MEMBERS = 32
#: Weight vectors of the search that are taken into the pool, those of least loss.
_VISITED = 100
#: Draws for each σ, and of how many evaluations each of them takes one.
_DRAWS, _SHARE = 24, 40


class Remembering:
    """An evaluator that keeps the losses of every weight vector it was asked for."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[bytes, Floats] = {}

    def losses(self, weights: Floats) -> Floats:
        """Return those of the evaluator; nothing is computed twice."""
        rows = np.asarray(weights, dtype=np.float64)
        keys = [row.tobytes() for row in rows]
        new = [k for k, key in enumerate(keys) if key not in self._known]
        if new:
            for k, losses in zip(new, self._evaluator.losses(rows[new]), strict=True):
                self._known[keys[k]] = losses
        return np.array([self._known[key] for key in keys])

    def close(self) -> None:
        """Forget them; the evaluator is closed by whoever made it."""
        self._known.clear()


def greedy(losses: Floats, first: int, count: int) -> list[int]:
    """Choose rows of `losses` (rows, instances): `first`, then what lowers the mean of the minimum most, up to `count`.

    It ends where no row lowers it. Of equals the first is taken.
    """
    chosen, least = [first], losses[first]
    while len(chosen) < count:
        sums = np.minimum(losses, least).sum(axis=1)
        best = int(np.argmin(sums))
        if not sums[best] < least.sum():
            break
        chosen.append(best)
        least = np.minimum(least, losses[best])
    return chosen


def choose_portfolio(
    evaluators: Sequence[Evaluator],
    visited: Sequence[Record],
    weights: Floats,
    scale: Floats,
    seed: int,
    count: int,
    length: float | None = None,
) -> Floats:
    """Choose up to `count` weight vectors, `weights` first, from the best visited and from draws around the answer.

    The draws take about an eighth of the evaluations that the search had; `length` is as in `choose_sigma`.
    """
    if count == 1:
        return np.empty((0, len(weights)))
    best = sorted(visited, key=lambda record: (record.loss, record.evaluation))[:_VISITED]
    pool = np.vstack([weights[None, :], *(np.array(record.weights)[None, :] for record in best)])
    length = norm(weights) if length is None else length
    draws = min(_DRAWS, sum(record.cost for record in visited) // _SHARE)
    if length > 0.0 and draws:
        random = seeds.generator(seed, seeds.PORTFOLIO)
        Z = random.standard_normal((len(SHARES), draws, len(weights)))
        pool = np.vstack([pool, *(weights + share * length * part for share, part in zip(SHARES, Z, strict=True))])
    losses = np.concatenate([evaluator.losses(pool / scale) for evaluator in evaluators], axis=1)
    return pool[greedy(losses, 0, count)]
