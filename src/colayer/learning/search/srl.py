"""Structured reinforcement learning: imitate the best of one's own perturbed solutions, from costs alone.

See `imitation` for the gradient. Steps are Adam's, over the instances in a new random order in every pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.errors import OptionError
from colayer.learning.adam import Adam
from colayer.learning.learner import Fitted, TrainingJob
from colayer.learning.options import at_least_one, positive
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Task
from colayer.learning.search.own_best import Imitation
from colayer.learning.search.search import SearchRun
from colayer.models import norm
from colayer.problem.protocol import X, Y, Z


@dataclass(frozen=True)
class Srl(Experience):
    """Adam along the gradient of imitation, from the task's safe weights (0 where it has none).

    A pass over the instances solves each `draws` times and evaluates once: it takes draws + 1 evaluations of the
    budget. `sigma` is the perturbation relative to the spread of θ, `temperature` that of the costs; `rate` is the
    first step relative to a tenth of the radius, and falls linearly to 0; `batch` instances make a step, by default a
    sixth of them, from 4 to 64. Where the layer is homogeneous the norm of the weights is kept: only their direction
    matters, and a drifting scale would change σ. The answer is the average of the weights over the second half.
    """

    sigma: float = 0.03
    draws: int = 10
    temperature: float = 0.4
    rate: float = 0.02
    batch: int | None = None

    name: ClassVar[str] = "srl"
    selects_answer: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive(self, "sigma", "temperature", "rate")
        at_least_one(self, "draws", "batch")

    def fit(self, job: TrainingJob[X, Y, Z]) -> Fitted:
        """Learn, if solutions of the layer can be embedded."""
        job.training_problem.need("embed", option="--method", why="srl imitates solutions as vectors")
        return super().fit(job)

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Evaluate the start, descend over as many passes as the budget has, and take the average of the tail."""
        if not isinstance(evaluate, SearchRun):
            raise OptionError("srl needs the instances, not only their losses", where="--method")
        search = evaluate
        start = np.zeros(task.dimension) if task.safe is None else np.array(task.safe)
        loss = float(search(start[None, :])[0])
        descent = SrlDescent(self, task, start, (task.evaluations - 1) // (self.draws + 1))
        average = descent.run(search)
        search.select_answer(average if search.loss_of(average) <= loss else start)


class SrlDescent:
    """One descent of `passes` passes from `start`; `key` keeps the draws of several descents of one task apart."""

    def __init__(self, method: Srl, task: Task, start: Floats, passes: int, key: int = 0) -> None:
        self.method, self.task, self.passes, self.key = method, task, passes, key
        self.weights, self.norm = np.array(start), norm(start)
        self.total, self.count = np.zeros(task.dimension), 0
        self.adam = Adam(task.dimension)
        self.done = 0

    def run(self, search: SearchRun) -> Floats:
        """All passes: the average of the tail, or the start where there is none."""
        while self.done < self.passes:
            self.run_epoch(search)
        return self.average

    def run_epoch(self, search: SearchRun) -> None:
        """One more pass, from the journal or new."""
        state = search.run_epoch(
            lambda: self._epoch(search.gradients), self.method.draws + 1, 4 * self.task.dimension + 3
        )
        self._restore_state(state)
        self.done += 1

    @property
    def average(self) -> Floats:
        """Of the weights over the second half of the steps; the weights themselves before it."""
        return self.total / self.count if self.count else self.weights

    def _epoch(self, gradients: Callable[[Imitation, list[int]], list[Floats]]) -> tuple[Floats, Floats]:
        method, scale = self.method, self.task.scale
        number = (self.key << 32) + self.done
        random = seeds.generator(self.task.seed, seeds.SRL, self.key, self.done)
        order = random.permutation(self.task.instances).tolist()
        batch = method.batch or min(max(len(order) // 6, 4), 64)
        steps = self.passes * -(-len(order) // batch)
        for first in range(0, len(order), batch):
            work = Imitation(
                self.weights / scale, method.draws, method.sigma, method.temperature, self.task.seed, number
            )
            gradient = np.zeros(self.task.dimension)
            for part in gradients(work, order[first : first + batch]):
                gradient += part / scale
            rate = method.rate * self.task.radius / 10.0 * (1.0 - self.adam.steps / steps)
            self.weights = self.weights - self.adam.step(gradient, rate)
            if self.task.homogeneous and self.norm > 0.0:
                self.weights = self.weights * (self.norm / norm(self.weights))
            if 2 * self.adam.steps > steps:
                self.total, self.count = self.total + self.weights, self.count + 1
        return self.average, self._state()

    def _state(self) -> Floats:
        counts = [float(self.adam.steps), float(self.count), self.norm]
        return np.concatenate([self.weights, self.adam.mean, self.adam.square, self.total, counts])

    def _restore_state(self, state: Floats) -> None:
        self.weights, self.adam.mean, self.adam.square, self.total = (
            np.array(part) for part in np.split(state[:-3], 4)
        )
        self.adam.steps, self.count = int(state[-3]), int(state[-2])
