"""The optimisers of learning by demonstration: Adam on mini-batches and L-BFGS on all instances.

The loss of an instance is a function of θ = Φ·w, with the gradient Φᵀ·∂loss/∂θ with respect to w. A *pass* goes once
through the training instances; the journal holds one record per pass. The loss that is minimised is a means to an end:
of all passes, the weights with the least *pipeline* loss (cost / scale) are kept, on the instances held out, or on the
training instances where none are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.learning.adam import Adam
from colayer.learning.imitation.examples import Examples
from colayer.learning.journal import Record
from colayer.learning.run import Run
from colayer.problem.protocol import X, Y, Z

if TYPE_CHECKING:
    from colayer.learning.imitation.fit import Demonstration

#: The step of Adam in model units, and the instances of a batch, where nothing else is said.
RATE, BATCH = 0.1, 4

#: Decay of Adam's mean square.
DECAY = 0.999
#: Adam has converged where the last third of the passes gained less than this share of the loss.
_STILL = 1e-2


class Descent(Generic[X, Y, Z]):
    """A descent of the mean demonstration loss; weights are in model units, `scale` is the feature scale.

    The first pass evaluates the start. In the later ones of Adam, the loss is the mean of the batches as they were
    seen, with the weights of their time. `converged`: more passes would gain little.
    """

    def __init__(
        self,
        run: Run,
        method: Demonstration,
        train: Examples[X, Y, Z],
        held_out: Examples[X, Y, Z] | None,
        scale: Floats,
        seed: int,
    ) -> None:
        self.run, self.method = run, method
        self.train, self.held_out = train, held_out
        self.scale, self.seed = scale, seed
        self.converged = False

    def minimize(self, start: Floats) -> None:
        """Descend from `start`, from where the journal ends, until the passes are spent or nothing is gained."""
        self.run.verify(lambda records: [self.train.pipeline(np.array(r.weights) / self.scale) for r in records])
        (self._adam if self.method.optimizer == "adam" else self._l_bfgs)(start)

    @property
    def losses(self) -> list[float]:
        """The demonstration loss of every pass so far."""
        return [done.demonstration for done in self.run.history if done.demonstration is not None]

    def _l_bfgs(self, start: Floats) -> None:
        """scipy's L-BFGS; a pass is one value and gradient, kept as the state of its record."""
        from scipy.optimize import minimize

        def objective(w: Floats) -> tuple[float, Floats]:
            self.run.check_budget()
            weights = np.array(w)
            record = self.run.next_pass(len(weights))
            if record is None:
                loss, gradient = self._full(weights)
                record = self._make(weights, loss, gradient)
            else:
                self.run.compare(record, weights)
                self.run.replay(record)
            return self.losses[-1], np.array(record.state)

        passes = self.run.budget
        options = {"maxiter": passes, "maxfun": passes + 1, "ftol": 1e-9, "gtol": 1e-7}
        self.converged = bool(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).success)

    def _adam(self, start: Floats) -> None:
        """Adam on mini-batches; its two running means are the state of a record."""
        d, passes = len(start), self.run.budget
        w, mean, square = start, np.zeros(d), np.zeros(d)
        for number in range(1, passes + 1):
            self.train.collect(number, passes, w / self.scale)
            record = self.run.next_pass(2 * d)
            if record is not None:
                self.run.replay(record)
            else:
                if number == 1:
                    loss, _ = self._full(w)
                else:
                    w, mean, square, loss = self._epoch(number, w, mean, square)
                record = self._make(w, loss, np.concatenate([mean, square]))
            w, (mean, square) = np.array(record.weights), np.array(record.state).reshape(2, d)
        losses = self.losses
        last = max(1, passes // 3)
        self.converged = len(losses) > last and min(losses[:-last]) - min(losses) <= _STILL * abs(min(losses))

    def _epoch(self, number: int, w: Floats, mean: Floats, square: Floats) -> tuple[Floats, Floats, Floats, float]:
        """One pass of Adam (Kingma and Ba, 2015, algorithm 1) through the shuffled training instances."""
        m = len(self.train)
        random = seeds.generator(self.seed, seeds.DEMONSTRATION, 0, number)
        shuffled = random.permutation(m)
        batches = -(-m // (self.method.batch or BATCH))
        rate = (self.method.rate or RATE) * (1.0 - (number - 2) / (self.run.budget - 1))
        norm = float(np.sqrt((w * w).sum()))
        losses = []
        adam = Adam.after((number - 2) * batches, mean, square, DECAY)
        for batch in np.array_split(shuffled, batches):
            loss, gradient = self._gradient(w, np.sort(batch).tolist())
            losses.append(loss * len(batch))
            w = w - rate * adam.step(gradient)
            if self.method.homogeneous:
                w = w * (norm / float(np.sqrt((w * w).sum())))
        return w, adam.mean, adam.square, math.fsum(losses) / m

    def _full(self, w: Floats) -> tuple[float, Floats]:
        return self._gradient(w, range(len(self.train)))

    def _gradient(self, w: Floats, rows: Sequence[int]) -> tuple[float, Floats]:
        loss, gradient = self.train.demonstration(self.method, w / self.scale, rows)
        return loss, gradient / self.scale

    def _make(self, w: Floats, demonstration: float, state: Floats) -> Record:
        """The record of a new pass, kept."""
        raw = w / self.scale
        validation = None if self.held_out is None else self.held_out.pipeline(raw)
        loss = self.train.pipeline(raw)
        record = Record(self.run.number, w.tolist(), loss, validation, demonstration, state.tolist())
        self.run.keep([record])
        return record
