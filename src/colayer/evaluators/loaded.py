"""An instance with its features, as an evaluator holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from numpy.typing import NDArray

from colayer.problem.protocol import Problem, X, Y, Z


@dataclass(frozen=True, eq=False)
class Held(Generic[X, Y, Z]):
    """An instance as an evaluator holds it: `number` is its place in the evaluator, `matrix` its (d, rows) features."""

    number: int
    problem: Problem[X, Y, Z]
    instance: X
    matrix: NDArray[Any]
    scale: float
    #: In how many rounds its loss is measured.
    rounds: int = 1
