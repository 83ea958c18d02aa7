"""The loss of a linear model along a direction of its weights, on a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats
from colayer._runtime.text import one_of, short
from colayer.errors import InputError, OptionError
from colayer.evaluators.base import Backend
from colayer.models import LinearModel, Model, norm
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: t = 0 is among them: their number is odd.
POINTS = 201


@dataclass(frozen=True, eq=False)
class LossProfile:
    """The mean losses of the weights w + t·d at equally spaced t."""

    t: Floats
    losses: Floats

    def plot(self, ax: Axes | None = None, label: str = "t") -> Axes:
        """Draw the loss by t, which the axis calls `label`."""
        from colayer.display.charts import PALETTE, styled

        ax = styled(ax)
        ax.plot(self.t, self.losses, color=PALETTE[0], lw=1.2)
        ax.margins(x=0.0)
        ax.set(xlabel=label, ylabel="mean loss (cost / scale)", title="The loss along a direction of weights")
        return ax


def loss_profile(
    model: Model,
    problem: BoundProblem[X, Y, Z],
    instances: Sequence[X],
    direction: str | ArrayLike,
    *,
    reach: float | None = None,
    points: int = POINTS,
    backend: Backend | None = None,
    where: str = "--direction",
) -> LossProfile:
    """Return what `Pipeline.loss_along` returns; `where` is what an error calls the direction."""
    if not isinstance(model, LinearModel):
        raise InputError("a network, expected a linear model", where="model")
    if len(instances) == 0:
        raise InputError("no instances, expected at least one")
    names, axis = model.feature_names, isinstance(direction, str)
    if axis and direction not in names:
        raise OptionError(f"no feature {short(direction)}, expected {one_of(str(direction), names)}", where=where)
    given = [name == direction for name in names] if axis else direction
    try:
        d = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):  # no numbers
        d = np.empty(0)
    if d.shape != (len(names),) or not np.isfinite(d).all() or not d.any():
        raise OptionError(f"expected the name of a feature, or {len(names)} numbers that are not all 0", where=where)
    if points < 2:
        raise OptionError(f"{points} is out of range, expected at least 2", where="--points")
    reach = (norm(model.weights) / norm(d) or 1.0) if reach is None else reach
    if not 0.0 < reach < math.inf:
        raise OptionError(f"{reach} is out of range, expected a positive number", where="--reach")
    t = np.linspace(-reach, reach, points)
    with (backend or Backend()).evaluators(problem) as evaluator_of:
        losses = evaluator_of(instances).losses(model.raw() + t[:, None] * model.raw(d))
    return LossProfile(t, np.array([math.fsum(row) / len(row) for row in losses.tolist()]))
