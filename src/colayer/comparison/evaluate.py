"""Contenders on the same instances, each solving once: costs, gaps and times in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from colayer.comparison.contender import Contender, contenders_named
from colayer.comparison.race import race
from colayer.comparison.table import Comparison, tabled
from colayer.errors import InputError
from colayer.pipeline import Pipeline
from colayer.problem.abilities import Exact, Progress, bound_of, need
from colayer.problem.compose import solve_exactly
from colayer.problem.protocol import Problem, X, Y, Z


def evaluate(
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    contenders: Mapping[str, Pipeline[X, Y, Z] | Callable[[X], Z]] | Sequence[Contender[X, Z]],
    *,
    bounds: Sequence[float | None] | None = None,
    warm_up: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Run every contender on every instance, one after the other, and time each.

    Contenders are pipelines, or functions from an instance to a solution, by name. Gaps are to `bounds`, one per
    instance (`tight_bounds` gives good ones), else to the problem's cheap bound. An infeasible solution is refused.
    `warm_up` runs each contender once before the clock starts, so that compilation is not timed; turn it off for slow
    contenders. `progress` is called with (runs done, runs in all).
    """
    if bounds is not None and len(bounds) != len(instances):
        raise InputError(f"{len(bounds)} of them, expected one for each of {len(instances)} instances", where="bounds")
    chosen = contenders_named(contenders) if isinstance(contenders, Mapping) else list(contenders)
    strict = [_strict(contender) for contender in chosen]
    found = race(problem, instances, strict, one_core=False, warm_up=warm_up, progress=progress)
    return tabled(found, bounds)


def tight_bounds(
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    *,
    time_limit: float | None = None,
    known: Sequence[float | None] = (),
    progress: Progress | None = None,
    done: Callable[[], None] = lambda: None,
) -> list[float]:
    """The better one of the cheap bound and that of the exact solver, within `time_limit` seconds per instance.

    `known` are bounds that need not be computed again; `done` is called after each instance.
    """
    need(problem, Exact)
    bounds = []
    for i, instance in enumerate(instances):
        tight = known[i] if known else None
        if tight is None:
            tight = solve_exactly(problem, instance, time_limit=time_limit, progress=progress)[1]
        cheap = bound_of(problem, instance)
        bounds.append(tight if cheap is None else max(tight, cheap))
        done()
    return bounds


def _strict(contender: Contender[X, Z]) -> Contender[X, Z]:
    """One whose faults and infeasible solutions end the comparison: in a table of means nobody can be left out."""
    return replace(contender, strict=True)
