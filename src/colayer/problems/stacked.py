"""The base of the fused evaluators: threads over chunks of instances."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.threads import Threads, even_cuts
from colayer.errors import InputError
from colayer.evaluators.visit import LoadedInstance
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import Problem, X, Y, Z

R = TypeVar("R")

_CHUNKS = 16  # per thread: enough to even out sizes, few enough to cost nothing


class StackedEvaluator(ABC, Generic[X, Y, Z]):
    """An evaluator with threads over instances whose features lie stacked; a subclass adds `_matrix` and `losses`.

    The kernels release the GIL, so plain threads share the stacked arrays; each number is written by one thread alone.
    `work` holds the work of the instances before each one, and of all, shape (m + 1,), in any unit.
    """

    #: The largest weight for which θ cannot overflow.
    largest: ClassVar[float]

    def __init__(
        self, problem: Problem[X, Y, Z], instances: Sequence[X], work: NDArray[np.int64], workers: int | None
    ) -> None:
        self.problem: BoundProblem[X, Y, Z] = bind(problem)
        self.instances = list(instances)
        self.scales = np.array([self.problem.scale(instance) for instance in self.instances])
        self.dimension = len(problem.feature_names)
        self.count = len(work) - 1
        self._threads = Threads(workers)
        chunks = 1 if self._threads.workers == 1 else self._threads.workers * _CHUNKS
        self._cuts = even_cuts(work, chunks)

    def map_features(self, work: Callable[[NDArray[Any]], R]) -> list[R]:
        """Map the features, as `evaluators.statistics.MapsFeatures` says."""
        return self._threads.map(lambda x: work(self._matrix(x)), range(self.count))

    def visit(self, work: Callable[[LoadedInstance[X, Y, Z]], R], chosen: Sequence[int]) -> list[R]:
        """See `evaluators.visit.Visits`."""

        def loaded(x: int) -> LoadedInstance[X, Y, Z]:
            return LoadedInstance(x, self.problem, self.instances[x], self._matrix(x), float(self.scales[x]))

        return self._threads.map(lambda x: work(loaded(x)), chosen)

    def close(self) -> None:
        """Stop the threads."""
        self._threads.close()

    def checked(self, weights: Floats) -> Floats:
        """Return the weight vectors as rows for the kernels; refuse those for which θ might not be finite."""
        rows = np.array(weights, dtype=np.float64, order="C", ndmin=2)
        if not np.all(np.abs(rows) <= self.largest):
            raise InputError("not finite", where="theta")
        return rows

    @abstractmethod
    def _matrix(self, x: int) -> NDArray[np.float32]:
        """Return the (d, rows) features of instance x."""

    def _each(self, work: Callable[[int, int], None]) -> None:
        """Run `work(low, high)` over all instances, in chunks of about equal work."""
        self._threads.spans(work, self._cuts)


def starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each part begins in a stack of parts of these sizes, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)])
