"""Solve one instance within a time limit: the cheapest solution first, the bound last, and neither if time is over.

The order is: the problem's quickest rule, features, the weights, the safe weights, other members and draws, the bound.
Long steps of built-in problems look at the deadline (`_runtime.deadline`) and are given up when it comes. Other steps
begin only if what a solution took so far is left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from colayer._runtime.clock import clock
from colayer._runtime.deadline import look, until
from colayer.errors import TimeOver
from colayer.models import Model
from colayer.problem.bind import BoundProblem
from colayer.problem.gap import gap
from colayer.problem.protocol import X, Y, Z
from colayer.solving.candidates import Candidates, Found, fixed_rows
from colayer.solving.solved import Origin, Solved

if TYPE_CHECKING:
    from colayer.solving.solve import SolveOptions


def solve_in_time(
    problem: BoundProblem[X, Y, Z],
    model: Model,
    instance: X,
    options: SolveOptions,
    rounds: int,
    *,
    safe: bool,
    begin: float,
) -> Solved[Z]:
    """Return the best solution found by `begin` + the time limit.

    The quickest rule counts as the safe weights do; unless `safe`, it stands in where there is no time for a candidate.
    """
    assert options.time_limit is not None
    end = begin + options.time_limit
    quick: Found[Z] | None = None
    if problem.quick is not None:
        solution = problem.quick(instance)
        quick = Found(solution, problem.cost(solution, instance), "quick", 0)
    best, each = quick, clock() - begin  # what one solution takes
    first = each
    steps = _candidates(problem, model, instance, options, rounds, end, each, safe=safe)
    with suppress(TimeOver):
        with until(math.inf if quick is None else end):  # one is always found
            best, each = next(steps)
        first = clock() - begin if quick is None else first
        with until(end):
            for found in steps:
                best, each = found
    assert best is not None
    if quick is not None and safe and quick.cost < best.cost:
        best = replace(quick, tried=best.tried, rounds=best.rounds)
    bound = None
    with suppress(TimeOver), until(end):
        if options.bound:
            look(each)
            bound = problem.lower_bound(instance)
    return Solved(
        best.solution, best.cost, bound, gap(best.cost, bound), clock() - begin, best.source,
        candidates=best.tried, origin=Origin(problem, instance), rounds=best.rounds, first_seconds=first,
    )  # fmt: skip


def _candidates(
    problem: BoundProblem[X, Y, Z],
    model: Model,
    instance: X,
    options: SolveOptions,
    rounds: int,
    end: float,
    expected: float,
    *,
    safe: bool,
) -> Iterator[tuple[Found[Z], float]]:
    """Yield the best so far and the seconds of one candidate; `expected` are those of the first."""
    look(expected)
    tried = Candidates.of(problem, model, instance, options.seed)
    count = max(options.candidates, len(model.portfolio))
    rows, names = fixed_rows(model, count, options.samples, options.sigma, options.seed, tried.features)
    learned = tried.until(end, rows, names, options.sigma, rounds)
    look(expected)
    begin = clock()
    best = next(learned)
    each, more = clock() - begin, 0
    yield best, each
    others = tried.safe_solutions() if safe else iter(())
    look(each)
    for other in others:
        more += 1
        best = replace(other if other.cost < best.cost else best, tried=best.tried + 1)
        yield best, each
        look(each)
    for found in learned:
        best = replace(found if found.cost < best.cost else best, tried=found.tried + more, rounds=found.rounds)
        yield best, each
