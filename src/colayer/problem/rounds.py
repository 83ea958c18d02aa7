"""Rounds: solve, look at the solution, solve again, with the same weights every time.

    θ_r = φ(x, z_{r−1})·(w∘e_r),   z_r = the solution at θ_r,   z_0 = None

A problem whose `features` take the solution of the round before can say what a solution does to itself, which features
of the instance alone cannot. The best solution of all rounds counts.

e_r is 1, but for features that the problem says hold on to the solution before (`holds`): after the first round it is 0
for one half of them, drawn, and exponential for the others. So every round is free to change another part of the
solution. The draws depend on the number of the round alone: learning knows them. Without such features, a solution that
comes again ends the rounds, since from there on everything would repeat itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.snapshot import difference, snapshot
from colayer.errors import InputError, OptionError
from colayer.models.thetas import theta_blocks
from colayer.problem.compose import costs, decoded, features_of
from colayer.problem.protocol import Declared, Features, Floats, Problem, X, Y, Z, declared

#: More rounds than any use of them needs; beyond, a mistake is likelier.
MOST = 10_000
#: Seed of the factors.
_DRAWN = 0xE0


def check_rounds(problem: Problem[X, Y, Z], rounds: int) -> None:
    """Refuse a number of rounds that makes no sense, and more than one where features take no solution."""
    if isinstance(rounds, bool) or not isinstance(rounds, int | np.integer):
        raise OptionError(f"{rounds!r} is not a whole number", where="--rounds")
    if not 1 <= rounds <= MOST:
        raise OptionError(f"{rounds} is out of range, expected 1 to {MOST}", where="--rounds")
    if rounds > 1 and not declared(problem).looks_back:
        raise OptionError(f"features of {declared(problem).title} take no solution, expected 1", where="--rounds")


def features_after(problem: Problem[X, Y, Z], instance: X, solution: Z, rows: int) -> NDArray[Any]:
    """φ(x, z), checked: as many rows as in the first round."""
    features = features_of(problem, instance, solution)
    if len(features) != rows:
        raise InputError(
            f"features of {problem.name} have {len(features)} rows after a solution, expected {rows} as in round 1"
        )
    return features


def factors(known: Declared, number: int, rows: int = 1) -> Floats:
    """e of the round `number`, 0, 1, …, for each of several weight vectors (rows, d): of mean 1."""
    holding = [name in known.holds for name in known.feature_names]
    e = np.ones((rows, known.dimension))
    if number == 0 or not any(holding):
        return e
    for row in range(rows):
        random = np.random.default_rng(np.random.SeedSequence(_DRAWN, spawn_key=(number, row)))
        drawn = 2.0 * random.exponential(size=known.dimension) * (random.random(known.dimension) < 0.5)
        e[row, holding] = drawn[holding]
    return e


class Round(NamedTuple, Generic[Z]):
    """One round: what was looked at, with which weights, and what was found."""

    features: NDArray[Any]
    weights: Floats
    solution: Z
    cost: float


def chain(
    problem: Problem[X, Y, Z], features: NDArray[Any], weights: Floats, instance: X, rounds: int
) -> Iterator[Round[Z]]:
    """The rounds of one weight vector (raw units), from the features of the first."""
    known = declared(problem)
    seen: list[tuple[Z, float]] = []
    for number in range(rounds):
        drawn = weights * factors(known, number)[0]
        ((_, (theta,)),) = theta_blocks(features, drawn[None, :])
        solution, cost = decoded(problem, theta, instance)
        yield Round(features, drawn, solution, cost)
        if number == rounds - 1 or (not known.holds and repeated(solution, cost, seen)):
            return
        seen.append((solution, cost))
        features = features_after(problem, instance, solution, len(features))


def repeated(solution: Z, cost: float, seen: Sequence[tuple[Z, float]]) -> bool:
    """Whether a solution is one of those seen, each with its cost."""
    return any(cost == other and _same(solution, one) for one, other in seen)


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return difference(snapshot(one), snapshot(other), "solution") is None


@dataclass(frozen=True, eq=False)
class InRounds(Generic[X, Y, Z]):
    """A problem of which evaluators give the loss after so many rounds; all else is that of the problem."""

    problem: Problem[X, Y, Z]
    rounds: int

    @property
    def name(self) -> str:
        """That of the problem."""
        return self.problem.name

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Those of the problem."""
        return self.problem.feature_names

    def features(self, instance: X, /) -> Features:
        """Those of the first round."""
        return self.problem.features(instance)

    def layer(self, theta: Floats, instance: X, /) -> Y:
        """That of the problem."""
        return self.problem.layer(theta, instance)

    def decode(self, y: Y, instance: X, /) -> Z:
        """That of the problem."""
        return self.problem.decode(y, instance)

    def cost(self, solution: Z, instance: X, /) -> float:
        """That of the problem."""
        return self.problem.cost(solution, instance)

    def scale(self, instance: X, /) -> float:
        """That of the problem."""
        return self.problem.scale(instance)


def in_rounds(problem: Problem[X, Y, Z], rounds: int) -> Problem[X, Y, Z]:
    """The problem for evaluators, in so many rounds."""
    return problem if rounds == 1 else InRounds(problem, rounds)


def apart(problem: Problem[X, Y, Z]) -> tuple[Problem[X, Y, Z], int]:
    """The problem itself, and in how many rounds."""
    return (problem.problem, problem.rounds) if isinstance(problem, InRounds) else (problem, 1)


def costs_after(problem: Problem[X, Y, Z], features: NDArray[Any], weights: Floats, instance: X, rounds: int) -> Floats:
    """The least cost of `rounds` rounds on one instance, under each row of `weights`."""
    if rounds == 1:
        return costs(problem, features, weights, instance)
    return np.array([min(one.cost for one in chain(problem, features, row, instance, rounds)) for row in weights])
