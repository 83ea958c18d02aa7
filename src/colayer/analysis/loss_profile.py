"""The loss of a model along a line of weights: the exact picture of what one direction does."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.text import one_of, short
from colayer.errors import InputError, OptionError
from colayer.evaluators.along import Along, LossAlong, loss_along
from colayer.evaluators.base import Backend
from colayer.models import LinearModel, Model, norm
from colayer.problem.protocol import Floats, Problem, X, Y, Z

#: Cells of a grid, where there is no exact line.
POINTS = 201


def model_along(
    model: Model,
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    direction: str | ArrayLike,
    *,
    reach: float | None = None,
    points: int = POINTS,
    backend: Backend | None = None,
    where: str = "--direction",
) -> LossAlong:
    """See `Pipeline.loss_along`; `where` is what an error calls the direction."""
    if not isinstance(model, LinearModel):  # its correction is not linear in anything
        raise InputError("a network, expected a linear model", where="model")
    if len(instances) == 0:
        raise InputError("no instances, expected at least one")
    along = _direction(model, direction, where)
    if points < 1:
        raise OptionError(f"{points} is out of range, expected at least 1", where="--points")
    if reach is None:
        reach = norm(model.weights) / norm(along) or 1.0
    if not 0.0 < reach < math.inf:
        raise OptionError(f"{reach} is out of range, expected a positive number", where="--reach")
    line = Along(model.raw(), model.raw(along), -reach, reach)
    with (backend or Backend()).evaluators(problem, len(instances)) as evaluator_of:
        return loss_along(evaluator_of(instances), problem, instances, line, points)


def _direction(model: LinearModel, given: str | ArrayLike, where: str) -> Floats:
    """A feature's axis, or the vector given, in model units."""
    names = model.feature_names
    if isinstance(given, str):
        if given not in names:
            raise OptionError(f"no feature {short(given)}, expected {one_of(given, names)}", where=where)
        return np.asarray(np.eye(len(names))[names.index(given)])
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (len(names),) or not np.isfinite(found).all() or not found.any():
        raise OptionError(f"expected the name of a feature, or {len(names)} numbers that are not all 0", where=where)
    return found
