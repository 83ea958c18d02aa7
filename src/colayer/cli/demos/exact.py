"""What is best of all, for the table: the exact solver, and hindsight of days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from colayer._runtime.clock import clock
from colayer.comparison.contender import EXACT
from colayer.comparison.table import Comparison
from colayer.dynamic.bound import BoundDynamic

if TYPE_CHECKING:
    from colayer.cli.lookup import SomeProblem

HINDSIGHT = "hindsight, knowing the day"
#: Of how many days the time of hindsight is taken.
_TIMED = 5


class Answers(NamedTuple):
    """Costs, lower bounds and seconds of the exact solver, by instance."""

    costs: list[float]
    bounds: list[float]
    seconds: list[float]


def exact_answers(problem: SomeProblem, instances: Sequence[Any], progress: Any, done: Callable[[], None]) -> Answers:
    """Return what the exact solver finds within the problem's time limit."""
    found = Answers([], [], [])
    for instance in instances:
        begin = clock()
        solution, bound, _ = problem.solve_exactly(instance, time_limit=problem.tight_seconds, progress=progress)
        found.seconds.append(clock() - begin)
        found.costs.append(problem.cost(solution, instance))
        cheap = problem.lower_bound(instance)
        found.bounds.append(bound if cheap is None else max(bound, cheap))
        done()
    return found


def with_exact(comparison: Comparison, answers: Answers) -> Comparison:
    """Return the comparison with the exact solver among the contenders."""
    return _with(comparison, EXACT, answers.costs, answers.seconds)


def with_hindsight(comparison: Comparison, problem: SomeProblem, days: Sequence[Any]) -> Comparison:
    """Return the comparison with hindsight, whose cost is the bound, where it is exact."""
    bounds = [row[0].bound for row in comparison.rows]
    known = [bound for bound in bounds if bound is not None]
    if not isinstance(problem, BoundDynamic) or problem.hindsight is None or len(known) < len(bounds):
        return comparison
    begin = clock()
    for day in days[:_TIMED]:
        problem.hindsight_decisions(day)
    seconds = (clock() - begin) / len(days[:_TIMED])
    return _with(comparison, HINDSIGHT, known, [seconds] * len(known))


def _with(comparison: Comparison, name: str, costs: Sequence[float], seconds: Sequence[float]) -> Comparison:
    """Return the comparison with one more contender, a solver, of known costs and times."""
    results = [
        result
        for row, cost, time in zip(comparison.rows, costs, seconds, strict=True)
        for result in (*row, replace(row[0], contender=name, cost=cost, seconds=time))
    ]
    names, kinds = (*comparison.contenders, name), (*comparison.kinds, "solver")
    return replace(comparison, contenders=names, results=tuple(results), kinds=kinds)
