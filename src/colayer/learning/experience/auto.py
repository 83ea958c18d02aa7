"""The default method: DIRECT for the landscape, then CMA-ES from what is known to be good, on one budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colayer.errors import OptionError
from colayer.learning.experience.cma_es import descend
from colayer.learning.experience.direct import Direct
from colayer.learning.experience.fit import Experience
from colayer.learning.experience.optimizer import Evaluate, Floats, Portion, Task
from colayer.learning.options import positive


@dataclass(frozen=True)
class Auto(Experience):
    """What a careful user would do with one budget.

    1. The safe weights are evaluated, where the task has some.
    2. DIRECT spends `direct_share` of the budget, or the 2d + 1 evaluations that it takes to look once along every
       axis if they are more. Where the budget does not have so many, it is left out if there are safe weights.
    3. CMA-ES, with a first step of `step` times the root mean square of the start, from the safe weights with
       `safe_share` of what is left, then from the best of DIRECT with the rest; where one of the two is missing, the
       other takes it all.
    """

    direct_share: float = 0.25
    safe_share: float = 0.6
    step: float = 0.06

    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        for key in ("direct_share", "safe_share"):
            if not 0.0 <= getattr(self, key) <= 1.0:
                raise OptionError(f"{key} {getattr(self, key)} is out of range, expected 0 to 1", where="--method")
        positive(self, "step")

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search until the evaluations of the task are spent."""
        left = task.evaluations
        starts: list[tuple[Floats, float]] = []
        if task.safe is not None:
            starts.append((task.safe, float(evaluate(task.safe[None, :])[0])))
            left -= 1

        look = self._direct_evaluations(task, left)
        if look > 0:
            landscape = Portion(evaluate, look)
            landscape.spend(lambda portion: Direct().minimize(portion, task))
            left -= look - landscape.left
            if landscape.best is not None:
                starts.append((landscape.best, landscape.loss))

        for key, (start, loss) in enumerate(starts):
            last = key == len(starts) - 1
            portion = Portion(evaluate, left if last else int(self.safe_share * left))
            portion.best, portion.loss = np.array(start), loss
            left -= portion.left
            portion.spend(
                lambda portion, start=start, key=key: descend(portion, task, start, step=self.step, key=key)  # type: ignore[misc]
            )

    def _direct_evaluations(self, task: Task, left: int) -> int:
        axes = 2 * task.dimension + 1
        if axes > left and task.safe is not None:
            return 0
        return min(max(int(self.direct_share * task.evaluations), axes), left)
