"""Whether a solution is one: what the problem itself says against it."""

from __future__ import annotations

from colayer._runtime.text import first_line
from colayer.errors import ColayerError, InputError
from colayer.problem.abilities import Judges, ReadsSolutions, WritesSolutions
from colayer.problem.answers import refused
from colayer.problem.faults import calling, title
from colayer.problem.gap import ROUNDING
from colayer.problem.protocol import Problem, X, Y, Z


def refusal(
    problem: Problem[X, Y, Z], solution: Z, instance: X, *, cost: float | None = None, bound: float | None = None
) -> str | None:
    """What makes a solution infeasible, in a sentence: `violation` says it, else `read_solution` of what was written.

    A cost below a lower bound says it as well. None where nothing does.
    """
    said = _refusal(problem, solution, instance)
    if said is None and cost is not None and bound is not None and below(cost, bound):
        said = f"it costs {cost:.10g}, less than the lower bound {bound:.10g}"
    return said


def below(cost: float, bound: float) -> bool:
    """Whether a cost is less than a lower bound by more than rounding: no solution can be."""
    return bound - cost > ROUNDING * max(abs(cost), abs(bound))


def _refusal(problem: Problem[X, Y, Z], solution: Z, instance: X) -> str | None:
    if isinstance(problem, Judges):
        with calling(problem, "violation"):
            said = problem.violation(solution, instance)
        if said is not None and not isinstance(said, str):
            raise refused(f"violation of {title(problem)}", said, "a sentence or None")
        return None if said is None else f"violation says: {first_line(InputError(said or 'something is wrong'))}"
    if not (isinstance(problem, WritesSolutions) and isinstance(problem, ReadsSolutions)):
        return None
    try:
        problem.read_solution(problem.write_solution(solution, instance), instance)
    except (ColayerError, ValueError) as error:
        return first_line(error)
    except Exception:
        return None  # no verdict: `colayer check` says what is wrong with the two
    return None
