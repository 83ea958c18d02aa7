"""Call functions on instances where they are held: learners that need more than losses visit an evaluator's instances.

A learner passes a function of one `LoadedInstance`; it runs in the thread, process or node that holds the instance, and
the results come back in the order asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from numpy.typing import NDArray

from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class LoadedInstance(Generic[X, Y, Z]):
    """An instance in an evaluator: `number` is its place there, `matrix` holds its (d, rows) features."""

    number: int
    problem: BoundProblem[X, Y, Z]
    instance: X
    matrix: NDArray[Any]
    scale: float
    #: How many rounds its loss is measured in.
    rounds: int = 1


@runtime_checkable
class Visits(Protocol):
    """An evaluator that calls functions on the instances it holds."""

    def visit(self, work: Callable[[LoadedInstance[Any, Any, Any]], R], chosen: Sequence[int], /) -> list[R]:
        """Return `work` of the instances with these numbers, in their order; `work` can be pickled."""
