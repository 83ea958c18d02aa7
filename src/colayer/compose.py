"""x → θ → y → z → cost, composed here and nowhere else.

Weights are in raw feature units throughout this module (`LinearModel.raw` gives them).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError
from colayer.models import thetas

if TYPE_CHECKING:
    from colayer.problem import Problem

Floats = NDArray[np.float64]

_MOST_NUMBERS = 1 << 25  # in one block of θ: 256 MB


def features_of(problem: Problem, instance: Any) -> NDArray[Any]:
    """φ(x), checked: one column per feature name, float32 or float64, finite."""
    features = np.asarray(problem.features(instance))
    d = len(problem.feature_names)
    if features.ndim != 2 or features.shape[1] != d:
        raise InputError(f"features of {problem.name} have shape {features.shape}, expected (rows, {d})")
    if features.dtype not in (np.float32, np.float64):
        raise InputError(f"features of {problem.name} are {features.dtype}, expected float64 or float32")
    finite = np.isfinite(features)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise InputError(f"feature {problem.feature_names[column]!r} of {problem.name} is not finite in row {row}")
    return features


def scale_of(problem: Problem, instance: Any) -> float:
    """u(x), checked: positive and finite."""
    scale = float(problem.scale(instance))
    if not 0.0 < scale < math.inf:
        raise InputError(f"the scale of {problem.name} is {scale}, expected a number > 0")
    return scale


def decoded(problem: Problem, theta: Floats, instance: Any) -> tuple[Any, float]:
    """θ → y → z and its cost."""
    solution = problem.decode(problem.layer(theta, instance), instance)
    cost = float(problem.cost(solution, instance))
    if not math.isfinite(cost):
        raise InputError(f"the cost of a solution of {problem.name} is {cost}, expected a number")
    return solution, cost


def best_decoded(problem: Problem, many: Floats, instance: Any) -> tuple[int, Any, float]:
    """The first row of least cost among the θ in the rows of `many`: (row, solution, cost)."""
    best = (0, *decoded(problem, many[0], instance))
    for k in range(1, len(many)):
        solution, cost = decoded(problem, many[k], instance)
        if cost < best[2]:
            best = (k, solution, cost)
    return best


def costs(problem: Problem, features: NDArray[Any], weights: Floats, instance: Any) -> Floats:
    """Cost of the pipeline on one instance under each row of `weights`."""
    many = (theta for _, block in theta_blocks(features, weights) for theta in block)
    return np.array([decoded(problem, theta, instance)[1] for theta in many])


def theta_blocks(
    features: NDArray[Any], weights: Floats, correction: Floats | None = None
) -> Iterator[tuple[int, Floats]]:
    """θ for the rows of `weights`, as (first row, θ of some rows): all at once where memory allows, else by parts.

    `correction`, where there is one, is added to each θ (`LinearModel.correction` and its neural form give it).
    """
    rows = max(1, _MOST_NUMBERS // max(1, len(features)))
    for first in range(0, len(weights), rows):
        block = thetas(features, weights[first : first + rows])
        yield first, block if correction is None else block + correction
