"""Rounds: solve, look at the solution, solve again, with the same weights every time.

    θ_r = φ(x, z_{r−1})·(w∘e_r),   z_r = the solution at θ_r,   z_0 = None

A problem whose `features` take the solution of the round before can say what a solution does to itself, which features
of the instance alone cannot. The best solution of all rounds counts.

e_r is 1, but for features that hold on to the solution before (`memory_features`): after the first round it is 0
for one half of them, drawn, and exponential for the others. So every round is free to change another part of the
solution. The draws depend on the number of the round alone: learning knows them. Without such features, a solution that
comes again ends the rounds, since from there on everything would repeat itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer._runtime.snapshot import difference, snapshot
from colayer.errors import InputError, OptionError
from colayer.models.model import MOST_ROUNDS
from colayer.models.thetas import theta_blocks
from colayer.problem.protocol import X, Y, Z

if TYPE_CHECKING:
    from colayer.problem.bind import BoundProblem

#: More rounds than any use of them needs.
MOST = MOST_ROUNDS


def check_rounds(problem: BoundProblem[X, Y, Z], rounds: int) -> None:
    """Refuse a number of rounds out of range, or more than one if features take no solution."""
    if isinstance(rounds, bool) or not isinstance(rounds, int | np.integer):
        raise OptionError(f"{rounds!r} is not a whole number", where="--rounds")
    if not 1 <= rounds <= MOST:
        raise OptionError(f"{rounds} is out of range, expected 1 to {MOST}", where="--rounds")
    if rounds > 1 and not problem.features_use_solution:
        raise OptionError(f"expected 1: features of {problem.title} do not take a solution", where="--rounds")


def features_after(problem: BoundProblem[X, Y, Z], instance: X, solution: Z, rows: int) -> NDArray[Any]:
    """Return φ(x, z), with as many rows as in the first round."""
    features = problem.features(instance, solution)
    if len(features) != rows:
        raise InputError(
            f"features of {problem.name} have {len(features)} rows after a solution, expected {rows} as in round 1"
        )
    return features


def factors(problem: BoundProblem[X, Y, Z], number: int, rows: int = 1) -> Floats:
    """Return the factors e of round `number` (0, 1, …) for several weight vectors (rows, d); their mean is 1."""
    memory = [name in problem.memory_features for name in problem.feature_names]
    e = np.ones((rows, problem.dimension))
    if number == 0 or not any(memory):
        return e
    for row in range(rows):
        random = seeds.generator(seeds.FACTORS, number, row)
        drawn = 2.0 * random.exponential(size=problem.dimension) * (random.random(problem.dimension) < 0.5)
        e[row, memory] = drawn[memory]
    return e


class Round(NamedTuple, Generic[Z]):
    """One round: its features and weights, and the solution it found."""

    features: NDArray[Any]
    weights: Floats
    solution: Z
    cost: float


def play_rounds(
    problem: BoundProblem[X, Y, Z], features: NDArray[Any], weights: Floats, instance: X, rounds: int
) -> Iterator[Round[Z]]:
    """Yield the rounds of one weight vector (raw units), from the features of the first."""
    seen: list[tuple[Z, float]] = []
    for number in range(rounds):
        drawn = weights * factors(problem, number)[0]
        ((_, (theta,)),) = theta_blocks(features, drawn[None, :])
        solution, cost = problem.solution_at(theta, instance)
        yield Round(features, drawn, solution, cost)
        if number == rounds - 1 or (not problem.memory_features and repeated(solution, cost, seen)):
            return
        seen.append((solution, cost))
        features = features_after(problem, instance, solution, len(features))


def least_cost(
    problem: BoundProblem[X, Y, Z], features: NDArray[Any], weights: Floats, instance: X, rounds: int
) -> float:
    """Return the least cost of all rounds of one weight vector."""
    return min(one.cost for one in play_rounds(problem, features, weights, instance, rounds))


def repeated(solution: Z, cost: float, seen: Sequence[tuple[Z, float]]) -> bool:
    """Tell whether a solution is among those seen, each given with its cost."""
    return any(cost == other and _same(solution, one) for one, other in seen)


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return difference(snapshot(one), snapshot(other), "solution") is None
