"""Weight vectors that are good one after the other: a portfolio for rounds, in the order in which `solve` takes turns.

What a round needs depends on the solution it looks at: a first solution is made anew, a later one is held on to and
mended. So members are chosen round by round, where the members before them have led to: of a pool, the vector that
most lowers the mean loss of the round, then the one that does so beside it. The pool of a round are the last members
and draws around those of the round before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.evaluators.visit import LoadedInstance, Visits
from colayer.learning.portfolio.sigma import SHARES
from colayer.models import norm
from colayer.models.thetas import theta_blocks
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z
from colayer.problem.rounds import factors, features_after

#: Members of a round; `solve` with as many candidates takes the turns that were chosen.
PER_ROUND = 2
#: Draws of a round at most, and of how many evaluations of the search each of them takes one. After every few rounds
#: there are fewer: a half, a third, …
_DRAWS, _SHARE, _FEWER = 96, 5, 4
#: Members before that are in the pool.
_LAST = 8
#: Spread of the logarithms of factors: for every weight, and one for all that hold on to the solution before.
_EACH, _HOLD = 0.5, 1.0


@dataclass(frozen=True, eq=False)
class RoundOnInstance(Generic[X, Y, Z]):
    """One round on an instance, at the features that see its solution of the round before (by number)."""

    #: Raw units; in `losses` one block (rows, d) for each place in the round.
    weights: Floats
    before: Mapping[int, Z]

    def losses(self, held: LoadedInstance[X, Y, Z]) -> Floats:
        """(places, rows): the loss of every weight vector."""
        features = self._features(held)
        return np.array([_costs(held, features, block) for block in self.weights]) / held.scale

    def solution(self, held: LoadedInstance[X, Y, Z]) -> Z:
        """The best solution of the rows."""
        found = (held.problem.best_of(b, held.instance) for _, b in theta_blocks(self._features(held), self.weights))
        return min(found, key=lambda one: one[2])[1]

    def _features(self, held: LoadedInstance[X, Y, Z]) -> NDArray[Any]:
        if held.number not in self.before:
            return held.matrix.T
        return features_after(held.problem, held.instance, self.before[held.number], held.matrix.shape[1])


class RoundInstances:
    """The instances of several evaluators, and the solution of the round before of each."""

    def __init__(self, parts: Sequence[tuple[Visits, int]]) -> None:
        self._parts = [(visits, list(range(count))) for visits, count in parts]
        self._before: list[dict[int, Any]] = [{} for _ in parts]

    def losses(self, weights: Floats) -> Floats:
        """Return the losses, (places, rows, instances)."""
        parts = [visits.visit(RoundOnInstance(weights, known).losses, all_) for visits, all_, known in self._each()]
        return np.stack([losses for part in parts for losses in part], axis=2)

    def step(self, weights: Floats) -> None:
        """Go on to the solutions of a round with these rows."""
        self._before = [
            dict(zip(all_, visits.visit(RoundOnInstance(weights, known).solution, all_), strict=True))
            for visits, all_, known in self._each()
        ]

    def _each(self) -> list[tuple[Visits, list[int], dict[int, Any]]]:
        return [(*part, known) for part, known in zip(self._parts, self._before, strict=True)]


def choose_round_portfolio(
    instances: RoundInstances,
    problem: BoundProblem[X, Y, Z],
    weights: Floats,
    scale: Floats,
    seed: int,
    count: int,
    evaluations: int,
) -> Floats:
    """Choose up to `count` weight vectors, `weights` first, `PER_ROUND` for each round.

    For each member it takes up to draws + 8 solves of the layer for every instance; there are more draws where the
    search had more `evaluations`.
    """
    members = [weights]
    draws = min(_DRAWS, evaluations // _SHARE)
    holding = np.array([name in problem.memory_features for name in problem.feature_names])
    for number in range(count // PER_ROUND):
        last = members[-PER_ROUND:]
        random = seeds.generator(seed, seeds.TURNS, number)
        drawn = [_drawn(random, last[k % len(last)], k, holding) for k in range(draws // (1 + number // _FEWER))]
        pool = np.array([*_distinct(members[-_LAST:]), *drawn])
        e = factors(problem, number, PER_ROUND)
        losses = instances.losses(pool * e[:, None, :] / scale)
        chosen = _greedy(losses, first=0 if number == 0 else None)
        members = [*members[: PER_ROUND * number], *pool[chosen]]
        instances.step(pool[chosen] * e / scale)
    return np.array(members)


def _drawn(random: np.random.Generator, centre: Floats, number: int, holding: NDArray[np.bool_]) -> Floats:
    """Draw weights by turns: every weight times a factor, one for all that hold; or something added to every weight."""
    normal = random.standard_normal(len(centre) + 1)
    if number % 4 == 3:
        return np.asarray(centre + SHARES[number // 4 % 2] * norm(centre) / np.sqrt(len(centre)) * normal[1:])
    return np.asarray(centre * np.exp(np.where(holding, _HOLD * normal[0], _EACH * normal[1:])))


def _greedy(losses: Floats, first: int | None) -> list[int]:
    """Choose a row for each place: the one that most lowers the mean of the least loss of the places so far."""
    chosen: list[int] = []
    least = np.full(losses.shape[2], np.inf)
    for place, rows in enumerate(losses):
        sums = np.minimum(rows, least).sum(axis=1)
        chosen.append(first if place == 0 and first is not None else int(np.argmin(sums)))
        least = np.minimum(least, rows[chosen[-1]])
    return chosen


def _distinct(rows: Sequence[Floats]) -> list[Floats]:
    """Return each row once, in order."""
    return list({row.tobytes(): row for row in rows}.values())


def _costs(held: LoadedInstance[X, Y, Z], features: NDArray[Any], weights: Floats) -> Floats:
    problem = held.problem
    if problem.solved is not None:
        blocks = theta_blocks(features, weights)
        return np.concatenate([problem.solved(block, held.instance)[1] for _, block in blocks])
    return problem.costs(features, weights, held.instance)
