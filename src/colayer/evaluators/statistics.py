"""Mean and standard deviation of each feature over the rows of a data set, computed where the features are held.

Sums run over the instances in order, so every backend gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.evaluators.base import Evaluator
from colayer.evaluators.local import LocalEvaluator
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

R = TypeVar("R")

#: A deviation below this share of the mean (or of 1) is rounding error of a constant feature.
_NOISE = 1e-9


@runtime_checkable
class MapsFeatures(Protocol):
    """An evaluator that calls functions on the features it holds."""

    def map_features(self, work: Callable[[NDArray[Any]], R], /) -> list[R]:
        """Return `work` of the (d, rows) features of each instance, in order; `work` can be pickled."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and standard deviation (0 if constant) of each feature over all rows of all instances."""

    mean: Floats
    spread: Floats

    @property
    def scale(self) -> Floats:
        """Return s: the standard deviation, 1 where that is 0."""
        return np.where(self.spread > 0.0, self.spread, 1.0)


def moments(problem: BoundProblem[X, Y, Z], instances: Sequence[X], evaluator: Evaluator) -> Moments:
    """Return mean and deviation of the features: those the evaluator holds, else computed again."""
    holder = evaluator if isinstance(evaluator, MapsFeatures) else LocalEvaluator(problem, instances)
    sums = holder.map_features(row_sums)
    total = float(sum(count for count, _ in sums))
    if total == 0.0:  # days on which nothing is to decide
        raise InputError(f"features of {problem.name} have no rows on any day, expected something to decide")
    mean = _in_order([part for _, part in sums]) / total
    spread = np.sqrt(_in_order(holder.map_features(partial(row_squares, center=mean))) / total)
    if not (np.isfinite(mean).all() and np.isfinite(spread).all()):
        name = problem.feature_names[int(np.argmin(np.isfinite(mean) & np.isfinite(spread)))]
        raise InputError(f"feature {name!r} of {problem.name} is too large: its spread is not finite")
    return Moments(mean, np.where(spread > _NOISE * np.maximum(1.0, np.abs(mean)), spread, 0.0))


def row_sums(matrix: NDArray[Any]) -> tuple[int, Floats]:
    """Return the number of rows of a (d, rows) matrix, and the sum of each feature over them."""
    with np.errstate(over="ignore"):
        return matrix.shape[1], np.asarray(np.ascontiguousarray(matrix, dtype=np.float64).sum(axis=1))


def row_squares(matrix: NDArray[Any], center: Floats) -> Floats:
    """Return the sum of (φ − center)² over the rows of a (d, rows) matrix."""
    with np.errstate(over="ignore"):  # what is too large is refused by name
        return np.asarray(((np.ascontiguousarray(matrix, dtype=np.float64) - center[:, None]) ** 2).sum(axis=1))


def _in_order(parts: Sequence[Floats]) -> Floats:
    """Add up vectors one after the other."""
    total = np.zeros(len(parts[0]))
    for part in parts:
        total += part
    return total
