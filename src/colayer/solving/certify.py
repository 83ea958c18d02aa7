"""Go on from a pipeline's solution with the exact solver, until it is proved or the time is over."""

from __future__ import annotations

from dataclasses import replace

from colayer._runtime.clock import clock
from colayer.pipeline import Solved
from colayer.problem.abilities import Progress
from colayer.problem.bind import bind
from colayer.problem.gap import gap, proves
from colayer.problem.protocol import Problem, X, Y, Z


def certify(
    problem: Problem[X, Y, Z],
    instance: X,
    solved: Solved[Z],
    *,
    time_limit: float | None = 60.0,
    progress: Progress | None = None,
) -> Solved[Z]:
    """Continue from a solution with the exact solver; return the better solution with the better bound.

    Parameters
    ----------
    problem, instance
        What was solved.
    solved
        The solution of `Pipeline.solve` to start from.
    time_limit
        Seconds for the exact solver; None for as long as it takes.
    progress
        Called with (bound, best cost) while the solver runs.

    Returns
    -------
    Solved
        `certified` says whether the solution is proved optimal.
    """
    begin = clock()
    own = bind(problem)
    solution, bound, _ = own.solve_exactly(instance, time_limit=time_limit, progress=progress, start=solved.solution)
    cost = own.cost(solution, instance)
    if cost < solved.cost:
        solved = replace(solved, solution=solution, cost=cost, source="exact")
    bound = bound if solved.bound is None else max(bound, solved.bound)
    seconds = solved.seconds + clock() - begin
    certified = proves(solved.cost, bound)
    return replace(solved, bound=bound, gap=gap(solved.cost, bound), seconds=seconds, certified=certified)
