"""Contenders on the same instances, each solving once: costs, gaps and times in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from colayer.comparison.contender import Contender, contenders_named
from colayer.comparison.race import race
from colayer.comparison.table import Comparison, comparison_of
from colayer.errors import InputError
from colayer.io.validate import number
from colayer.pipeline import Pipeline
from colayer.problem.abilities import Progress
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.instances import numbering
from colayer.problem.protocol import Problem, X, Y, Z


def evaluate(
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    contenders: Mapping[str, Pipeline[X, Y, Z] | Callable[[X], Z]] | Sequence[Contender[X, Z]],
    *,
    bounds: Sequence[float | None] | None = None,
    best: Sequence[float] | None = None,
    warm_up: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Run every contender on every instance, one after the other, and time each. Infeasible solutions are refused.

    Parameters
    ----------
    problem
        The problem.
    instances
        The instances to solve.
    contenders
        Pipelines, or functions from an instance to a solution, by name.
    bounds
        Lower bounds for the gaps, one per instance (`tight_bounds` gives good ones); by default the cheap ones.
    best
        Best known costs, one per instance: gaps are then to these, and may be negative.
    warm_up
        Whether each contender runs once before the clock starts, so that compilation is not timed; turn it off for
        slow contenders.
    progress
        Called with (runs done, runs in all).

    Returns
    -------
    Comparison
        The result of each contender on each instance, and means.
    """
    if bounds is not None and len(bounds) != len(instances):
        raise InputError(f"{len(bounds)} bounds, expected {len(instances)}, one per instance", where="bounds")
    if best is not None and len(best) != len(instances):
        raise InputError(f"{len(best)} values, expected {len(instances)}, one per instance", where="best")
    known = None if best is None else [number(value, f"best[{i}]") for i, value in enumerate(best)]
    chosen = contenders_named(contenders) if isinstance(contenders, Mapping) else contenders
    strict = [replace(one, strict=True) for one in chosen]  # in a table of means nobody can be left out
    found = race(bind(problem), instances, strict, one_core=False, warm_up=warm_up, progress=progress)
    return comparison_of(found, bounds, known)


def tight_bounds(
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    *,
    time_limit: float | None = None,
    known: Sequence[float | None] = (),
    progress: Progress | None = None,
    done: Callable[[], None] = lambda: None,
) -> list[float]:
    """Return the better of the cheap bound and the exact solver's, within `time_limit` seconds per instance.

    `known` are bounds that need not be computed again; `done` is called after each instance.
    """
    bound_problem: BoundProblem[X, Y, Z] = bind(problem)
    bound_problem.need("exact")
    bounds = []
    with numbering(instances):
        for i, instance in enumerate(instances):
            tight = known[i] if known else None
            if tight is None:
                tight = bound_problem.solve_exactly(instance, time_limit=time_limit, progress=progress)[1]
            cheap = bound_problem.lower_bound(instance)
            bounds.append(tight if cheap is None else max(tight, cheap))
            done()
    return bounds
