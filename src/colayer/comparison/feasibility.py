"""Whether a solution is one: what the problem itself says against it."""

from __future__ import annotations

from colayer.capabilities import Judges, ReadsSolutions, WritesSolutions
from colayer.errors import ColayerError, InputError
from colayer.problem import Problem, X, Y, Z
from colayer.text import first_line, short


def refusal(problem: Problem[X, Y, Z], solution: Z, instance: X) -> str | None:
    """What makes a solution infeasible, in a sentence: `violation` says it, else `read_solution` of what was written.

    None where it is feasible, or where the problem has no way to tell.
    """
    if isinstance(problem, Judges):
        said = problem.violation(solution, instance)
        if said is not None and not isinstance(said, str):
            raise InputError(f"violation of {problem.name} returned {short(said)}, expected a sentence or None")
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
