"""The members of a portfolio for rounds: chosen one after the other, each for the round that it is used in.

In rounds, what a weight vector is worth depends on the solution it looks at. So the portfolio is built along them:
every instance keeps the solution of its last round; all vectors of a pool are tried there, and the one with the least
mean of the best loss so far becomes the next member. Where features do not look at solutions, this is the greedy choice
of `portfolio.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from colayer.compose import decoded, theta_blocks
from colayer.evaluators.visit import Visits
from colayer.held import Held
from colayer.learning.journal import Record
from colayer.problem import Floats, X, Y, Z
from colayer.rounds import features_after

#: Members at most, vectors of the search in the pool, and draws.
_STEPS, _VISITED, _DRAWS = 20, 8, 48
#: The share of the weights that a draw changes.
_CHANGED = 0.5

_SPAWN_KEY = (0xF1,)


class State(NamedTuple):
    """One instance along the rounds: the solution of the last one, None before the first, and the best loss so far."""

    solution: Any = None
    loss: float = math.inf


@dataclass(frozen=True, eq=False)
class Trial:
    """Every vector of a pool (raw units) for the next round; called with an instance it gives their losses."""

    pool: Floats
    states: tuple[State, ...]

    def __call__(self, held: Held[X, Y, Z]) -> Floats:
        """The loss of each vector in view of the solution that the instance has come to."""
        return np.array([loss for _, loss in _solved(held, self.states[held.number], self.pool)])


@dataclass(frozen=True, eq=False)
class Step:
    """One round with the vector chosen; called with an instance it gives its next state."""

    weights: Floats
    states: tuple[State, ...]

    def __call__(self, held: Held[X, Y, Z]) -> State:
        """The solution found, and the best loss so far."""
        before = self.states[held.number]
        ((solution, loss),) = _solved(held, before, self.weights[None, :])
        return State(solution, min(loss, before.loss))


def _solved(held: Held[X, Y, Z], state: State, weights: Floats) -> list[tuple[Z, float]]:
    problem, instance = held.problem, held.instance
    features = held.matrix.T
    if state.solution is not None:
        features = features_after(problem, instance, state.solution, len(features))
    found = [decoded(problem, theta, instance) for _, block in theta_blocks(features, weights) for theta in block]
    return [(solution, cost / held.scale) for solution, cost in found]


def choose_schedule(
    visits: Visits, instances: int, visited: Sequence[Record], weights: Floats, scale: Floats, seed: int, count: int
) -> Floats:
    """Up to `count` weight vectors in model units, `weights` first, in the order of the rounds; none where count is 1.

    The pool holds the best that the search visited, and draws in which half of the weights, of one of these, are
    multiplied by exponential numbers: features that are of use in one round may be left out in another.
    """
    if count == 1:
        return np.empty((0, len(weights)))
    pool = _pool(visited, weights, seed)
    states: tuple[State, ...] = (State(),) * instances
    every, chosen = list(range(instances)), [0]
    for step in range(min(count, _STEPS)):
        if step:
            losses = np.array(visits.visit(Trial(pool / scale, states), every))
            least = np.minimum(losses, np.array([state.loss for state in states])[:, None]).sum(axis=0)
            chosen.append(int(np.lexsort((losses.sum(axis=0), least))[0]))
        states = tuple(visits.visit(Step(pool[chosen[-1]] / scale, states), every))
    return pool[chosen]


def _pool(visited: Sequence[Record], weights: Floats, seed: int) -> Floats:
    best = sorted(visited, key=lambda record: (record.loss, record.evaluation))[:_VISITED]
    centres = np.vstack([weights[None, :], *(np.array(record.weights)[None, :] for record in best)])
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=_SPAWN_KEY))
    around = centres[random.integers(len(centres), size=_DRAWS) * (random.random(_DRAWS) < 0.5)]  # half: the weights
    factors = random.exponential(size=around.shape)
    changed = random.random(around.shape) < _CHANGED
    return np.vstack([centres, np.where(changed, factors, 1.0) * around])
