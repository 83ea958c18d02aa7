"""The fused evaluator: features computed once, compiled losses, threads over instances and weight vectors."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.threads import limited
from colayer.errors import InputError
from colayer.problems.stacked import StackedEvaluator, starts
from colayer.problems.vehicle_scheduling.decoder import decode
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.losses import costs_into, successors_into

if TYPE_CHECKING:
    from colayer.problems.vehicle_scheduling.problem import VehicleScheduling

_ROWS = 4  # weight vectors at a time: features are read once for them, and θ of one alone fills the cache


class FusedEvaluator(StackedEvaluator[Instance, Ints, Ints]):
    """A threaded evaluator whose numbers are those of the generic evaluator, bit for bit.

    The kernels release the GIL, so plain threads share the features. A piece of work is one instance and a few weight
    vectors, the largest instances first; each loss is written by one thread alone and is a function of one weight
    vector and one instance. Every thread keeps its memory for θ.
    """

    def __init__(self, problem: VehicleScheduling, instances: Sequence[Instance], workers: int | None = None) -> None:
        self.decoder = problem.decoder
        self._own = threading.local()
        with limited(workers):  # several threads make each of them already
            self.features = [np.ascontiguousarray(problem.features(instance).T) for instance in instances]
        if not all(np.isfinite(matrix).all() for matrix in self.features):
            raise InputError("a feature is not finite")
        self.longest = max(matrix.shape[1] for matrix in self.features)
        effort = [matrix.shape[1] + x.tasks * x.scenarios for matrix, x in zip(self.features, instances, strict=True)]
        self.order = np.argsort(-np.array(effort), kind="stable").tolist()
        super().__init__(problem, instances, starts(np.array(effort)), workers)

    def losses(self, weights: Floats) -> Floats:
        """Return the losses, as `Evaluator.losses` does."""
        rows = np.array(weights, dtype=np.float64, order="C", ndmin=2)
        out = np.empty((len(rows), len(self.instances)))

        def work(piece: tuple[int, int]) -> None:
            x, first = piece
            out[first : first + _ROWS, x] = self._costs(x, rows[first : first + _ROWS]) / self.scales[x]

        self._threads.map(work, [(x, first) for x in self.order for first in range(0, len(rows), _ROWS)])
        return out

    def _matrix(self, x: int) -> Singles:
        """Return the (d, arcs + 2n) features of instance x."""
        return self.features[x]

    def _costs(self, x: int, weights: Floats) -> Floats:
        """Return the cost of instance x under each of a few weight vectors."""
        instance = self.instances[x]
        if not hasattr(self._own, "theta"):
            self._own.theta = np.empty(_ROWS * self.longest)
        successors = np.empty((len(weights), instance.tasks), dtype=np.int64)
        graph = (*instance.arcs, instance.latest_first)
        if not successors_into(weights, self.features[x], *graph, self._own.theta, successors):
            raise InputError("not finite", where="theta")
        if self.decoder != "none":
            for row in successors:
                row[:] = decode(row, instance, self.decoder)
        costs = np.empty(len(weights))
        costs_into(instance.times, successors, instance.vehicle_cost, instance.delay_cost, costs)
        return costs
