"""What a problem of a user's makes of all instances before and after learning: feasible solutions, and their losses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from colayer.errors import InputError
from colayer.models.thetas import theta_blocks
from colayer.pipeline import Pipeline
from colayer.problem.bind import BoundProblem
from colayer.problem.feasibility import refusal
from colayer.problem.protocol import X, Y, Z


def feasible_losses(
    problem: BoundProblem[X, Y, Z], instances: Sequence[X], learned: Pipeline[X, Y, Z] | None = None
) -> list[float]:
    """Refuse a problem that decodes infeasible solutions: their costs teach nothing. Return the losses of the others.

    Those of the pipeline `learned`, or, before there is one, of the safe weights, else of ones. Ours have tests of
    their own, and may be large: none is looked at.
    """
    if problem.built_in:
        return []
    losses = []
    weights = np.ones(problem.dimension) if problem.safe_weights is None else problem.safe_weights
    if learned is None and problem.dynamic:
        learned = Pipeline(problem, weights)
    for i, instance in enumerate(instances):
        if learned is None:
            ((_, (theta,)),) = theta_blocks(problem.features(instance), weights[None, :])
            solution, cost = problem.solution_at(theta, instance)
        else:
            solved = learned.solve(instance)
            solution, cost = solved.solution, solved.cost
        said = refusal(problem, solution, instance, cost=cost, bound=problem.lower_bound(instance))
        if said is not None:
            raise InputError(f"{problem.name} decoded an infeasible solution: {said}", where=f"instance {i}")
        losses.append(cost / problem.scale(instance))
    return losses
