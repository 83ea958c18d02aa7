"""Weight vectors that are good together: the best of K on every instance, chosen greedily from a pool.

The pool must not consist of near-copies of the answer: it always holds the simple answers (the safe weights and every
feature alone) and draws around the *unlearned* rule, beside draws around the learned weights and what the search saw.
Members are chosen by what they contribute, not by their mean; around the first of them the pool is drawn once more.
The mean over the instances of the least loss is a monotone supermodular function of the set of weight vectors, so that
the greedy choice keeps 1 − 1/e of the best possible gain over the first member, and every beginning of a portfolio is
one (paper/docs/proofs.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Evaluator
from colayer.learning.journal import Record
from colayer.learning.portfolio.sigma import SHARES
from colayer.models import norm

#: Members of a portfolio at most, by default.
MEMBERS = 32
#: Weight vectors of the search that are taken into the pool: those of least loss, and as many spread over the search.
_VISITED = 100
#: Draws for each σ around each center at most, and of how many evaluations each of them takes one.
_DRAWS, _SHARE = 24, 60
#: First members that draws go around, their σ as shares of the norm of the member, and of how many evaluations each
#: draw takes one.
_AROUND, _NEAR, _NEAR_SHARE = 8, (0.3, 0.1, 0.03), 150


class Chosen(NamedTuple):
    """A portfolio: its members, their losses (members, instances), and the best σ for draws around the unlearned rule.

    That σ is a share of the norm of the rule's weights; None where there is no rule.
    """

    members: Floats
    losses: Floats
    rule_sigma: float | None


class Remembering:
    """An evaluator that keeps the losses of every weight vector it was asked for."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._known: dict[bytes, Floats] = {}

    def losses(self, weights: Floats) -> Floats:
        """Return those of the evaluator; nothing is computed twice."""
        rows = np.asarray(weights, dtype=np.float64)
        keys = [row.tobytes() for row in rows]
        new = [k for k, key in enumerate(keys) if key not in self._known]
        if new:
            for k, losses in zip(new, self.evaluator.losses(rows[new]), strict=True):
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
    simple: Floats | None = None,
    length: float | None = None,
) -> Chosen:
    """Choose up to `count` weight vectors, `weights` first.

    `simple` are simple answers, the unlearned rule first. The draws take about a third of the evaluations that the
    search had; `length` is as in `choose_sigma`.
    """
    spent = sum(record.cost for record in visited)
    random = seeds.generator(seed, seeds.PORTFOLIO)
    draws = min(_DRAWS, max(1, spent // _SHARE))
    rule = weights if simple is None else simple[0]
    rows = [weights[None, :], rule[None, :], _around(random, rule, SHARES, draws, length)]
    if simple is not None:
        rows += [simple[1:], _around(random, weights, SHARES, draws, length)]
    best = sorted(visited, key=lambda record: (record.loss, record.evaluation))[:_VISITED]
    spread = visited[:: max(1, len(visited) // _VISITED)]
    rows.append(np.array([record.weights for record in [*best, *spread]]))
    pool = np.vstack(rows)
    losses = _losses(evaluators, pool / scale)
    first = greedy(losses, 0, min(count, _AROUND))
    near = [_around(random, pool[k], _NEAR, max(1, spent // _NEAR_SHARE), length) for k in first]
    drawn = losses[2 : 2 + len(SHARES) * draws].reshape(len(SHARES), draws, -1)
    means = np.minimum(losses[1], drawn.min(axis=1)).mean(axis=1)
    pool = np.vstack([pool, *near])
    losses = np.vstack([losses, _losses(evaluators, np.vstack(near) / scale)])
    members = greedy(losses, 0, count)
    rule_sigma = None if simple is None else SHARES[int(np.argmin(means))]
    return Chosen(pool[members], losses[members], rule_sigma)


def _around(
    random: np.random.Generator, center: Floats, shares: Sequence[float], count: int, length: float | None
) -> Floats:
    """Return `count` draws around a center for each share of its norm, or of `length`."""
    Z = random.standard_normal((len(shares), count, len(center)))
    size = norm(center) if length is None else length
    return np.vstack([center + share * size * part for share, part in zip(shares, Z, strict=True)])


def _losses(evaluators: Sequence[Evaluator], rows: Floats) -> Floats:
    """Return the losses (rows, instances) on the instances of all evaluators."""
    return np.concatenate([evaluator.losses(rows) for evaluator in evaluators], axis=1)
