"""The σ of perturbed solves: chosen for a model by the best of a few draws, on instances it was not learned on."""

from __future__ import annotations

import math

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Evaluator
from colayer.models import norm

#: σ that are tried, as shares of the norm of the weights, and draws of each.
SHARES = (0.3, 0.1, 0.03, 0.01, 0.003)
DRAWS = 8


def choose_sigma(
    evaluator: Evaluator, weights: Floats, scale: Floats, seed: int, length: float | None = None
) -> float | None:
    """Return the σ, in model units, of least mean loss of the best of w and some w + σZ; None if the weights are 0.

    The best of several solutions is what a perturbed solve returns. Of equals the largest is taken. `length` is what σ
    are shares of, by default the norm of the weights.
    """
    length = norm(weights) if length is None else length
    if length == 0.0:
        return None
    random = seeds.generator(seed, seeds.SIGMA)
    Z = random.standard_normal((DRAWS, len(weights)))
    tried = [weights[None, :], *(weights + share * length * Z for share in SHARES)]
    losses = evaluator.losses(np.vstack(tried) / scale)
    plain, parts = losses[0], losses[1:].reshape(len(SHARES), DRAWS, -1)
    means = [math.fsum(np.minimum(plain, part.min(axis=0)).tolist()) for part in parts]
    return SHARES[means.index(min(means))] * length
