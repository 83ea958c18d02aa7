"""Adam over all samples of a batch at once, and the mean of its second half.

A step moves each entry of W by about `rate`, hence θ by rate·√(c + 1), contexts being of spread 1. So that it means the
same for all costs, the rate is a share of their spread: ρ·spread/√(c + 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats, Ints
from colayer.learning.adam import Adam
from colayer.learning.context.data import ContextData
from colayer.learning.imitation.descent import DECAY
from colayer.learning.journal import Record
from colayer.learning.run import Run

#: The rate as a share of the spread of θ.
RATE = 0.05

#: (θ of some samples, their numbers, pass) → mean loss, gradients in θ.
Losses = Callable[[Floats, Ints, int], tuple[float, Floats]]
#: weights → training loss, validation loss; the latter where asked for.
Judge = Callable[[Floats, bool], tuple[float, float | None]]
#: Training samples that the loss of a pass is measured on; at the end on all.
JUDGED = 64


@dataclass(frozen=True, eq=False)
class ContextDescent:
    """A descent over the `chosen` samples, one record per pass; `key` tells apart the descents of a run."""

    run: Run
    data: ContextData
    chosen: Ints
    losses: Losses
    judge: Judge
    spread: float
    rate: float
    batch: int
    seed: int
    key: int = 0

    def minimize(self, start: Floats, passes: int) -> Record:
        """Return the record of the last of so many passes; the first evaluates the start."""
        d = self.data.dimension
        w, state = start, np.zeros(3 * d + 1)
        record = self.run.next_pass(4 * d + 1)
        if record is None:
            few = self.chosen[:JUDGED]
            loss, _ = self.losses(self.data.thetas(w, few), few, 0)
            record = self._keep(w, loss, np.concatenate([w, state]), whole=True)
        else:
            self.run.compare(record, w)
            self.run.replay(record)
        for number in range(1, passes + 1):
            known = self.run.next_pass(4 * d + 1)
            if known is None:
                w, state, loss = self._pass(number, passes, w, state)
                total, count = state[2 * d : 3 * d], state[-1]
                average = total / count if count else w
                known = self._keep(average, loss, np.concatenate([w, state]), whole=number == passes)
            else:
                self.run.replay(known)
            w, state = np.array(known.state[:d]), np.array(known.state[d:])
            record = known
        return record

    def _pass(self, number: int, passes: int, w: Floats, state: Floats) -> tuple[Floats, Floats, float]:
        d, m = self.data.dimension, len(self.chosen)
        mean, square, total = (np.array(part) for part in state[:-1].reshape(3, d))
        count = float(state[-1])
        order = seeds.generator(self.seed, seeds.DEMONSTRATION, 0, number, self.key).permutation(m)
        batches = -(-m // self.batch)
        steps = passes * batches
        first = self.rate * self.spread / math.sqrt(d / self.data.rows)
        adam, values = Adam.after((number - 1) * batches, mean, square, DECAY), []
        for rows in np.array_split(order, batches):
            part = self.chosen[np.sort(rows)]
            value, gradients = self.losses(self.data.thetas(w, part), part, number)
            values.append(value * len(part))
            rate = first * (1.0 - adam.steps / steps)
            w = w - rate * adam.step(self.data.pull_back(gradients, part))
            if 2 * adam.steps > steps:
                total, count = total + w, count + 1.0
        return w, np.concatenate([adam.mean, adam.square, total, [count]]), math.fsum(values) / m

    def _keep(self, w: Floats, demonstration: float, state: Floats, *, whole: bool) -> Record:
        loss, validation = self.judge(w, whole)
        record = Record(self.run.number, w.tolist(), loss, validation, demonstration, state.tolist())
        self.run.keep([record])
        return record
