"""The objective of learning by experience: the mean loss of weight vectors, plain or perturbed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from colayer._runtime.arrays import Floats

#: W (k, d) → one loss per row.
Objective = Callable[[Floats], Floats]

_NO_DRAWS: Floats = np.empty((0, 0))


def mean_loss(
    losses: Callable[[Floats], Floats], sigma: float = 0.0, Z: Floats = _NO_DRAWS, rows_at_once: int = 1
) -> Objective:
    """The objective W (k, d) → (k,) of an evaluator's `losses`, W (k, d) → (k, m): plain, or perturbed if σ > 0.

    σ = 0: the mean of ℓ(w, x) over the m instances. σ > 0: the mean of ℓ(w + σZ_i, x) over the K rows of Z and the m
    instances. The K weight vectors of one w go to `losses` in one call, and as many w together as keep to
    `rows_at_once`, so that memory is bounded. Sums are exactly rounded (`math.fsum`): they depend neither on the batch
    nor on the order.
    """
    if sigma == 0.0:
        return lambda W: np.array([_mean(row) for row in losses(W)])
    step = sigma * Z
    together = max(1, rows_at_once // len(Z))

    def perturbed(W: Floats) -> Floats:
        means: list[float] = []
        for first in range(0, len(W), together):
            batch = W[first : first + together]
            values = losses((batch[:, None, :] + step).reshape(-1, W.shape[1]))
            means += [_mean(part) for part in values.reshape(len(batch), -1)]
        return np.array(means)

    return perturbed


def _mean(values: Floats) -> float:
    return math.fsum(values.ravel().tolist()) / values.size
