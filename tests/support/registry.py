"""The registered problems by kind."""

from __future__ import annotations

from colayer.problem.bind import bind
from colayer.problems import find_problem, problem_names


def static_names() -> tuple[str, ...]:
    """Those of one decision; days have tests of their own."""
    return tuple(name for name in problem_names() if not bind(find_problem(name)).dynamic)
