"""Call functions on instances where they are held: learners that need more than losses visit an evaluator's instances.

A learner passes a function of one `LoadedInstance`; it runs in the thread, process or node that holds the instance, and
the results come back in the order asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from colayer.evaluators.base import Evaluator
from colayer.evaluators.loaded import LoadedInstance
from colayer.evaluators.local import LocalEvaluator
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

R = TypeVar("R")


@runtime_checkable
class Visits(Protocol):
    """An evaluator that calls functions on the instances it holds."""

    def visit(self, work: Callable[[LoadedInstance[Any, Any, Any]], R], chosen: Sequence[int], /) -> list[R]:
        """Return `work` of the instances with these numbers, in their order; `work` can be pickled."""


def visitor(evaluator: Evaluator, problem: BoundProblem[X, Y, Z], instances: Sequence[X], rounds: int = 1) -> Visits:
    """Return the evaluator if it can be visited, else a local one, which computes the features again."""
    return evaluator if isinstance(evaluator, Visits) else LocalEvaluator(problem, instances, rounds)
