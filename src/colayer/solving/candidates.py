"""Many weight vectors for one instance: members of a portfolio, draws around them, and the best solution of all.

Features are computed once, or once per round where they look at the solution of the round before (`rounds.py`). θ go
to the problem in blocks, so that a compiled problem shares work between them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer._runtime.clock import clock
from colayer.learning.perturbation import draws
from colayer.models import LinearModel, Model
from colayer.models.thetas import theta_blocks, thetas
from colayer.problem.abilities import ByWeights
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z
from colayer.problem.rounds import factors, features_after, repeated
from colayer.problem.theta import correction_of

#: The most candidates between two looks at the clock.
_BLOCK = 32
#: Members that draws go around once all members were tried, and draws of a wave.
_WINNERS, _WAVE = 4, 16
#: Candidates of a round, where rounds are all that the time allows.
_PER_ROUND = 2

#: Weight vectors in model units, and their names.
Rows = tuple[Floats, list[str]]


@dataclass(frozen=True)
class Found(Generic[Z]):
    """The best solution so far, what it came from, how many weight vectors were tried, and in how many rounds."""

    solution: Z
    cost: float
    source: str
    tried: int
    rounds: int = 1

    def after(self, tried: int) -> Found[Z]:
        """Return the same with another number of weight vectors tried."""
        return replace(self, tried=tried)


def members_of(model: Model) -> Floats:
    """Return the portfolio, or the weights alone if there is none."""
    return model.portfolio if len(model.portfolio) else model.weights[None, :]


def fixed_rows(
    model: Model, candidates: int, samples: int, sigma: float | None, seed: int, features: NDArray[Any] | None = None
) -> Rows:
    """Return up to `candidates` members of the portfolio and `samples` draws; with names.

    Members come in the order that the model's selector gives for the instance of these features, where it has one, else
    the weights first. Where the portfolio has fewer members, draws around the weights stand in for them.
    """
    order = model.members(candidates, features)
    members = members_of(model)[order]
    count = samples + candidates - len(members)
    names = ["learned" if k == 0 else f"member {k + 1}" for k in order]
    if count == 0:
        return members, names
    width = _width(model, sigma)
    drawn = model.weights + width * draws(seed, count, len(model.weights))
    return np.vstack([members, drawn]), names + [f"sample {k}" for k in range(1, count + 1)]


def rows_of_rounds(
    model: Model, candidates: int, samples: int, sigma: float | None, seed: int
) -> Callable[[int], Rows]:
    """Return a function from a round (0, 1, …) to its rows: the next `candidates` members, and new draws.

    After the last member comes the first of the second round: those of the first make a solution out of nothing.
    """
    members = members_of(model)
    count = min(candidates, len(members))
    size, drawn = len(members), samples + candidates - count
    again = count if size >= 2 * count else 0  # where the second turn begins
    width = _width(model, sigma)

    def rows(number: int) -> Rows:
        if number == 0:
            return fixed_rows(model, candidates, samples, sigma, seed)
        places = range(number * count, (number + 1) * count)
        turn = [0] if candidates == 1 else [k if k < size else again + (k - size) % (size - again) for k in places]
        around = model.weights + width * _normal(seed, (drawn, len(model.weights)), seeds.ROUND, number)
        names = ["learned" if k == 0 else f"member {k + 1}" for k in turn]
        return np.vstack([members[turn], around]), names + [f"sample {number * drawn + k + 1}" for k in range(drawn)]

    return rows


@dataclass(frozen=True, eq=False)
class Candidates(Generic[X, Y, Z]):
    """Weight vectors of one model, in model units, tried on one instance; at equal cost the first wins."""

    problem: BoundProblem[X, Y, Z]
    model: Model
    instance: X
    #: None where the problem finds solutions without (`by_weights`).
    features: NDArray[Any] | None
    seed: int = 0
    by_weights: ByWeights[Z] | None = None

    @classmethod
    def of(cls, problem: BoundProblem[X, Y, Z], model: Model, instance: X, seed: int = 0) -> Candidates[X, Y, Z]:
        """Return the candidates with the features of the instance, or without, where the problem can do that."""
        linear = isinstance(model, LinearModel) and model.selector is None
        solver = problem.by_weights(instance) if linear and problem.by_weights is not None else None
        return cls(problem, model, instance, problem.features(instance) if solver is None else None, seed, solver)

    def safe_solutions(self) -> Iterator[Found[Z]]:
        """Yield the solutions of the safe weights, and of the linear model beside a network."""
        for source, weights in (("safe", self.problem.safe_weights), ("linear", self.model.linear_fallback)):
            if weights is not None:
                yield Found(*self._at(weights), source, 1)

    def _at(self, weights: Floats) -> tuple[Z, float]:
        """Return the solution of linear weights in raw units, and its cost."""
        if self.features is None:
            return self._best_by_weights(weights[None, :])[1:]
        return self.problem.solution_at(thetas(self.features, weights[None, :])[0], self.instance)

    def _best_by_weights(self, weights: Floats) -> tuple[int, Z, float]:
        assert self.by_weights is not None
        return self.by_weights(weights)

    @cached_property
    def _correction(self) -> Floats | None:
        """What a network adds to each θ, computed once."""
        assert self.features is not None
        return correction_of(self.problem, self.model, self.instance, self.features)

    def best(self, rows: Floats, names: list[str]) -> Found[Z]:
        """Return the best of these rows, at equal cost the first."""
        raw = self.model.raw(rows)
        if self.features is None:
            row, solution, cost = self._best_by_weights(raw)
            return Found(solution, cost, names[row], len(rows))
        correction = self._correction
        found = (
            (first, *self.problem.best_of(block, self.instance, self.seed))
            for first, block in theta_blocks(self.features, raw, correction)
        )
        first, row, solution, cost = min(found, key=lambda block: block[3])
        return Found(solution, cost, "combined" if row < 0 else names[first + row], len(rows))

    def in_rounds(
        self, rounds: int, rows_of: Callable[[int], Rows], *, alone: bool = False, deadline: float | None = None
    ) -> Iterator[Found[Z]]:
        """Yield the best solution after each round; its features see the best of the round before.

        With one weight vector `alone`, a solution that comes again ends it; so does `deadline` (see `until`).
        """
        watch = None if deadline is None else _Deadline(deadline)
        best: Found[Z] | None = None
        seen: list[tuple[Z, float]] = []
        here, tried = self, 0
        for number in range(rounds):
            rows, names = rows_of(number)
            count = len(rows) if watch is None else watch.affordable(len(rows))
            if count == 0:
                return
            if seen:
                assert self.features is not None
                looked = features_after(self.problem, self.instance, seen[-1][0], len(self.features))
                here = replace(self, features=looked)
            found = here.best(rows[:count] * factors(self.problem, number, count), names[:count])
            tried += count
            if watch is not None:
                watch.tick(count)
            best = replace(found if best is None or found.cost < best.cost else best, tried=tried, rounds=number + 1)
            yield best
            if alone and not self.problem.memory_features and repeated(found.solution, found.cost, seen):
                return
            seen = [*(seen if alone else []), (found.solution, found.cost)]

    def until(
        self, deadline: float, rows: Floats, names: list[str], sigma: float | None, rounds: int = 1
    ) -> Iterator[Found[Z]]:
        """Yield the best solution after each block: these rows in order, then draws around the best of them.

        With more than one round, a few rows make a round, and mixtures of the rows come after them. It ends where the
        next one would not be done by `deadline`, a time of `clock`; one is always done.
        """
        if rounds > 1:
            yield from self.in_rounds(rounds, partial(self._in_turn, rows, names, sigma), deadline=deadline)
            return
        watch = _Deadline(deadline)
        best: Found[Z] | None = None
        good: list[tuple[float, int, Floats]] = []  # cost, number, weights
        for pool, labels in self._waves(rows, names, good, sigma):
            first = 0
            while first < len(pool):
                count = watch.affordable(len(pool) - first)
                if count == 0:
                    return
                found = self.best(pool[first : first + count], labels[first : first + count])
                watch.tick(count)
                place = labels.index(found.source) if found.source in labels else first  # parts of several: any of them
                good.append((found.cost, len(good), pool[place]))
                best = (found if best is None or found.cost < best.cost else best).after(watch.done)
                yield best
                first += count

    def _waves(
        self, rows: Floats, names: list[str], good: list[tuple[float, int, Floats]], sigma: float | None
    ) -> Iterator[Rows]:
        """Yield the rows, then waves of draws around the best of `good`, at σ, σ/2, σ/4, σ/8 in turn."""
        yield rows, names
        base = _width(self.model, sigma)
        for wave in itertools.count():
            centres = [weights for *_, weights in sorted(good, key=lambda one: one[:2])[:_WINNERS]]
            drawn = _normal(self.seed, (_WAVE, rows.shape[1]), seeds.WAVE, wave)
            around = np.array([centres[k % len(centres)] for k in range(_WAVE)])
            yield around + base * 0.5 ** (wave % 4) * drawn, [f"draw {wave * _WAVE + k + 1}" for k in range(_WAVE)]

    def _in_turn(self, rows: Floats, names: list[str], sigma: float | None, number: int) -> Rows:
        """Return the next few rows; after the last, mixtures that take each weight from one of two rows.

        Where there is one row alone, it is tried in every round, with draws around it.
        """
        first = number * _PER_ROUND
        if first < len(rows):
            return rows[first : first + _PER_ROUND], names[first : first + _PER_ROUND]
        drawn = [f"draw {first - len(rows) + k + 1}" for k in range(_PER_ROUND)]
        shape = (_PER_ROUND, rows.shape[1])
        if len(rows) == 1:
            base = _width(self.model, sigma)
            around = rows + base * 0.5 ** (number % 4) * _normal(self.seed, shape, seeds.MIXED, number)
            return np.vstack([rows, around[1:]]), [*names, *drawn[1:]]
        random = seeds.generator(self.seed, seeds.MIXED, number)
        one, other = rows[random.integers(len(rows), size=(2, _PER_ROUND))]
        return np.where(random.random(shape) < 0.5, one, other), drawn


def _width(model: Model, sigma: float | None) -> float:
    """Return the σ of draws: the given one, else the model's."""
    return model.default_sigma if sigma is None else sigma


def _normal(seed: int, shape: tuple[int, int], *key: int) -> Floats:
    return seeds.generator(seed, *key).standard_normal(shape)


class _Deadline:
    """A watch that says how many candidates fit before a deadline, by their mean time so far."""

    def __init__(self, deadline: float) -> None:
        self._deadline, self._begin, self.done = deadline, clock(), 0

    def tick(self, count: int) -> None:
        """Count so many more as done."""
        self.done += count

    def affordable(self, most: int) -> int:
        """Return 1 the first time, then at most as many as were done and as fit in half of the time left.

        The time of one is left over, for the bound.
        """
        now = clock()
        if self.done == 0:
            return 1
        each = max((now - self._begin) / self.done, 1e-9)
        fit = (self._deadline - now) / each - 1.0
        return 0 if fit < 1.0 else min(most, self.done, _BLOCK, max(1, int(fit / 2)))
