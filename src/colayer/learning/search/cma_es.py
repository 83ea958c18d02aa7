"""CMA-ES: a Gaussian search distribution whose mean, step and covariance follow the better half of each population.

Hansen (2016), The CMA evolution strategy: a tutorial, by pycma. The losses here are piecewise constant, so plateaus
are tolerated, and what looks converged is restarted from the best weights with twice the population (Auger and Hansen,
2005, A restart CMA evolution strategy with increasing population size).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.errors import InputError, OptionError
from colayer.learning.options import positive
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Portion, Task, ball, size

#: Populations with equal losses that are tolerated before a restart.
_FLAT_POPULATIONS = 10
#: A step this small, relative to the first one, moves no sorting or tree layer any more: restart.
_SMALLEST_STEP = 1e-6


@dataclass(frozen=True)
class CmaEs(Experience):
    """CMA-ES from given weights.

    `start`: the first mean, in model units; by default the task's safe weights, or 0 where it has none. It is the
    first evaluation. `step`: the first standard deviation of every weight, as a fraction of the root mean square of
    the start (of the radius where the start is 0); it is roughly the relative change of θ, and matters: a large first
    step forgets a good start. `population`: evaluated in one batch; 4 + 3 ln d by default.

    The search keeps to the ball of the task's radius, or, where the start lies outside, to the ball of twice the
    start's largest weight.
    """

    step: float = 0.01
    population: int | None = None
    start: tuple[float, ...] | None = None

    name: ClassVar[str] = "cma-es"

    def __post_init__(self) -> None:
        positive(self, "step")
        if self.population is not None and self.population < 2:
            raise OptionError(f"population {self.population} is out of range, expected at least 2", where="--method")
        if self.start is not None:
            object.__setattr__(self, "start", tuple(float(value) for value in self.start))

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Evaluate the start, then search from it until the evaluations of the task are spent."""
        start = self._start(task)

        def search(portion: Portion) -> None:
            portion(start[None, :])
            descend(portion, task, start, step=self.step, population=self.population)

        Portion(evaluate, task.evaluations).spend(search)

    def _start(self, task: Task) -> Floats:
        if self.start is None:
            return np.zeros(task.dimension) if task.safe is None else task.safe
        start = np.array(self.start)
        if start.shape != (task.dimension,) or not np.isfinite(start).all():
            raise InputError(f"expected {task.dimension} finite numbers", where="start")
        return start


def descend(
    portion: Portion, task: Task, start: Floats, *, step: float, population: int | None = None, key: int = 0
) -> None:
    """CMA-ES from `start`, which is not evaluated again, with restarts from the portion's best, until it is spent.

    `key` keeps the random numbers of several descents of one task apart.
    """
    import cma

    count = population or 4 + int(3 * math.log(task.dimension))
    radius = ball(task, start)
    mean, restarts = start, 0
    while True:
        scale = size(mean, task)
        random = seeds.generator(task.seed, seeds.CMA_ES, key, restarts)
        strategy = cma.CMAEvolutionStrategy(
            mean,
            step * scale,
            {
                "popsize": count,
                "bounds": [-radius, radius],
                # Its own generator; a seed of nan leaves numpy's global one alone.
                "randn": lambda *shape, random=random: random.standard_normal(shape),
                "seed": math.nan,
                # Quiet; below -9, options are not read from a file of the working directory either.
                "verbose": -10,
                "tolfun": 0,
                "tolfunhist": 0,
                "tolflatfitness": _FLAT_POPULATIONS,
                "tolx": _SMALLEST_STEP * step * scale,
                "tolfacupx": math.inf,
                "maxiter": math.inf,
            },
        )
        while not strategy.stop():
            asked = strategy.ask()
            strategy.tell(asked, portion(np.array(asked)).tolist())
        restarts += 1
        count *= 2
        if portion.best is not None:
            mean = portion.best
