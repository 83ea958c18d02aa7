"""Evaluators: the loss of many weight vectors on many instances, the seam everything fast plugs into."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from colayer.errors import OptionError

if TYPE_CHECKING:
    from colayer.evaluators.crew import Crew

__all__ = ["Evaluator", "check_workers", "compiled_evaluator", "evaluator_for", "feature_scale"]

Floats = NDArray[np.float64]


class Evaluator(Protocol):
    """Losses of weight vectors (raw feature units) on the instances it holds.

    Every number is a function of one weight vector and one instance: it does not depend on the batch, on the
    number of workers or on the backend. `losses` may be called by several threads at once.
    """

    def losses(self, weights: Floats) -> Floats:
        """Cost / scale of each of m instances (columns) under each of k weight vectors (rows): (k, d) → (k, m)."""
        ...

    def feature_sums(self) -> tuple[NDArray[np.int64], Floats]:
        """Rows of each instance (m,), and the sum over them of each feature (m, d)."""
        ...

    def feature_squares(self, center: Floats) -> Floats:
        """Sum over the rows of each instance of (φ − center)²: (m, d)."""
        ...

    def close(self) -> None:
        """Give back threads, processes and memory."""
        ...


def evaluator_for(
    problem: Any, instances: Sequence[Any], workers: int | None = None, crew: Crew | None = None
) -> Evaluator:
    """The problem's own compiled evaluator, else a process pool for `workers` > 1, else the plain loop.

    With a `crew` (see `colayer.evaluators.crew`), the same on the nodes of a cluster, each with its share.
    """
    from colayer.evaluators.local import LocalEvaluator
    from colayer.evaluators.pool import PoolEvaluator

    check_workers(workers)
    if crew is not None:
        from colayer.evaluators.cluster import ClusterEvaluator

        return ClusterEvaluator(crew, problem, instances)
    compiled = compiled_evaluator(problem, instances, workers)
    if compiled is not None:
        return compiled
    if workers is None or workers == 1 or len(instances) == 1:
        return LocalEvaluator(problem, instances)
    return PoolEvaluator(problem, instances, workers)


def check_workers(workers: int | None) -> None:
    """Refuse a number of workers that makes no sense; None leaves the choice to the evaluator."""
    if workers is not None and workers < 1:
        raise OptionError(f"{workers} is out of range, expected at least 1", where="--workers")


def compiled_evaluator(problem: Any, instances: Sequence[Any], workers: int | None) -> Evaluator | None:
    """The problem's own evaluator, with `workers` threads where it takes them; None where it has none."""
    takes_workers = "workers" in inspect.signature(problem.evaluator).parameters
    compiled: Evaluator | None = problem.evaluator(instances, **({"workers": workers} if takes_workers else {}))
    return compiled


def feature_scale(evaluator: Evaluator) -> Floats:
    """s: the standard deviation of each feature over all rows of all instances, 1 where that is 0.

    Sums run over the instances in order, so every backend gives the same bits.
    """
    rows, sums = evaluator.feature_sums()
    total = float(rows.sum())
    mean = _in_order(sums) / total
    spread = np.sqrt(_in_order(evaluator.feature_squares(mean)) / total)
    # a constant feature may leave rounding noise behind: no spread either
    return np.where(spread > 1e-9 * np.maximum(1.0, np.abs(mean)), spread, 1.0)


def _in_order(parts: Floats) -> Floats:
    total = np.zeros(parts.shape[1])
    for part in parts:
        total += part
    return total
