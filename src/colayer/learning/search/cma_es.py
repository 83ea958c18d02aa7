"""CMA-ES: a Gaussian search distribution whose mean, step and covariance follow the better half of each population.

Hansen (2016), The CMA evolution strategy: a tutorial, by pycma. The losses here are piecewise constant, so plateaus
are tolerated, and what looks converged is restarted from the best weights with twice the population (Auger and Hansen,
2005, A restart CMA evolution strategy with increasing population size).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.errors import InputError, OptionError
from colayer.learning.options import positive
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Portion, Task, ball, size

#: Populations with equal losses that are tolerated before a restart.
_FLAT_POPULATIONS = 10
#: First steps that are raced where none is given, and the share of the evaluations that each gets.
STEPS = (0.02, 0.1, 0.5)
_RACE = 0.12
#: A step this small, relative to the first one, moves no sorting or tree layer any more: restart.
_SMALLEST_STEP = 1e-6


@dataclass(frozen=True)
class CmaEs(Experience):
    """CMA-ES from given weights.

    `start`: the first mean, in model units; by default the task's safe weights, or 0 where it has none. It is the
    first evaluation. `step`: the first standard deviation of every weight, as a fraction of the root mean square of
    the start (of the radius where the start is 0). It is roughly the relative change of θ, and matters: a large first
    step forgets a good start, a small one never leaves it. Without one, three are raced (see `race`). `population`:
    evaluated in one batch; 4 + 3 ln d by default.

    The search keeps to the ball of the task's radius, or, where the start lies outside, to the ball of twice the
    start's largest weight.
    """

    step: float | None = None
    population: int | None = None
    start: tuple[float, ...] | None = None

    name: ClassVar[str] = "cma-es"

    def __post_init__(self) -> None:
        if self.step is not None:
            positive(self, "step")
        if self.population is not None and self.population < 2:
            raise OptionError(f"population {self.population} is out of range, expected at least 2", where="--method")
        if self.start is not None:
            object.__setattr__(self, "start", tuple(float(value) for value in self.start))

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Evaluate the start, then search from it until the evaluations of the task are spent."""
        start = self._start(task)

        def search(portion: Portion) -> None:
            loss = float(portion(start[None, :])[0])
            steps = STEPS if self.step is None else (self.step,)
            descents = [CmaDescent(task, start, loss, step, self.population, key) for key, step in enumerate(steps)]
            race(portion, descents, _RACE).run(portion)

        Portion(evaluate, task.evaluations).spend(search)

    def _start(self, task: Task) -> Floats:
        if self.start is None:
            return np.zeros(task.dimension) if task.safe is None else task.safe
        start = np.array(self.start)
        if start.shape != (task.dimension,) or not np.isfinite(start).all():
            raise InputError(f"expected {task.dimension} finite numbers", where="start")
        return start


class CmaDescent:
    """CMA-ES from `start`, whose loss is known, with restarts from the best weights seen.

    It goes on where it was left: `run` takes populations from a portion until that is spent, or, with `whole`, until
    the next population would not fit. `key` keeps the random numbers of several descents of one task apart.
    """

    def __init__(
        self, task: Task, start: Floats, loss: float, step: float, population: int | None = None, key: int = 0
    ) -> None:
        self._task, self._radius, self._step, self._key = task, ball(task, start), step, key
        self.count = population or 4 + int(3 * math.log(task.dimension))
        self.best, self.loss = np.array(start), loss
        self._restarts = 0
        self._strategy = self._begin()

    @property
    def mean(self) -> Floats:
        """Return the mean of the search distribution: less flattered by the training instances than the best."""
        return np.array(self._strategy.result.xfavorite)

    def run(self, portion: Portion, *, whole: bool = False) -> None:
        """Go on until the portion is spent."""
        while not whole or self.count <= portion.left:
            if self._strategy.stop():
                self._restarts += 1
                self.count *= 2
                self._strategy = self._begin()
                continue
            asked = np.array(self._strategy.ask())
            losses = portion(asked)
            self._strategy.tell(list(asked), losses.tolist())
            k = int(np.argmin(losses))
            if losses[k] < self.loss:
                self.best, self.loss = asked[k].copy(), float(losses[k])

    def _begin(self) -> Any:
        import cma

        scale = size(self.best, self._task)
        random = seeds.generator(self._task.seed, seeds.CMA_ES, self._key, self._restarts)
        return cma.CMAEvolutionStrategy(
            self.best,
            self._step * scale,
            {
                "popsize": self.count,
                "bounds": [-self._radius, self._radius],
                # Its own generator; a seed of nan leaves numpy's global one alone.
                "randn": lambda *shape: random.standard_normal(shape),
                "seed": math.nan,
                # Quiet; below -9, options are not read from a file of the working directory either.
                "verbose": -10,
                "tolfun": 0,
                "tolfunhist": 0,
                "tolflatfitness": _FLAT_POPULATIONS,
                "tolx": _SMALLEST_STEP * self._step * scale,
                "tolfacupx": math.inf,
                "maxiter": math.inf,
            },
        )


def race(portion: Portion, descents: Sequence[CmaDescent], share: float) -> CmaDescent:
    """Return the descent of lowest loss after each had this share of the portion; of equals the first.

    One alone has won. A share that holds no two populations is no race: the middle one wins.
    """
    each = int(share * portion.left)
    if len(descents) == 1 or each < 2 * descents[0].count:
        return descents[len(descents) // 2]
    for descent in descents:
        part = Portion(portion, each)
        descent.run(part, whole=True)
    return min(descents, key=lambda descent: descent.loss)
