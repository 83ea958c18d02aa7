"""Examples to learn from, with their features: the mean losses over them, and the gradients with respect to w."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.compiled import njit
from colayer._runtime.threads import Threads
from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.imitation.example import Example
from colayer.models.thetas import thetas
from colayer.problem.protocol import X, Y, Z

if TYPE_CHECKING:
    from colayer.learning.imitation.fit import Demonstration


class Examples(Generic[X, Y, Z]):
    """Examples with their features: mean losses over them, in threads; sums are in the order of the examples."""

    def __init__(
        self, evaluator: LocalEvaluator[X, Y, Z], examples: Sequence[Example[X, Y, Z]], threads: Threads
    ) -> None:
        self.problem = evaluator.problem
        self.scales = evaluator.scales
        self.examples = examples
        self.features = [as_rows(features) for features in evaluator.features]
        self._threads = threads

    def __len__(self) -> int:
        return len(self.examples)

    def collect(self, number: int, passes: int, weights: Floats) -> None:
        """Add examples before pass `number`, from 1, of so many; here, where all are known, none."""

    def demonstration(self, method: Demonstration, weights: Floats, rows: Sequence[int]) -> tuple[float, Floats]:
        """The mean demonstration loss of some examples and its gradient, for weights in raw feature units."""

        def one(x: int) -> tuple[float, Floats]:
            features = self.features[x]
            loss, gradient = method.loss(thetas(features, weights[None, :])[0], self.examples[x])
            out = np.empty(features.shape[1])
            pull_back(features.T, gradient, out)
            return loss, out

        parts = self._threads.map(one, rows)
        total = np.zeros(len(weights))
        for _, gradient in parts:
            total += gradient
        mean = math.fsum(loss for loss, _ in parts) / len(parts)
        if not (math.isfinite(mean) and np.isfinite(total).all()):
            raise InputError(f"the demonstration loss is {mean} or its gradient is not finite, at {weights.tolist()}")
        return mean, total / len(parts)

    def pipeline(self, weights: Floats) -> float:
        """The mean of cost / scale, for weights in raw feature units."""

        def one(x: int) -> float:
            cost = self.problem.costs(self.features[x], weights[None, :], self.examples[x].instance)[0]
            return float(cost / self.scales[x])

        return math.fsum(self._threads.map(one, range(len(self)))) / len(self)


def as_rows(features: NDArray[Any]) -> NDArray[Any]:
    """Features (rows, d) as the transposed view of a contiguous array."""
    return np.ascontiguousarray(features.T).T


@njit(cache=True, nogil=True)
def pull_back(features, gradient, out):  # type: ignore[no-untyped-def]
    """out[k] = Σ_i features[k, i]·gradient[i] = (Φᵀg)_k, in float64, for features (d, n).

    Four partial sums in a fixed order, i mod 4, then these from the first to the last: the bits are a function of the
    numbers alone. O(d·n).
    """
    d, n = features.shape
    for k in range(d):
        s0 = s1 = s2 = s3 = 0.0
        i = 0
        while i + 4 <= n:
            s0 += features[k, i] * gradient[i]
            s1 += features[k, i + 1] * gradient[i + 1]
            s2 += features[k, i + 2] * gradient[i + 2]
            s3 += features[k, i + 3] * gradient[i + 3]
            i += 4
        while i < n:
            s0 += features[k, i] * gradient[i]
            i += 1
        out[k] = ((s0 + s1) + s2) + s3
