"""x → θ → y → z → cost, composed here and nowhere else.

Weights are in raw feature units throughout this module (`Model.raw` gives them).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.capabilities import ChoosesBest, Exact, Progress, need
from colayer.errors import InputError
from colayer.models.thetas import thetas
from colayer.problem import Floats, Problem, X, Y, Z
from colayer.text import short

#: The relative gap up to which a solution is proved optimal, for every problem and solver.
PROVED = 1e-9

_MOST_NUMBERS = 1 << 25  # in one block of θ: 256 MB


def features_of(problem: Problem[X, Y, Z], instance: X) -> NDArray[Any]:
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


def scale_of(problem: Problem[X, Y, Z], instance: X) -> float:
    """u(x), checked: positive and finite."""
    scale = _number(problem.scale(instance), f"the scale of {problem.name}", "a number > 0")
    if not 0.0 < scale < math.inf:
        raise InputError(f"the scale of {problem.name} is {scale}, expected a number > 0")
    return scale


def cost_of(problem: Problem[X, Y, Z], solution: Z, instance: X) -> float:
    """C(z, x), checked: finite."""
    cost = _number(problem.cost(solution, instance), f"the cost of a solution of {problem.name}", "a number")
    if not math.isfinite(cost):
        raise InputError(f"the cost of a solution of {problem.name} is {cost}, expected a number")
    return cost


def decoded(problem: Problem[X, Y, Z], theta: Floats, instance: X) -> tuple[Z, float]:
    """θ → y → z and its cost."""
    solution = problem.decode(problem.layer(theta, instance), instance)
    return solution, cost_of(problem, solution, instance)


def best_of(problem: Problem[X, Y, Z], many: Floats, instance: X, seed: int = 0) -> tuple[int, Z, float]:
    """The best decoded solution over the θ in the rows of `many`: (row, solution, cost), the first at equal cost."""
    if isinstance(problem, ChoosesBest):
        answer: tuple[int, Z, float] = problem.best(many, instance, seed)
        return answer
    best = (0, *decoded(problem, many[0], instance))
    for k in range(1, len(many)):
        solution, cost = decoded(problem, many[k], instance)
        if cost < best[2]:
            best = (k, solution, cost)
    return best


def costs(problem: Problem[X, Y, Z], features: NDArray[Any], weights: Floats, instance: X) -> Floats:
    """Cost of the pipeline on one instance under each row of `weights`."""
    many = (theta for _, block in theta_blocks(features, weights) for theta in block)
    return np.array([decoded(problem, theta, instance)[1] for theta in many])


def theta_blocks(
    features: NDArray[Any], weights: Floats, correction: Floats | None = None
) -> Iterator[tuple[int, Floats]]:
    """θ for the rows of `weights`, as (first row, θ of some rows): all at once where memory allows, else by parts.

    `correction`, where there is one, is added to each θ (`Model.correction` gives it).
    """
    rows = max(1, _MOST_NUMBERS // max(1, len(features)))
    for first in range(0, len(weights), rows):
        block = thetas(features, weights[first : first + rows])
        yield first, block if correction is None else block + correction


def solve_exactly(
    problem: Problem[X, Y, Z],
    instance: X,
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
    start: Z | None = None,
) -> tuple[Z, float, bool]:
    """The exact solver's (solution, bound, proved optimal), checked; what is proved is measured (see `proves`)."""
    answer = need(problem, Exact).exact(instance, time_limit=time_limit, progress=progress, start=start)
    expected = "expected (solution, bound, proved optimal)"
    if not isinstance(answer, tuple) or len(answer) != 3:
        raise InputError(f"exact of {problem.name} returned {short(answer)}, {expected}")
    solution, bound = answer[0], _number(answer[1], f"the bound of exact of {problem.name}", "a number")
    if math.isnan(bound):
        raise InputError(f"the bound of exact of {problem.name} is nan, expected a number")
    return solution, bound, proves(cost_of(problem, solution, instance), bound)


def gap(cost: float, bound: float | None) -> float | None:
    """(cost − bound)/|bound|; 0 where they are equal; None without a bound, or where it is 0 and the cost is not."""
    if bound is None:
        return None
    if cost == bound:
        return 0.0
    return None if bound == 0 else (cost - bound) / abs(bound)


def proves(cost: float, bound: float | None) -> bool:
    """Whether a lower bound proves a cost optimal: a relative gap of at most 1e-9, what rounding may leave."""
    return bound is not None and cost - bound <= PROVED * max(abs(cost), abs(bound))


def _number(value: Any, what: str, expected: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {short(value)}, expected {expected}") from None
