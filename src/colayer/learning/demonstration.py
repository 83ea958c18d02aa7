"""Learning by demonstration: minimise the mean of a demonstration loss over the weights, by its gradients.

The loss of an instance is a function of θ = Φ·w, with the gradient Φᵀ·∂loss/∂θ with respect to w. A *pass* goes once
through the training instances; the journal holds one record a pass. The loss that is minimised is a means to an end:
of all passes, the weights with the least *pipeline* loss (cost / scale) are kept, on the instances held out, or on the
training instances where none are.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError
from colayer.learning.examples import Examples
from colayer.learning.experience import Evaluation
from colayer.learning.journal import Journal, Record
from colayer.learning.losses import Demonstration
from colayer.learning.optimizers.base import Stop

Floats = NDArray[np.float64]

_SPAWN_KEY = 0xDE

# of Adam: decay of the mean gradient, of the mean square, and what keeps the quotient finite
_BETA_1, _BETA_2, _TINY = 0.9, 0.999, 1e-12
#: Adam has converged where the last third of the passes gained less than this share of the loss.
_STILL = 1e-2


@dataclass(frozen=True)
class Pass(Evaluation):
    """One pass: `loss`, `best` and `validation` are pipeline losses; `demonstration` is the loss that is minimised.

    The first pass evaluates the start. In the later ones of Adam, `demonstration` is the mean of the batches as they
    were seen, with the weights of their time.
    """

    demonstration: float = math.nan


@dataclass(frozen=True, eq=False)
class Imitated:
    """What was learned. `finished` is False where the time ran out; `converged`: more passes would gain little."""

    weights: Floats
    loss: float
    validation_loss: float | None
    history: tuple[Pass, ...]
    finished: bool
    converged: bool


def imitate(
    train: Examples,
    held_out: Examples | None,
    *,
    method: Demonstration,
    scale: Floats,
    start: Floats,
    passes: int,
    seed: int,
    journal: str | os.PathLike[str] | None = None,
    identity: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    callback: Callable[[Pass], None] | None = None,
    progress: bool = False,
) -> Imitated:
    """Minimise the mean demonstration loss from `start`; weights are in model units, `scale` is the feature scale.

    `time_limit` ends the run between passes, the first excepted; its journal then goes on in the next run. `callback`
    is told every pass, replayed ones too.
    """
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    with ExitStack() as stack:
        book = None if journal is None else stack.enter_context(Journal(journal, identity or {}, len(start)))
        listeners: list[Callable[[Any], None]] = [] if callback is None else [callback]
        if progress:
            from colayer.learning.progress import progress_bar

            listeners.append(stack.enter_context(progress_bar(passes)))
        return _Run(train, held_out, method, scale, passes, seed, book, deadline, listeners).descend(start)


@dataclass(eq=False)
class _Run:
    """The state of one `imitate`."""

    train: Examples
    held_out: Examples | None
    method: Demonstration
    scale: Floats
    passes: int
    seed: int
    journal: Journal | None
    deadline: float
    listeners: list[Callable[[Any], None]]
    history: list[Pass] = field(default_factory=list)
    weights: Floats | None = None
    loss: float = math.inf
    validation_loss: float | None = None
    out_of_time: bool = False
    converged: bool = False

    def descend(self, start: Floats) -> Imitated:
        """Run the optimiser from where the journal ends, and read off what is known then."""
        try:
            (self._adam if self.method.optimizer == "adam" else self._l_bfgs)(start)
        except Stop as stop:
            if stop.by is not self:
                raise
        if self.journal is not None and not self.out_of_time:
            if len(self.history) < len(self.journal.records):
                raise self.journal.refuse("more passes than the method asks for", len(self.history) + 2)
            if not self.journal.finished:
                self.journal.finish()
        if self.weights is None:
            raise InputError(f"{self.method.name} made no pass")
        history = tuple(self.history)
        return Imitated(self.weights, self.loss, self.validation_loss, history, not self.out_of_time, self.converged)

    def _l_bfgs(self, start: Floats) -> None:
        """scipy's L-BFGS; a pass is one value and gradient, kept as the state of its record."""
        from scipy.optimize import minimize

        def objective(w: Floats) -> tuple[float, Floats]:
            if len(self.history) >= self.passes:
                raise Stop(self)
            weights = np.array(w)
            record = self._known(len(weights), weights)
            if record is None:
                loss, gradient = self._full(weights)
                record = self._record(weights, loss, gradient)
            return self._note(record).demonstration, np.array(record.state)

        options = {"maxiter": self.passes, "maxfun": self.passes + 1, "ftol": 1e-9, "gtol": 1e-7}
        self.converged = bool(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).success)

    def _adam(self, start: Floats) -> None:
        """Adam on mini-batches; its two running means are the state of a record."""
        d = len(start)
        w, mean, square = start, np.zeros(d), np.zeros(d)
        for number in range(1, self.passes + 1):
            record = self._known(2 * d)
            if record is None:
                if number == 1:
                    loss, _ = self._full(w)
                else:
                    w, mean, square, loss = self._epoch(number, w, mean, square)
                record = self._record(w, loss, np.concatenate([mean, square]))
            w, (mean, square) = np.array(record.weights), np.array(record.state).reshape(2, d)
            self._note(record)
        losses = [done.demonstration for done in self.history]
        last = max(1, self.passes // 3)
        self.converged = len(losses) > last and min(losses[:-last]) - min(losses) <= _STILL * abs(min(losses))

    def _epoch(self, number: int, w: Floats, mean: Floats, square: Floats) -> tuple[Floats, Floats, Floats, float]:
        """One pass of Adam (Kingma and Ba, 2015, algorithm 1) through the shuffled training instances."""
        m = len(self.train)
        random = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(_SPAWN_KEY, 0, number)))
        shuffled = random.permutation(m)
        batches = -(-m // self.method.batch)
        rate = self.method.rate * (1.0 - (number - 2) / (self.passes - 1))
        norm = float(np.sqrt((w * w).sum()))
        losses = []
        for k, batch in enumerate(np.array_split(shuffled, batches)):
            loss, gradient = self._gradient(w, np.sort(batch).tolist())
            losses.append(loss * len(batch))
            step = (number - 2) * batches + k + 1
            mean = _BETA_1 * mean + (1.0 - _BETA_1) * gradient
            square = _BETA_2 * square + (1.0 - _BETA_2) * gradient**2
            slope = mean / (1.0 - _BETA_1**step) / (np.sqrt(square / (1.0 - _BETA_2**step)) + _TINY)
            w = w - rate * slope
            if self.method.homogeneous:
                w = w * (norm / float(np.sqrt((w * w).sum())))
        return w, mean, square, math.fsum(losses) / m

    def _full(self, w: Floats) -> tuple[float, Floats]:
        return self._gradient(w, range(len(self.train)))

    def _gradient(self, w: Floats, rows: Sequence[int]) -> tuple[float, Floats]:
        loss, gradient = self.train.demonstration(self.method, w / self.scale, rows)
        return loss, gradient / self.scale

    def _known(self, length: int, weights: Floats | None = None) -> Record | None:
        """The journal's record of the next pass; None where it must be computed, and there is time to."""
        number = len(self.history)
        if self.journal is not None and number < len(self.journal.records):
            record = self.journal.records[number]
            if record.demonstration is None or len(record.state) != length:
                raise self.journal.refuse("not a pass of this method", number + 2)
            if weights is not None and np.array(record.weights).tobytes() != weights.tobytes():
                raise self.journal.refuse(
                    "other weights than the method asks for here: written by another version or on another machine? "
                    "Remove the journal to start afresh",
                    number + 2,
                )
            return record
        if number > 0 and time.monotonic() >= self.deadline:
            self.out_of_time = True
            raise Stop(self)
        return None

    def _record(self, w: Floats, demonstration: float, state: Floats) -> Record:
        raw = w / self.scale
        validation = None if self.held_out is None else self.held_out.pipeline(raw)
        loss = self.train.pipeline(raw)
        record = Record(len(self.history) + 1, w.tolist(), loss, validation, demonstration, state.tolist())
        if self.journal is not None:
            self.journal.append([record])
        return record

    def _note(self, record: Record) -> Pass:
        """Keep the weights of least pipeline loss, the last of equals."""
        if self.weights is None or (
            record.loss <= self.loss
            if record.validation is None or self.validation_loss is None
            else record.validation <= self.validation_loss
        ):
            self.weights = np.array(record.weights)
            self.loss, self.validation_loss = record.loss, record.validation
        best = min(record.loss, self.history[-1].best) if self.history else record.loss
        value = math.nan if record.demonstration is None else record.demonstration
        done = Pass(record.evaluation, record.loss, best, record.validation, value)
        self.history.append(done)
        for listener in self.listeners:
            listener(done)
        return done
