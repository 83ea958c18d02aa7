"""Lagrangian bound and heuristic: prices by Polyak steps, solutions from the trees that the prices give."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.clock import clock
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.relaxation import Relaxation
from colayer.problems.spanning_tree.rounding import Incumbent
from colayer.problems.spanning_tree.solution import Solution

PROGRESS = 0.03  # of the gap: what counts as a better bound
PATIENCE = 10  # iterations without one, after which
CUT = 0.7  # is multiplied to the step factor,
SHORTEST = 0.01  # which ends the ascent when it is that small
ROUND_EVERY = 20  # iterations
ROUND_EARLY = (1, 5, 10)  # and at these: a good solution makes good steps


@dataclass(frozen=True)
class Lagrangian:
    """The best solution found, its cost and a lower bound on the cost of any; `bounds` and `costs` are by iteration."""

    solution: Solution
    cost: float
    bound: float
    iterations: int
    bounds: Floats
    costs: Floats
    seconds: float

    @property
    def gap(self) -> float:
        """Return the relative gap between cost and bound."""
        return relative_gap(self.cost, self.bound)


def relative_gap(cost: float, bound: float) -> float:
    """Return (cost − bound) / |bound|: 0 if they are equal, infinite if the bound alone is 0."""
    if cost <= bound:
        return 0.0
    return (cost - bound) / abs(bound) if bound != 0 else math.inf


def lagrangian(
    instance: Instance, iterations: int = 1000, tolerance: float = 1e-4, workers: int | None = None
) -> Lagrangian:
    """Close in with bound and solution until their relative gap is at most `tolerance`.

    Prices begin at the costs c and take Polyak steps towards the best cost known. The ascent also ends after
    `iterations`, and when steps have become so short that the bound will not rise any more: the gap that is left is
    then the relaxation's own. The bound is computed in whole numbers and valid without a tolerance; where all costs are
    whole it is rounded up to a multiple of 1/S, as all costs of solutions are. The result does not depend on `workers`.
    """
    compile_kernels()
    began = clock()
    bounds: list[float] = []
    costs: list[float] = []
    with closing(Relaxation(instance, workers)) as relaxation:
        incumbent = Incumbent(instance, relaxation.edges, None)

        def done(bound: float) -> bool:
            bounds.append(min(bound, incumbent.cost))
            costs.append(incumbent.cost)
            return relative_gap(costs[-1], bounds[-1]) <= tolerance

        ascend(relaxation, incumbent, iterations, done)
    by_iteration = np.array(bounds), np.array(costs)
    return Lagrangian(incumbent.solution, costs[-1], bounds[-1], len(bounds), *by_iteration, clock() - began)


@cache
def compile_kernels() -> None:
    """Take all steps once on a triangle, so that no clock counts the compiler's time."""
    edges, first = np.array([[0, 1], [1, 2], [0, 2]]), np.array([-3.0, -2.0, -1.0])
    triangle = Instance(3, edges, first, np.array([[-1.0, -4.0, 0.0], [0.0, 0.0, -5.0]]))
    relaxation = Relaxation(triangle, workers=1)
    incumbent = Incumbent(triangle, relaxation.edges, None)
    ascend(relaxation, incumbent, 2, lambda bound: False)
    incumbent.fraction[:] = 0.5  # all edges in doubt: the local search too
    incumbent.round()
    relaxation.close()


def ascend(
    relaxation: Relaxation,
    incumbent: Incumbent,
    iterations: int,
    done: Callable[[float], bool],
    factor: float = 1.0,
    shortest: float = SHORTEST,
) -> bool:
    """Improve the prices step by step and round them to solutions; `done` gets the best bound after each iteration.

    Return whether all scenarios agreed on the first stage, which ends the ascent because it is then optimal.
    """
    best: int | None = None
    stalled = 0
    for k in range(1, iterations + 1):
        value, norm = relaxation.solve()
        incumbent.average(relaxation.counts)
        agreed = norm == 0  # all scenarios take the same first stage: with it their trees are an optimal solution
        if agreed:
            incumbent.forget()
            incumbent.average(relaxation.counts)
        if agreed or k % ROUND_EVERY == 0 or k in ROUND_EARLY or k == iterations:
            incumbent.round()
        if best is None or value > best:
            old = -math.inf if best is None else relaxation.exact_bound(best)
            best, here = value, relaxation.exact_bound(value)
            stalled = 0 if here - old > PROGRESS * (incumbent.cost - old) else stalled + 1
        else:
            stalled += 1
        if done(relaxation.bound(best)) or agreed:
            return agreed
        if stalled >= PATIENCE:
            factor, stalled = factor * CUT, 0
            if factor < shortest:
                break
        relaxation.step(factor * max(incumbent.cost - relaxation.exact_bound(value), relaxation.unit), norm)
    return False
