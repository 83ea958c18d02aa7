"""The loss along a line of weights, w + t·d: exactly, where the problem can follow its layer, else on a grid of t.

Along a line every θ_i is linear in t, so that a layer which looks at the order of θ alone gives a solution that is
constant between crossings: the loss is a step function of t, and its moving average is piecewise linear. Neither the
minimum of the average nor the picture needs a grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from colayer.errors import OptionError
from colayer.evaluators.base import Evaluator
from colayer.evaluators.loaded import Held
from colayer.evaluators.visit import visitor
from colayer.models.thetas import theta_blocks
from colayer.problem.answers import array, parts, refused
from colayer.problem.faults import built_in, calling
from colayer.problem.protocol import Floats, Problem, X, X_contra, Y, Z

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Averages that differ by less, relatively, are equal: the one nearest to 0 is taken.
_EQUAL = 1e-12


@runtime_checkable
class Follows(Protocol[X_contra]):
    """A problem that knows how its solution changes along a line of θ."""

    def along(
        self, theta: Floats, slope: Floats, instance: X_contra, low: float, high: float, /
    ) -> tuple[Floats, Floats] | None:
        """The cost of the decoded solution at θ + t·slope for t from low to high: (t_1 < … < t_k, k + 1 costs).

        The first cost holds from low to t_1, the last one from t_k to high. None where that is not known exactly.
        """


class Steps(NamedTuple):
    """A step function: `values[k]` from t[k − 1] to t[k]."""

    t: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class Along:
    """The loss of one instance along a line, in raw feature units, by the problem's `along`; None where it has none."""

    weights: Floats
    direction: Floats
    low: float
    high: float

    def __call__(self, held: Held[X, Y, Z]) -> Steps | None:
        """Steps of cost / scale."""
        problem = held.problem
        if not isinstance(problem, Follows):
            return None
        blocks = theta_blocks(held.matrix.T, np.vstack([self.weights, self.direction]))
        theta, slope = np.vstack([block for _, block in blocks])
        with calling(problem, "along"):
            given = problem.along(theta, slope, held.instance, self.low, self.high)
        if given is None:
            return None
        t, costs = given if built_in(problem) else _checked(given, f"along of {held.problem.name}", self)
        return Steps(t, costs / held.scale)


@dataclass(frozen=True, eq=False)
class LossAlong:
    """The mean loss of w + t·d for t from `low` to `high`, a step function: `losses[k]` from t[k − 1] to t[k].

    Where it is not `exact`, the steps are the cells of a grid, each with the loss at its middle.
    """

    low: float
    high: float
    t: Floats
    losses: Floats
    exact: bool

    @property
    def edges(self) -> Floats:
        """`low`, the t, `high`."""
        return np.concatenate([[self.low], self.t, [self.high]])

    def at(self, t: Floats | float) -> Floats:
        """The loss at t."""
        return np.asarray(self.losses[np.searchsorted(self.t, t, side="right")])

    def smoothed(self, width: float) -> tuple[Floats, Floats]:
        """The average over intervals of length `width` around t, exactly: (t, averages) at its corners.

        It is linear between the corners, and defined where the interval lies inside.
        """
        half = self._half(width)
        corners = np.unique(np.concatenate([self.edges - half, self.edges + half]))
        inside = corners[(corners >= self.low + half) & (corners <= self.high - half)]
        return inside, self.average(inside, width)

    def average(self, t: Floats, width: float) -> Floats:
        """The moving average at some t: (F(t + width/2) − F(t − width/2))/width, F the integral of the loss."""
        half, edges, base = self._half(width), self.edges, float(self.losses[0])
        integral = np.concatenate([[0.0], np.cumsum((self.losses - base) * np.diff(edges))])
        gained = np.interp(t + half, edges, integral) - np.interp(t - half, edges, integral)
        return np.asarray(base + gained / width)

    def best(self, width: float, among: Floats | None = None) -> float:
        """The t of least moving average, `among` some or all; of equals the one nearest to 0, then the lower one."""
        half = self._half(width)
        at = among
        if at is None:
            still = [0.0] if self.low + half <= 0.0 <= self.high - half else []
            at = np.concatenate([self.smoothed(width)[0], still])
        values = self.average(at, width)
        lowest = float(values.min())
        equal = at[values <= lowest + _EQUAL * abs(lowest)]
        return float(min(equal.tolist(), key=lambda t: (abs(t), t)))

    def plot(self, ax: Axes | None = None, width: float | None = None) -> Axes:
        """The loss by t, with its moving average where a `width` is given."""
        from colayer.display.line import draw_line

        return draw_line(self, ax, width)

    def _half(self, width: float) -> float:
        if not 0.0 < width < self.high - self.low:
            raise OptionError(f"{width} is out of range, expected more than 0, less than the line", where="--width")
        return width / 2.0


def mean_steps(steps: Sequence[Steps], low: float, high: float) -> LossAlong:
    """The mean of step functions: their steps in the order of t, of equal t in the order given. O(k log k)."""
    count = len(steps)
    t = np.concatenate([step.t for step in steps])
    changes = np.concatenate([np.diff(step.values) for step in steps]) / count
    order = np.argsort(t, kind="stable")
    first = math.fsum(float(step.values[0]) for step in steps) / count
    losses = first + np.concatenate([[0.0], np.cumsum(changes[order])])
    return LossAlong(low, high, t[order], losses, exact=True)


def middles(low: float, high: float, points: int) -> Floats:
    """The middles of `points` equal cells."""
    edges = np.linspace(low, high, points + 1)
    return np.asarray((edges[1:] + edges[:-1]) / 2.0)


def on_grid(losses: Floats, low: float, high: float) -> LossAlong:
    """The step function with these losses at the middles of equal cells."""
    return LossAlong(low, high, np.linspace(low, high, len(losses) + 1)[1:-1], losses, exact=False)


def loss_along(
    evaluator: Evaluator,
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    line: Along,
    points: int,
) -> LossAlong:
    """The mean loss along a line, exactly where the problem follows every instance, else at `points` in one batch."""
    low, high = line.low, line.high
    if isinstance(problem, Follows):
        found = visitor(evaluator, problem, instances).visit(line, range(len(instances)))
        steps = [step for step in found if step is not None]
        if len(steps) == len(instances):
            return mean_steps(steps, low, high)
    rows = line.weights + middles(low, high, points)[:, None] * line.direction
    means = [math.fsum(row) / len(row) for row in evaluator.losses(rows).tolist()]
    return on_grid(np.array(means), low, high)


def _checked(given: object, what: str, line: Along) -> tuple[Floats, Floats]:
    """What `along` of a user's problem returned: increasing t inside the line, one cost more, all finite."""
    expected = "(t, costs), or None: t increasing from low to high, one cost more than t, all finite"
    t, costs = (array(part, what, expected).astype(np.float64) for part in parts(given, 2, what, expected))
    sound = t.ndim == 1 and costs.shape == (len(t) + 1,) and np.isfinite(costs).all()
    if not sound or not (np.diff(np.concatenate([[line.low], t, [line.high]])) >= 0.0).all():
        raise refused(what, given, expected)
    return t, costs
