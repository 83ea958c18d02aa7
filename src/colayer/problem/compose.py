"""x → θ → y → z → cost, composed here and nowhere else.

Weights are in raw feature units throughout this module (`Model.raw` gives them).
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.models.thetas import theta_blocks
from colayer.problem import answers
from colayer.problem.abilities import Exact, Progress, need
from colayer.problem.faults import built_in, calling
from colayer.problem.gap import ROUNDING, proves
from colayer.problem.protocol import LooksBack, Problem, X, Y, Z


def features_of(problem: Problem[X, Y, Z], instance: X, solution: Z | None = None) -> NDArray[Any]:
    """φ(x), or φ(x, z), checked: one column per feature name, at least one row, float32 or float64, finite."""
    with calling(problem, "features"):
        looking = cast("LooksBack[X, Z]", problem)
        given = problem.features(instance) if solution is None else looking.features(instance, solution)
    d = len(problem.feature_names)
    features = answers.array(given, f"features of {problem.name}", f"an array of shape (rows, {d})")
    if features.ndim != 2 or features.shape[1] != d or len(features) == 0:
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
    with calling(problem, "scale"):
        given = problem.scale(instance)
    what = f"scale of {problem.name}"
    scale = answers.finite(given, what, "a number > 0")
    if scale <= 0.0:
        raise answers.refused(what, given, "a number > 0")
    return scale


def cost_of(problem: Problem[X, Y, Z], solution: Z, instance: X) -> float:
    """C(z, x), checked: finite."""
    with calling(problem, "cost"):
        given = problem.cost(solution, instance)
    return answers.finite(given, f"cost of {problem.name}")


def layer_of(problem: Problem[X, Y, Z], theta: Floats, instance: X) -> Y:
    """y, the solution of the layer at θ."""
    with calling(problem, "layer"):
        y = problem.layer(theta, instance)
    return answers.given(y, f"layer of {problem.name}", "a solution of the layer")


def decode_of(problem: Problem[X, Y, Z], y: Y, instance: X) -> Z:
    """z, the solution that y is decoded to."""
    with calling(problem, "decode"):
        solution = problem.decode(y, instance)
    return answers.given(solution, f"decode of {problem.name}", "a solution")


def decoded(problem: Problem[X, Y, Z], theta: Floats, instance: X) -> tuple[Z, float]:
    """θ → y → z and its cost."""
    solution = decode_of(problem, layer_of(problem, theta, instance), instance)
    return solution, cost_of(problem, solution, instance)


def best_of(problem: Problem[X, Y, Z], many: Floats, instance: X, seed: int = 0) -> tuple[int, Z, float]:
    """The best decoded solution over the θ in the rows of `many`: (row, solution, cost), the first at equal cost."""
    own = getattr(problem, "best", None)  # `ChoosesBest`; on every solve, where `isinstance` takes long
    if own is not None:
        with calling(problem, "best"):
            answer: tuple[int, Z, float] = own(many, instance, seed)
        return answer if built_in(problem) else _checked_best(problem, answer, len(many), instance)
    best = (0, *decoded(problem, many[0], instance))
    for k in range(1, len(many)):
        solution, cost = decoded(problem, many[k], instance)
        if cost < best[2]:
            best = (k, solution, cost)
    return best


def _checked_best(problem: Problem[X, Y, Z], answer: object, rows: int, instance: X) -> tuple[int, Z, float]:
    """What `best` of a user's problem returned: (row, solution, cost), the cost being that of the solution."""
    what = f"best of {problem.name}"
    row, solution, cost = answers.parts(answer, 3, what, "(row, solution, cost)")
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not -1 <= row < rows:
        raise answers.refused(what, row, f"-1, or a row from 0 to {rows - 1}", "row")
    solution = answers.given(solution, what, "a solution", "solution")
    said, true = answers.finite(cost, what, part="cost"), cost_of(problem, solution, instance)
    if abs(said - true) > ROUNDING * max(abs(said), abs(true)):
        raise InputError(f"{what} returned the cost {said:.10g}, expected that of its solution, {true:.10g}")
    return int(row), solution, said


def costs(problem: Problem[X, Y, Z], features: NDArray[Any], weights: Floats, instance: X) -> Floats:
    """Cost of the pipeline on one instance under each row of `weights`."""
    many = (theta for _, block in theta_blocks(features, weights) for theta in block)
    return np.array([decoded(problem, theta, instance)[1] for theta in many])


def solve_exactly(
    problem: Problem[X, Y, Z],
    instance: X,
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
    start: Z | None = None,
) -> tuple[Z, float, bool]:
    """The exact solver's (solution, bound, proved optimal), checked; what is proved is measured (see `proves`)."""
    exact = need(problem, Exact)
    with calling(problem, "exact"):
        answer = exact.exact(instance, time_limit=time_limit, progress=progress, start=start)
    what = f"exact of {problem.name}"
    solution, given, _ = answers.parts(answer, 3, what, "(solution, bound, proved optimal)")
    solution, bound = answers.given(solution, what, "a solution", "solution"), answers.real(given, what, part="bound")
    cost = cost_of(problem, solution, instance)
    if bound - cost > ROUNDING * max(abs(cost), abs(bound)) or bound == math.inf:
        raise answers.refused(what, given, f"at most the cost of its solution, {cost:.10g}", "bound")
    return solution, bound, proves(cost, bound)
