"""Line search: along w + t·d the loss is a step function of t; step to the least of its moving average.

Where the problem can follow its layer along a line the whole step function is computed, exactly (`evaluators.along`).
Its plain minimum is that of the training instances alone, on a piece that may be as thin as a hair. The minimum of the
average over an interval of t is one that other instances share. Directions are random: they beat single features.
(Och 2003, Minimum error rate training; Macherey and others 2008.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colayer.evaluators.along import Along, LossAlong, Steps, mean_steps, middles, on_grid
from colayer.held import Held
from colayer.learning.experience.fit import Experience
from colayer.learning.experience.optimizer import Evaluate, Floats, Stepwise, Task, generator, stepwise
from colayer.learning.experience.simple import axes, measured, simplest
from colayer.learning.options import at_least_one, positive
from colayer.problem import X, Y, Z

_SPAWN_KEY = 0x11E
#: Rows of θ whose exact line takes as long as one evaluation, measured (docs/line.md).
_ROWS_PER_EVALUATION = 3
#: Lines that are worth the name, after looking at every feature alone.
_FEWEST_LINES = 4


@dataclass(frozen=True)
class Line(Experience):
    """Steps to the least moving average of the loss along random lines, from the best simple answer.

    Lengths are relative to the norm of the weights: a line goes `reach` to both sides, and `width` is that of the
    moving average. An exact line takes an evaluation, and one for every three rows of θ per instance. Where that is
    more than `points`, or where the problem cannot follow its layer, the line is a grid of `points` evaluations.
    """

    reach: float = 0.15
    width: float = 0.06
    points: int = 17

    name: ClassVar[str] = "line"
    uses: ClassVar[frozenset[str]] = frozenset({"radius", "cluster", "device"})
    settles: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive(self, "reach", "width")
        at_least_one(self, "points")

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Evaluate simple answers, follow lines from the best of them; take the end where it is measurably better."""
        search = stepwise(evaluate, self.name)
        lines = Lines(self, search, task)
        left = task.evaluations - axes(task) - 1  # the last one would end the run
        if left >= _FEWEST_LINES * lines.price:
            start = simplest(search, task)
        else:
            start = np.zeros(task.dimension) if task.safe is None else np.array(task.safe)
            search(start[None, :])
            left = task.evaluations - 2
        search.settle(start)
        search.settle(measured(search, lines.followed(start, left), start))


class Lines:
    """Line search on one task; `price` is what a line takes of the budget, `key` keeps several searches apart."""

    def __init__(self, method: Line, search: Stepwise, task: Task, key: int = 0) -> None:
        self.method, self.search, self.task, self.key = method, search, task, key
        rows = search.gradients(rows_followed, list(range(task.instances)))
        followed = [count for count in rows if count is not None]
        price = 1 + math.ceil(sum(followed) / max(1, len(followed)) / _ROWS_PER_EVALUATION)
        self.exact = len(followed) == len(rows) and price <= method.points
        self.price = price if self.exact else method.points

    def followed(self, start: Floats, evaluations: int) -> Floats:
        """Where as many lines as `evaluations` allow lead from `start`, which was evaluated; the end was, too."""
        weights, norm = np.array(start), _norm(start)
        for number in range(evaluations // self.price):
            direction = self._direction(weights, number)
            follow = self._exactly if self.exact else self._on_grid
            weights = follow(weights, direction, norm)
        return weights

    def _direction(self, weights: Floats, number: int) -> Floats:
        """A random direction of the norm of the weights; in a homogeneous layer, at right angles to them."""
        drawn = generator(self.task, _SPAWN_KEY, self.key, number).standard_normal(self.task.dimension)
        norm = _norm(weights)
        if self.task.homogeneous and norm > 0.0:
            drawn = drawn - weights * (float((drawn * weights).sum()) / norm**2)
        length = norm or self.task.radius * math.sqrt(self.task.dimension)
        return np.asarray(drawn * (length / (_norm(drawn) or 1.0)))

    def _exactly(self, weights: Floats, direction: Floats, norm: float) -> Floats:
        """One pass: the step function of all instances, its least average, and one evaluation there."""

        def work() -> tuple[Floats, Floats]:
            reach, scale = self.method.reach, self.task.scale
            line = Along(weights / scale, direction / scale, -reach, reach)
            steps = self.search.gradients(line, list(range(self.task.instances)))
            along = mean_steps([step for step in steps if step is not None], -reach, reach)
            found = self._stepped(weights, direction, self._best(along), norm)
            return found, found

        return self.search.passed(work, self.price, self.task.dimension)

    def _on_grid(self, weights: Floats, direction: Floats, norm: float) -> Floats:
        reach = self.method.reach
        at = middles(-reach, reach, self.method.points)
        rows = np.array([self._stepped(weights, direction, t, norm) for t in at.tolist()])
        along = on_grid(self.search(rows), -reach, reach)
        return np.array(rows[at.tolist().index(self._best(along, at))])

    def _best(self, along: LossAlong, among: Floats | None = None) -> float:
        width = min(self.method.width, 0.9 * (along.high - along.low))
        half = width / 2.0
        if among is not None:
            among = among[(among >= along.low + half) & (among <= along.high - half)]
        return along.best(width, among)

    def _stepped(self, weights: Floats, direction: Floats, t: float, norm: float) -> Floats:
        """w + t·d; in a homogeneous layer with the norm that the start had."""
        found = weights + t * direction
        if self.task.homogeneous and norm > 0.0 and t != 0.0:
            found = found * (norm / _norm(found))
        return found


def rows_followed(held: Held[X, Y, Z]) -> int | None:
    """The rows of θ of an instance whose layer can be followed along a line; None where it cannot."""
    still = np.zeros(len(held.matrix))
    steps: Steps | None = Along(still, still, 0.0, 0.0)(held)
    return None if steps is None else int(held.matrix.shape[1])


def _norm(weights: Floats) -> float:
    return math.sqrt(float((weights**2).sum()))
