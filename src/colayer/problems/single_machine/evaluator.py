"""The fused evaluator: features stacked once in float32, compiled losses, threads over instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.losses import losses_into, losses_rdi_into
from colayer.problems.stacked import StackedEvaluator, starts

if TYPE_CHECKING:
    from colayer.problems.single_machine.problem import SingleMachine


class FusedEvaluator(StackedEvaluator[Instance, Ints, Ints]):
    """An evaluator without a Python object per instance; its numbers equal the generic evaluator's, bit for bit."""

    largest = 1e280  # features are at most 1e12

    def __init__(self, problem: SingleMachine, instances: Sequence[Instance], workers: int | None = None) -> None:
        self.decoder = problem.decoder
        self.first = starts(np.array([instance.jobs for instance in instances], dtype=np.int64))
        super().__init__(problem, instances, self.first, workers)
        self.release = np.concatenate([instance.release for instance in instances])
        self.processing = np.concatenate([instance.processing for instance in instances])
        self.integral = np.array([instance.integral for instance in instances])
        self.features = np.empty(self.dimension * int(self.first[-1]), dtype=np.float32)

        def stack(low: int, high: int) -> None:
            for x in range(low, high):
                self._matrix(x)[:] = problem.features(instances[x]).T

        self._each(stack)

    def losses(self, weights: Floats) -> Floats:
        """Return the losses, as `Evaluator.losses` does."""
        rows = self.checked(weights)
        out = np.empty((len(rows), self.count))
        data = (rows, self.features, self.first, self.release, self.processing, self.integral, self.scales)
        if self.decoder == "rdi":
            self._each(lambda low, high: losses_rdi_into(*data, low, high, out))
        else:
            ls = self.decoder == "ls"
            self._each(lambda low, high: losses_into(*data, ls, low, high, out))
        return out

    def _matrix(self, x: int) -> Singles:
        """Return the (d, n) features of instance x."""
        begin, end = self.first[x], self.first[x + 1]
        return self.features[self.dimension * begin : self.dimension * end].reshape(self.dimension, end - begin)
