"""Work on instances where they lie: learners that use more than losses visit the instances of an evaluator.

A learner hands over a function of one instance with its features; it runs in the threads, processes or on the nodes
that hold them, and what it returns comes back in the order asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from colayer.evaluators.base import Evaluator
from colayer.evaluators.loaded import Held
from colayer.evaluators.local import LocalEvaluator
from colayer.problem.protocol import Problem, X, Y, Z

R = TypeVar("R")


@runtime_checkable
class Visits(Protocol):
    """An evaluator that lets functions work on the instances it holds."""

    def visit(self, work: Callable[[Held[Any, Any, Any]], R], chosen: Sequence[int], /) -> list[R]:
        """`work` of the instances with these numbers, in their order; `work` can be pickled."""


def visitor(evaluator: Evaluator, problem: Problem[X, Y, Z], instances: Sequence[X]) -> Visits:
    """The evaluator where it can be visited, else one in this process that computes the features anew."""
    return evaluator if isinstance(evaluator, Visits) else LocalEvaluator(problem, instances)
