"""The default method: what a careful user would do with one budget, from what is simple to what is learned.

A simple answer, the safe weights or one feature alone, stands until a learned one is measurably better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import OptionError
from colayer.learning.options import positive
from colayer.learning.search.cma_es import descend
from colayer.learning.search.direct import Direct
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Portion, Task
from colayer.learning.search.search import SearchRun
from colayer.learning.search.simple import axes, measured, simplest
from colayer.learning.search.srl import Srl, SrlDescent

#: Of what the race of several σ leaves, the rate of the descent that goes on is this share of theirs.
_ONWARD = 0.75
#: First steps on days are so many times larger: the best policy is far from the rule it starts from.
_ON_DAYS = 8.0
#: Passes of a descent that are worth the name.
_FEWEST_PASSES = 2


@dataclass(frozen=True)
class Auto(Experience):
    """Axes, then imitation, then CMA-ES; a black-box search where the problem has no `embed`.

    1. The safe weights are evaluated, where there are some, and every feature alone, with either sign.
    2. From the better of these, `srl` descends with each of `sigmas`, on `race_share` of what is left, and goes on from
       the best with the rest, less `finish_share` of it.
    3. CMA-ES finishes, with a first step of `finish_step` times the root mean square of the best weights so far.
    4. Of simple answer, imitation and finish, in this order, a later one is taken only where its losses on the
       instances, pair by pair, are measurably lower (see `measurable`): what is measured on a handful of instances by
       a search that minimised it is flattered.

    Without `embed`, and on days: the safe weights; DIRECT with `direct_share` of the budget, or the 2d + 1 evaluations
    that it takes to look once along every axis if they are more; CMA-ES from the safe weights with `safe_share` of what
    is left, then from the best of DIRECT, with first steps of `step`, on days of eight times as much. Validation
    chooses among the best.
    """

    sigmas: tuple[float, ...] = (0.02, 0.1)
    race_share: float = 0.3
    finish_share: float = 0.1
    finish_step: float = 0.02
    direct_share: float = 0.25
    safe_share: float = 0.6
    step: float = 0.06

    name: ClassVar[str] = "auto"
    selects_answer: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for key in ("race_share", "finish_share", "direct_share", "safe_share"):
            if not 0.0 <= getattr(self, key) <= 1.0:
                raise OptionError(f"{key} {getattr(self, key)} is out of range, expected 0 to 1", where="--method")
        positive(self, "step", "finish_step")
        object.__setattr__(self, "sigmas", tuple(float(sigma) for sigma in self.sigmas))
        for sigma in self.sigmas:
            Srl(sigma=sigma)
        if not self.sigmas:
            raise OptionError("no sigmas, expected at least one", where="--method")

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search until the evaluations of the task are spent."""
        if task.embeds and not task.days and isinstance(evaluate, SearchRun) and task.evaluations > axes(task):
            self._imitate(evaluate, task)
        else:
            self._search(evaluate, task)

    def _imitate(self, search: SearchRun, task: Task) -> None:
        simple = simplest(search, task)
        search.select_answer(simple)
        best, spent = self._descended(search, task, simple, task.evaluations - axes(task))
        answer = measured(search, best, simple)
        search.select_answer(answer)
        start = min(best, simple, key=search.loss_of)
        finish = Portion(search, task.evaluations - axes(task) - spent - 1)  # the last one would end the run
        finish.best, finish.loss = np.array(start), search.loss_of(start)
        finish.spend(lambda portion: descend(portion, task, start, step=self.finish_step))
        search.select_answer(measured(search, finish.best, answer))

    def _descended(self, search: SearchRun, task: Task, start: Floats, left: int) -> tuple[Floats, int]:
        """Where the race and the descent after it end, and what they took; the start where the budget is too small."""
        each = Srl().draws + 1
        passes = int(self.race_share * left) // (each * len(self.sigmas))
        if passes < _FEWEST_PASSES:
            sigmas, passes = self.sigmas[:1], int((1.0 - self.finish_share) * left) // each
            if passes < _FEWEST_PASSES:
                return start, 0
        else:
            sigmas = self.sigmas
        raced = []
        for key, sigma in enumerate(sigmas):
            raced.append(SrlDescent(Srl(sigma=sigma), task, start, passes, key).run(search))
        spent = passes * each * len(sigmas)
        first = min(range(len(raced)), key=lambda k: search.loss_of(raced[k]))
        onward = int((1.0 - self.finish_share) * left - spent) // each
        if onward < _FEWEST_PASSES:
            return raced[first], spent
        method = Srl(sigma=sigmas[first], rate=_ONWARD * Srl().rate)
        ended = SrlDescent(method, task, raced[first], onward, len(sigmas)).run(search)
        return ended, spent + onward * each

    def _search(self, evaluate: Evaluate, task: Task) -> None:
        """By losses alone."""
        left, step = task.evaluations, self.step * (_ON_DAYS if task.days else 1.0)
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
                lambda portion, start=start, key=key: descend(portion, task, start, step=step, key=key)  # type: ignore[misc]
            )

    def _direct_evaluations(self, task: Task, left: int) -> int:
        least = 2 * task.dimension + 1
        if least > left and task.safe is not None:
            return 0
        return min(max(int(self.direct_share * task.evaluations), least), left)
