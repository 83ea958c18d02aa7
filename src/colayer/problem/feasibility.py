"""Whether a solution is feasible, by what the problem itself says against it."""

from __future__ import annotations

from typing import Any

from colayer._runtime.text import first_line, typed_line
from colayer.errors import ColayerError, InputError
from colayer.problem.bind import BoundProblem
from colayer.problem.gap import ROUNDING
from colayer.problem.protocol import X, Y, Z


def refusal(
    problem: BoundProblem[X, Y, Z], solution: Z, instance: X, *, cost: float | None = None, bound: float | None = None
) -> str | None:
    """Return in a sentence what makes a solution infeasible; None if it is feasible.

    `violation` says it, else `read_solution` of what was written. A cost below a lower bound says it as well.
    """
    said = _said_by_problem(problem, solution, instance)
    if said is None and cost is not None and bound is not None:
        said = below_bound(cost, bound)
    return said


def below_bound(cost: float, bound: float) -> str | None:
    """Return a sentence if a cost is below a lower bound by more than rounding; else None."""
    if bound - cost <= ROUNDING * max(abs(cost), abs(bound)):
        return None
    return f"it costs {cost:.10g}, less than the lower bound {bound:.10g}"


def _said_by_problem(problem: BoundProblem[X, Y, Z], solution: Z, instance: X) -> str | None:
    if problem.violation is not None:
        said = problem.violation(solution, instance)
        return None if said is None else f"violation says: {first_line(InputError(said or 'something is wrong'))}"
    if problem.write_solution is None or problem.read_solution is None:
        return None
    own: Any = problem.problem  # without the guard: what `read_solution` raises is a verdict on the solution
    method = "write_solution"
    try:
        document = own.write_solution(solution, instance)
        method = "read_solution"
        own.read_solution(document, instance)
    except (ColayerError, ValueError) as error:
        return first_line(error)
    except Exception as error:
        return f"{method} raised {typed_line(error)}"
    return None
