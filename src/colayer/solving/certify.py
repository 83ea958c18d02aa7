"""Go on from a pipeline's solution with the exact solver, until it is proved or the time is over."""

from __future__ import annotations

from dataclasses import replace

from colayer._runtime.clock import clock
from colayer.pipeline import Solved
from colayer.problem.abilities import Progress
from colayer.problem.compose import cost_of, solve_exactly
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
    """The better of the pipeline's and the exact solver's solution, with the better bound; `certified` says if proved.

    The exact solver starts from the solution given and stops after `time_limit` seconds. `progress` is called with
    (bound, best cost).
    """
    begin = clock()
    found = solve_exactly(problem, instance, time_limit=time_limit, progress=progress, start=solved.solution)
    solution, bound, _ = found
    cost = cost_of(problem, solution, instance)
    if cost < solved.cost:
        solved = replace(solved, solution=solution, cost=cost, source="exact")
    bound = bound if solved.bound is None else max(bound, solved.bound)
    seconds = solved.seconds + clock() - begin
    certified = proves(solved.cost, bound)
    return replace(solved, bound=bound, gap=gap(solved.cost, bound), seconds=seconds, certified=certified)
