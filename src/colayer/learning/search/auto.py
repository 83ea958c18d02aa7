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
from colayer.learning.run import Stop
from colayer.learning.search.cma_es import CmaDescent, CmaEs, race
from colayer.learning.search.direct import Direct
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Portion, Task
from colayer.learning.search.search import SearchRun
from colayer.learning.search.simple import axes, better, simplest
from colayer.learning.search.srl import Srl, SrlDescent

#: Of what the race of several σ leaves, the rate of the descent that goes on is this share of theirs.
_ONWARD = 0.75
#: Passes of a descent that are worth the name.
_FEWEST_PASSES = 2
#: Keeps the random numbers of the last descent apart from those of the race.
_LAST = 9


@dataclass(frozen=True)
class Auto(Experience):
    """Simple answers, then imitation and CMA-ES from the best of them, raced; all that is learned must show it.

    1. The safe weights are evaluated, where there are some, and every feature alone, with either sign. A feature takes
       the place of the safe weights where it is measurably better (see `better`).
    2. From this simple answer, `srl` descends with each of `sigmas`, on `imitation_share` of what is left, where the
       problem has `embed` and no days; and CMA-ES with each first step of `steps`, on `search_share`. What is best
       over all instances, those held out included, goes on with the rest, less `finish_share` of it.
    3. CMA-ES finishes, with a first step of `finish_step` times the root mean square of the best weights so far.
    4. Of all ends, the best over all instances is the answer if it is measurably better than the simple one on the
       training instances and no worse on those held out: what a search minimised is flattered.

    Without safe weights, DIRECT looks around first, with `direct_share` of the budget.
    """

    sigmas: tuple[float, ...] = (0.02, 0.1)
    steps: tuple[float, ...] = (0.02, 0.1, 0.5)
    imitation_share: float = 0.25
    search_share: float = 0.25
    finish_share: float = 0.1
    finish_step: float = 0.02
    direct_share: float = 0.25

    name: ClassVar[str] = "auto"
    selects_answer: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for key in ("imitation_share", "search_share", "finish_share", "direct_share"):
            if not 0.0 <= getattr(self, key) <= 1.0:
                raise OptionError(f"{key} {getattr(self, key)} is out of range, expected 0 to 1", where="--method")
        if self.imitation_share + self.search_share > 1.0:
            raise OptionError("imitation_share and search_share are more than 1 together", where="--method")
        positive(self, "finish_step")
        for key in ("sigmas", "steps"):
            values = tuple(float(value) for value in getattr(self, key))
            object.__setattr__(self, key, values)
            if not values or not all(0.0 < value < np.inf for value in values):
                raise OptionError(f"{key} {values} are out of range, expected positive numbers", where="--method")

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search until the evaluations of the task are spent."""
        if isinstance(evaluate, SearchRun) and task.evaluations > axes(task):
            self._learn(evaluate, task)
        else:  # too few for the simple answers, or nothing but losses
            (Direct() if task.safe is None else CmaEs()).minimize(evaluate, task)

    def _learn(self, search: SearchRun, task: Task) -> None:
        simple = simplest(search, task)
        search.select_answer(simple)
        ends = [simple]
        try:
            self._search(search, task, ends)
        except Stop:  # evaluations or time are over: all that is left is to choose
            ends.append(np.array(min(search.run.visited, key=lambda record: record.loss).weights))
        search.select_answer(better(search, min(ends, key=search.mean_of), simple))

    def _search(self, search: SearchRun, task: Task, ends: list[Floats]) -> None:
        """Search from the simple answer, `ends[0]`, until the evaluations are spent; append what is found."""
        if task.safe is None:
            ends += self._look_around(search, task)
        start = min(ends, key=search.mean_of)
        left = _left(search, task)
        imitated = self._imitated(search, task, start, int(self.imitation_share * left))
        ends += [end for end, _ in imitated]
        descent = self._searched(search, task, start, int(self.search_share * left))
        ends.append(descent.best)
        onward = int((1.0 - self.finish_share) * _left(search, task))
        first = min(imitated, key=lambda end: search.mean_of(end[0]), default=None)
        if first is not None and search.mean_of(first[0]) < search.mean_of(descent.best):
            method = Srl(sigma=first[1], rate=_ONWARD * Srl().rate)
            ends += [end for end, _ in _descended(search, task, first[0], onward, method, len(imitated))]
        else:
            descent.run(Portion(search, onward), whole=True)
            ends.append(descent.best)
            search(descent.mean[None, :])
            ends.append(descent.mean)
        best = min(ends, key=search.mean_of)
        finish = CmaDescent(task, best, search.loss_of(best), self.finish_step, key=_LAST)
        try:
            finish.run(Portion(search, task.evaluations))
        finally:
            ends.append(finish.best)

    def _look_around(self, search: SearchRun, task: Task) -> list[Floats]:
        """Return the best weights of DIRECT."""
        landscape = Portion(search, min(int(self.direct_share * task.evaluations), _left(search, task)))
        landscape.spend(lambda portion: Direct().minimize(portion, task))
        return [] if landscape.best is None else [landscape.best]

    def _imitated(self, search: SearchRun, task: Task, start: Floats, evaluations: int) -> list[tuple[Floats, float]]:
        """Return where descents of so many evaluations in all end, with each σ; of the first alone if they are few."""
        if not task.embeds or task.days:
            return []
        sigmas = self.sigmas
        if _passes(evaluations // len(sigmas)) < _FEWEST_PASSES:
            sigmas = sigmas[:1]
        ends = []
        for key, sigma in enumerate(sigmas):
            ends += _descended(search, task, start, evaluations // len(sigmas), Srl(sigma=sigma), key)
        return ends

    def _searched(self, search: SearchRun, task: Task, start: Floats, evaluations: int) -> CmaDescent:
        """Return the best of CMA-ES with each first step, so many evaluations in all."""
        loss = search.loss_of(start)
        descents = [CmaDescent(task, start, loss, step, key=key) for key, step in enumerate(self.steps)]
        return race(Portion(search, evaluations), descents, 1.0 / len(descents))


def _left(search: SearchRun, task: Task) -> int:
    """Return the evaluations left, but one: the last would end the run before the answer is chosen."""
    return max(0, task.evaluations - search.run.spent - 1)


def _passes(evaluations: int) -> int:
    return evaluations // (Srl().draws + 1)


def _descended(
    search: SearchRun, task: Task, start: Floats, evaluations: int, method: Srl, key: int
) -> list[tuple[Floats, float]]:
    """Return where a descent of so many evaluations ends, with its σ; nothing where they are too few."""
    passes = _passes(evaluations)
    if passes < _FEWEST_PASSES:
        return []
    return [(SrlDescent(method, task, start, passes, key).run(search), method.sigma)]
