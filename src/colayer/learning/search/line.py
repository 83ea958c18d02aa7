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

from colayer.errors import OptionError
from colayer.evaluators.along import Along, Steps, mean_steps, on_grid
from colayer.evaluators.loaded import Held
from colayer.learning.options import at_least_one, positive
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Floats, Stepwise, Task, generator, stepwise
from colayer.learning.search.simple import axes, measured, simplest
from colayer.models import norm
from colayer.problem.protocol import X, Y, Z

_SPAWN_KEY = 0x11E
#: Rows of θ whose exact line takes as long as one evaluation, measured (docs/line.md).
_ROWS_PER_EVALUATION = 3
#: Lines on a grid for every feature, before exact ones.
_GRIDS = 4
#: Lines that are worth the name, after looking at every feature alone.
_FEWEST_LINES = 10


@dataclass(frozen=True)
class Line(Experience):
    """Steps to the least moving average of the loss along random lines, from the best simple answer.

    Lengths are relative to the norm of the weights, and `width` is that of the moving average. The first lines, four
    for every feature but at most half of the budget, are grids: `points` evaluations half a width apart, around the
    known one in the middle. They are cheap, and far from the end they are good enough. The others are exact and go
    `reach` to both sides; such a line takes one evaluation, and one for every three rows of θ per instance. Where that
    is more than `most`, or where the problem cannot follow its layer, all lines are grids.
    """

    width: float = 0.06
    points: int = 4
    reach: float = 0.15
    most: int = 32

    name: ClassVar[str] = "line"
    uses: ClassVar[frozenset[str]] = frozenset({"radius", "cluster", "device"})
    settles: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive(self, "reach", "width")
        at_least_one(self, "points", "most")
        if self.points % 2:
            raise OptionError(f"points {self.points} is odd, expected as many on either side", where="--method")
        if self.width >= 2.0 * self.reach:
            raise OptionError(f"width {self.width} is out of range, expected less than the line", where="--method")

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Evaluate simple answers, follow lines from the best of them; take the end where it is measurably better."""
        search = stepwise(evaluate, self.name)
        left = task.evaluations - axes(task) - 1  # the last one would end the run
        if left >= _FEWEST_LINES * self.points:
            start = simplest(search, task)
        else:
            start = np.zeros(task.dimension) if task.safe is None else np.array(task.safe)
            search(start[None, :])
            left = task.evaluations - 2
        search.settle(start)
        search.settle(measured(search, Lines(self, search, task).followed(start, left), start))


class Lines:
    """Line search on one task; `key` keeps the directions of several searches apart.

    `price` is what an exact line takes of the budget; None where there is none, or where it takes too much.
    """

    def __init__(self, method: Line, search: Stepwise, task: Task, key: int = 0) -> None:
        self.method, self.search, self.task, self.key = method, search, task, key
        rows = search.gradients(rows_followed, list(range(task.instances)))
        followed = [count for count in rows if count is not None]
        price = 1 + math.ceil(sum(followed) / max(1, len(followed)) / _ROWS_PER_EVALUATION)
        self.price = price if len(followed) == len(rows) and price <= method.most else None

    def followed(self, start: Floats, evaluations: int) -> Floats:
        """Where lines of `evaluations` in all lead from `start`, which was evaluated; so was the end."""
        points, exact = self.method.points, 0
        grids = evaluations // points
        if self.price is not None:
            grids = min(grids // 2, _GRIDS * self.task.dimension)
            exact = (evaluations - grids * points) // self.price
        weights, length = np.array(start), norm(start)
        for number in range(grids + exact):
            follow = self._on_grid if number < grids else self._exactly
            weights = follow(weights, self._direction(weights, number), length)
        return weights

    def _direction(self, weights: Floats, number: int) -> Floats:
        """A random direction of the norm of the weights; in a homogeneous layer, at right angles to them."""
        drawn = generator(self.task, _SPAWN_KEY, self.key, number).standard_normal(self.task.dimension)
        size = norm(weights)
        if self.task.homogeneous and size > 0.0:
            drawn = drawn - weights * (float((drawn * weights).sum()) / size**2)
        length = size or self.task.radius * math.sqrt(self.task.dimension)
        return np.asarray(drawn * (length / (norm(drawn) or 1.0)))

    def _on_grid(self, weights: Floats, direction: Floats, length: float) -> Floats:
        """The losses on both sides of the known one, their average, and the point where it is least."""
        cell, half = self.method.width / 2.0, self.method.points // 2
        at: Floats = cell * np.arange(-half, half + 1, dtype=np.float64)
        rows = np.array([self._stepped(weights, direction, t, length) for t in at.tolist()])
        losses = self.search(np.delete(rows, half, axis=0))
        along = on_grid(np.insert(losses, half, self.search.loss_of(weights)), at[0] - cell / 2.0, at[-1] + cell / 2.0)
        inner = at[1:-1]  # around the others there is less to average
        return np.array(rows[1 + inner.tolist().index(along.best(self.method.width, inner))])

    def _exactly(self, weights: Floats, direction: Floats, length: float) -> Floats:
        """One pass: the step function of all instances, its least average, and one evaluation there."""

        def work() -> tuple[Floats, Floats]:
            reach, scale = self.method.reach, self.task.scale
            line = Along(weights / scale, direction / scale, -reach, reach)
            steps = self.search.gradients(line, list(range(self.task.instances)))
            along = mean_steps([step for step in steps if step is not None], -reach, reach)
            found = self._stepped(weights, direction, along.best(self.method.width), length)
            return found, found

        return self.search.passed(work, self.price or 1, self.task.dimension)

    def _stepped(self, weights: Floats, direction: Floats, t: float, length: float) -> Floats:
        """w + t·d; in a homogeneous layer with the norm that the start had."""
        found = weights + t * direction
        if self.task.homogeneous and length > 0.0 and t != 0.0:
            found = found * (length / norm(found))
        return found


def rows_followed(held: Held[X, Y, Z]) -> int | None:
    """The rows of θ of an instance whose layer can be followed along a line; None where it cannot."""
    still = np.zeros(len(held.matrix))
    steps: Steps | None = Along(still, still, 0.0, 0.0)(held)
    return None if steps is None else int(held.matrix.shape[1])
