"""An instance with its features, as an evaluator keeps it and a learner visits it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from numpy.typing import NDArray

from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z


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
