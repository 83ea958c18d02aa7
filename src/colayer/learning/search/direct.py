"""DIRECT: deterministic division of the box into ever smaller rectangles, by nlopt.

Jones, Perttunen and Stuckman (1993), Lipschitzian optimization without the Lipschitz constant; the locally biased
form, and its randomised variant, after Gablonsky and Kelley (2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.learning.options import at_least_one
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Portion, Task


@dataclass(frozen=True)
class Direct(Experience):
    """DIRECT on the L∞ ball of the task's radius, from its middle, w = 0.

    `seeds=1` is the deterministic variant, unless it is `randomised`. `seeds=n` runs the randomised variant n times,
    each with a seed of its own derived from the task's: the evaluations of the task are the total, shared evenly (the
    paper's ten seeds of 1000 iterations are `seeds=10` and 10000 evaluations).

    nlopt's random generator is global: it is seeded before each randomised run, and such runs must not be nested or
    run in threads. The deterministic variant draws no random numbers.
    """

    seeds: int = 1
    randomised: bool = False

    name: ClassVar[str] = "direct"

    def __post_init__(self) -> None:
        at_least_one(self, "seeds")

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search until the evaluations of the task are spent."""
        import nlopt

        if self.seeds == 1 and not self.randomised:
            Portion(evaluate, task.evaluations).spend(lambda portion: _run(nlopt.GN_DIRECT_L, portion, task))
            return
        for k in range(self.seeds):
            # The first runs take one evaluation more where the budget is not a multiple of the seeds.
            portion = Portion(evaluate, task.evaluations // self.seeds + (k < task.evaluations % self.seeds))
            sequence = seeds.sequence(task.seed, seeds.DIRECT, k)
            nlopt.srand(int(sequence.generate_state(1)[0]))
            portion.spend(lambda portion: _run(nlopt.GN_DIRECT_L_RAND, portion, task))


def _run(algorithm: int, portion: Portion, task: Task) -> None:
    import nlopt

    if portion.left == 0:
        return

    failure: BaseException | None = None

    def objective(w: Floats, _gradient: Floats) -> float:
        # An exception must not reach nlopt, which may call again before it looks: it is kept, and raised afterwards.
        nonlocal failure
        if failure is None:
            try:
                # nlopt's array is a view of memory that it reuses: copied before anyone keeps it.
                return float(portion(np.array(w)[None, :])[0])
            except BaseException as error:
                failure = error
                search.force_stop()
        return 0.0

    search = nlopt.opt(algorithm, task.dimension)
    search.set_lower_bounds(np.full(task.dimension, -task.radius))
    search.set_upper_bounds(np.full(task.dimension, task.radius))
    search.set_min_objective(objective)
    search.set_maxeval(portion.left)
    try:
        search.optimize(np.zeros(task.dimension))
    except nlopt.ForcedStop:
        if failure is None:
            raise
    if failure is not None:
        raise failure
