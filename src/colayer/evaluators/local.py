"""The generic evaluator: any problem, in this process, by its five methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.compose import costs, features_of, scale_of
from colayer.models import column_squares, column_sums

Floats = NDArray[np.float64]


class LocalEvaluator:
    """Features are computed once and kept; each loss is one pass θ → y → z → cost."""

    def __init__(self, problem: Any, instances: Sequence[Any]) -> None:
        self.problem = problem
        self.instances = list(instances)
        self.features = [features_of(problem, instance) for instance in self.instances]
        self.scales = np.array([scale_of(problem, instance) for instance in self.instances])

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        columns = [
            costs(self.problem, features, weights, instance) / scale
            for features, instance, scale in zip(self.features, self.instances, self.scales, strict=True)
        ]
        return np.ascontiguousarray(np.array(columns).T)

    def feature_sums(self) -> tuple[NDArray[np.int64], Floats]:
        """See `Evaluator.feature_sums`."""
        rows = np.array([len(features) for features in self.features], dtype=np.int64)
        return rows, np.array([column_sums(features.T) for features in self.features])

    def feature_squares(self, center: Floats) -> Floats:
        """See `Evaluator.feature_squares`."""
        return np.array([column_squares(features.T, center) for features in self.features])

    def close(self) -> None:
        """Nothing to give back."""
