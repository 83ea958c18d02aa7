"""What the evaluators of stacked features share: threads over chunks of instances, and sums of features."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from colayer.cores import cores
from colayer.models import column_squares, column_sums

Floats = NDArray[np.float64]

_CHUNKS = 16  # per thread: enough to even out sizes, few enough to cost nothing


class StackedEvaluator:
    """Threads over instances whose features lie stacked; a subclass says where (`_matrix`) and adds `losses`.

    The kernels release the GIL, so plain threads share the stacked arrays; each number is written by one thread alone.
    `work` is the work of the instances before each one, and of all (m + 1,), in any unit.
    """

    def __init__(self, dimension: int, work: NDArray[np.int64], workers: int | None) -> None:
        self.dimension = dimension
        self.count = len(work) - 1
        self.workers = workers or cores()
        self._work = work
        self._pool = ThreadPoolExecutor(self.workers) if self.workers > 1 else None

    def feature_sums(self) -> tuple[NDArray[np.int64], Floats]:
        """See `Evaluator.feature_sums`."""
        rows, sums = np.empty(self.count, dtype=np.int64), np.empty((self.count, self.dimension))

        def fill(low: int, high: int) -> None:
            for x in range(low, high):
                matrix = self._matrix(x)
                rows[x], sums[x] = matrix.shape[1], column_sums(matrix)

        self._each(fill)
        return rows, sums

    def feature_squares(self, center: Floats) -> Floats:
        """See `Evaluator.feature_squares`."""
        squares = np.empty((self.count, self.dimension))

        def fill(low: int, high: int) -> None:
            for x in range(low, high):
                squares[x] = column_squares(self._matrix(x), center)

        self._each(fill)
        return squares

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _matrix(self, x: int) -> NDArray[np.float32]:
        """The (d, rows) features of instance x."""
        raise NotImplementedError

    def _each(self, work: Callable[[int, int], None]) -> None:
        """Run `work(low, high)` over all instances, in chunks of about equal work."""
        if self._pool is None:
            work(0, self.count)
            return
        marks = np.linspace(0, self._work[-1], self.workers * _CHUNKS + 1)
        cuts = np.unique(np.searchsorted(self._work, marks))
        for _ in self._pool.map(work, cuts[:-1], cuts[1:]):
            pass


def starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each part begins in a stack of parts of these sizes, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)])
