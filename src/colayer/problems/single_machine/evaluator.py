"""The fused evaluator: features stacked once in float32, compiled losses, threads over instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from colayer.cores import cores
from colayer.errors import InputError
from colayer.models import column_squares, column_sums
from colayer.problems.single_machine.cost import scale
from colayer.problems.single_machine.features import FEATURE_SETS
from colayer.problems.single_machine.features import features as features_of
from colayer.problems.single_machine.instance import Instance

Floats = NDArray[np.float64]

_LARGEST = 1e280  # of a weight: features are at most 1e12, so that θ cannot overflow
_CHUNKS = 16  # per thread: enough to even out sizes, few enough to cost nothing


class FusedEvaluator:
    """Bit for bit the numbers of the generic evaluator, without a Python object per instance.

    The kernels release the GIL, so plain threads share the stacked arrays; each loss is written by one thread alone
    and is a function of one weight vector and one instance.
    """

    def __init__(
        self, instances: Sequence[Instance], *, features: str, decoder: str, workers: int | None = None
    ) -> None:
        self.decoder = decoder
        self.dimension = len(FEATURE_SETS[features])
        self.workers = workers or cores()
        self._pool = ThreadPoolExecutor(self.workers) if self.workers > 1 else None
        sizes = np.array([instance.jobs for instance in instances], dtype=np.int64)
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        self.release = np.concatenate([instance.release for instance in instances])
        self.processing = np.concatenate([instance.processing for instance in instances])
        self.integral = np.array([instance.integral for instance in instances])
        self.scales = np.array([scale(instance) for instance in instances])
        self.features = np.empty(self.dimension * int(self.first[-1]), dtype=np.float32)

        def stack(low: int, high: int) -> None:
            for x in range(low, high):
                self._matrix(x)[:] = features_of(instances[x], features).T

        self._each(stack)

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        rows = np.array(weights, dtype=np.float64, order="C", ndmin=2)
        if not np.all(np.abs(rows) <= _LARGEST):
            raise InputError("not finite", where="theta")
        out = np.empty((len(rows), len(self.scales)))
        data = (rows, self.features, self.first, self.release, self.processing, self.integral, self.scales)
        if self.decoder == "rdi":
            from colayer.problems.single_machine.kernels.losses_rdi import losses_rdi_into

            self._each(lambda low, high: losses_rdi_into(*data, low, high, out))
        else:
            from colayer.problems.single_machine.kernels.losses import losses_into

            ls = self.decoder == "ls"
            self._each(lambda low, high: losses_into(*data, ls, low, high, out))
        return out

    def feature_sums(self) -> tuple[NDArray[np.int64], Floats]:
        """See `Evaluator.feature_sums`."""
        sums = np.empty((len(self.scales), self.dimension))

        def fill(low: int, high: int) -> None:
            for x in range(low, high):
                sums[x] = column_sums(self._matrix(x))

        self._each(fill)
        return np.diff(self.first), sums

    def feature_squares(self, center: Floats) -> Floats:
        """See `Evaluator.feature_squares`."""
        squares = np.empty((len(self.scales), self.dimension))

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
        """The (d, n) features of instance x."""
        begin, end = self.first[x], self.first[x + 1]
        return self.features[self.dimension * begin : self.dimension * end].reshape(self.dimension, end - begin)

    def _each(self, work: Callable[[int, int], None]) -> None:
        """Run `work(low, high)` over all instances, in chunks of about equal numbers of jobs."""
        count = len(self.scales)
        if self._pool is None:
            work(0, count)
            return
        marks = np.linspace(0, self.first[-1], self.workers * _CHUNKS + 1)
        cuts = np.unique(np.searchsorted(self.first, marks))
        for _ in self._pool.map(work, cuts[:-1], cuts[1:]):
            pass
