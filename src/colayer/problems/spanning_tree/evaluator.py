"""The fused evaluator: features stacked once in float32, compiled losses, threads over instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.problems.spanning_tree.decoder import nothing_cost, tree_ends
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.losses import losses_into
from colayer.problems.spanning_tree.layer import Stages
from colayer.problems.spanning_tree.solution import Solution
from colayer.problems.stacked import StackedEvaluator, starts

if TYPE_CHECKING:
    from colayer.problems.spanning_tree.problem import SpanningTree


class FusedEvaluator(StackedEvaluator[Instance, Stages, Solution]):
    """An evaluator without a Python object per instance; its numbers equal the generic evaluator's, bit for bit.

    It keeps only the features of a row's own stage: the others are 0.
    """

    largest = 1e260  # features are at most 1e30

    def __init__(self, problem: SpanningTree, instances: Sequence[Instance], workers: int | None = None) -> None:
        dimension = len(problem.feature_names)
        self.first_stage = own_first = problem.first_stage
        self.nodes = np.array([instance.nodes for instance in instances], dtype=np.int64)
        scenarios = np.array([instance.scenarios for instance in instances], dtype=np.int64)
        self.edge = starts(np.array([instance.edge_count for instance in instances], dtype=np.int64))
        self.tree = starts((self.nodes - 1) * scenarios)
        # about proportional to the time of a loss
        super().__init__(problem, instances, self.edge * (dimension // 2) + self.tree * 10, workers)
        edges, trees = int(self.edge[-1]), int(self.tree[-1])
        self.u, self.v = (np.concatenate([x.arrays[k] for x in instances]) for k in (0, 1))
        self.first = np.concatenate([x.first for x in instances])
        self.first_features = np.empty(own_first * edges, dtype=np.float32)
        self.second_features = np.empty((dimension - own_first) * edges, dtype=np.float32)
        self.ends = np.empty((trees, 2), dtype=np.int32)
        self.costs = np.empty(trees)
        self.nothing = np.empty(len(instances))

        def stack(low: int, high: int) -> None:
            for k in range(low, high):
                instance = instances[k]
                m = instance.edge_count
                part = slice(self.tree[k], self.tree[k + 1])
                self.ends[part], self.costs[part] = tree_ends(instance)
                self.nothing[k] = nothing_cost(instance)
                matrix = problem.features(instance).T
                for rows, own in zip(self._rows(k), (matrix[:own_first, :m], matrix[own_first:, m:]), strict=True):
                    rows[:] = own

        self._each(stack)

    def losses(self, weights: Floats) -> Floats:
        """Return the losses, as `Evaluator.losses` does."""
        rows = self.checked(weights)
        out = np.empty((len(rows), self.count))
        data = (
            np.ascontiguousarray(rows[:, : self.first_stage]), np.ascontiguousarray(rows[:, self.first_stage :]),
            self.first_features, self.second_features, self.edge, self.u, self.v, self.first, self.tree, self.ends,
            self.costs, self.nodes, self.nothing,
        )  # fmt: skip
        self._each(lambda low, high: losses_into(*data, low, high, out))
        return out

    def _rows(self, x: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the features of instance x by stage, each (features of the stage, m)."""
        begin, end = self.edge[x], self.edge[x + 1]
        first, second = self.first_stage, self.dimension - self.first_stage
        return (
            self.first_features[first * begin : first * end].reshape(first, end - begin),
            self.second_features[second * begin : second * end].reshape(second, end - begin),
        )

    def _matrix(self, x: int) -> NDArray[np.float32]:
        """Return the (d, 2m) features of instance x, zeros included."""
        first, second = self._rows(x)
        m = first.shape[1]
        matrix = np.zeros((self.dimension, 2 * m), dtype=np.float32)
        matrix[: self.first_stage, :m] = first
        matrix[self.first_stage :, m:] = second
        return matrix
