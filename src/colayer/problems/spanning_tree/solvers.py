"""Solvers beside the pipeline: plain rules for the comparison tables, and the best solver there is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from colayer.problem.gap import proves
from colayer.problems.spanning_tree.branching import branch_and_bound
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.rounding import approximation
from colayer.problems.spanning_tree.solution import Solution

#: Once the relative gap is this small, `exact` continues only for a while.
CLOSE = 1e-4
#: Subproblems that `exact` may search to close the rest of the gap, once it is at most CLOSE.
SUBPROBLEMS = 30
#: Iterations of the baseline "lagrangian".
QUICK = 100


def no_first_stage(instance: Instance) -> Solution:
    """Return E_1 = ∅ with a minimum spanning tree in each scenario."""
    return complete(np.empty(0, dtype=np.int64), instance)[0]


#: The plain rules by name. approximation: the layer at (c, mean_s d), decoded: the pipeline of the safe weights.
#: no first stage: E_1 = ∅. lagrangian: bound and heuristic, up to a gap of 0.01 % or QUICK iterations.
BASELINES: dict[str, Callable[[Instance], Solution]] = {
    "approximation": approximation,
    "no first stage": no_first_stage,
    "lagrangian": lambda instance: lagrangian(instance, iterations=QUICK).solution,
}


def exact(
    instance: Instance,
    time_limit: float | None = None,
    progress: Callable[[float, float], None] | None = None,
    start: Solution | None = None,
) -> tuple[Solution, float, bool]:
    """Return (best solution, lower bound on the optimal cost, whether the two meet).

    Run the Lagrangian bound and heuristic, then branch and bound on it. Most often bound and cost end equal: the search
    goes on for that, but not beyond 30 subproblems once the gap is at most 0.01 %, nor beyond `time_limit` seconds.
    `start` is a known solution; `progress` is called with (bound, best cost) after each iteration.
    """
    solution, bound = branch_and_bound(instance, time_limit, progress, start, tolerance=CLOSE, subproblems=SUBPROBLEMS)
    return solution, bound, proves(cost(solution, instance), bound)
