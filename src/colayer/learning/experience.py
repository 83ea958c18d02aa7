"""Learning by experience: minimise a loss over the weights, on a budget of evaluations, through a journal.

The optimiser asks for losses; the run around it counts them, replays those that the journal knows, evaluates and
records the others, follows the best, validates it, and ends the search.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError, OptionError
from colayer.learning.journal import Journal, Record
from colayer.learning.optimizers.base import Optimizer, Stop, Task

Floats = NDArray[np.float64]
Objective = Callable[[Floats], Floats]

_log = logging.getLogger(__name__)


def mean_loss(losses: Objective, sigma: float = 0.0, Z: Floats | None = None) -> Objective:
    """The objective W (k, d) → (k,) of an evaluator's `losses`, W (k, d) → (k, m): plain, or perturbed if σ > 0.

    σ = 0: the mean of ℓ(w, x) over the m instances. σ > 0: the mean of ℓ(w + σZ_i, x) over the K rows of Z and the m
    instances; the K weight vectors of one w go to `losses` in one call, and one w after the other, so that memory is
    bounded by K·m. Sums are exactly rounded (`math.fsum`): they depend neither on the batch nor on the order.
    """
    if not (math.isfinite(sigma) and sigma >= 0.0):
        raise OptionError(f"{sigma} is out of range, expected a finite number, at least 0", where="--sigma")
    if sigma == 0.0:
        return lambda W: np.array([_mean(row) for row in losses(W)])
    if Z is None or Z.ndim != 2 or len(Z) == 0:
        raise OptionError("a perturbed loss needs at least one draw", where="--samples")
    step = sigma * Z
    return lambda W: np.array([_mean(losses(w + step)) for w in W])


def _mean(values: Floats) -> float:
    return math.fsum(values.ravel().tolist()) / values.size


@dataclass(frozen=True)
class Evaluation:
    """One loss evaluation: its number, from 1, its loss, the best loss so far, and its validation loss if new best."""

    number: int
    loss: float
    best: float
    validation: float | None = None


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned: the weights, their losses, and how it went. `finished` is False where the time ran out."""

    weights: Floats
    loss: float
    validation_loss: float | None
    history: tuple[Evaluation, ...]
    finished: bool


def learn(
    evaluate_train: Objective,
    evaluate_validation: Objective | None = None,
    *,
    task: Task,
    method: Optimizer,
    journal: str | os.PathLike[str] | None = None,
    identity: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    callback: Callable[[Evaluation], None] | None = None,
    progress: bool = False,
) -> Learned:
    """Search for weights of low loss. Both objectives map W (k, d) to k losses, row by row independent of the batch.

    Every weight vector with a strictly lower training loss than all before it is also validated. The learned weights
    are, of these, those with the lowest validation loss (the last of equals), or without validation the last one:
    the first of lowest training loss.

    `journal` is a file through which the run can be taken up again; `identity`, with the task and the method, says
    which run it belongs to. `time_limit`, in seconds, ends the run between evaluations, the first of all excepted; the
    journal then stays unfinished, and goes on in the next run. `callback` is told every evaluation, replayed ones too.
    `progress` draws a bar on stderr if that is a terminal.
    """
    if time_limit is not None and not time_limit >= 0.0:
        raise OptionError(f"{time_limit} is out of range, expected at least 0", where="--time-limit")
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    with ExitStack() as stack:
        book = None
        if journal is not None:
            whole = {**_identity(task, method, evaluate_validation is not None), **(identity or {})}
            book = stack.enter_context(Journal(journal, whole, task.dimension))
        listeners = [] if callback is None else [callback]
        if progress:
            from colayer.learning.progress import progress_bar

            listeners.append(stack.enter_context(progress_bar(task.evaluations)))
        run = _Run(evaluate_train, evaluate_validation, task, book, deadline, listeners)
        return run.search(method)


def _identity(task: Task, method: Optimizer, validated: bool) -> dict[str, Any]:
    return {
        "method": method.name,
        "method_options": method.options(),
        "evaluations": task.evaluations,
        "seed": task.seed,
        "radius": task.radius,
        "dimension": task.dimension,
        "safe": task.safe,
        "validated": validated,
    }


@dataclass(eq=False)
class _Run:
    """The state of one `learn`."""

    train: Objective
    validation: Objective | None
    task: Task
    journal: Journal | None
    deadline: float
    listeners: list[Callable[[Evaluation], None]]
    history: list[Evaluation] = field(default_factory=list)
    weights: Floats | None = None
    loss: float = math.inf
    validation_loss: float | None = None
    best: float = math.inf
    seconds: float = 0.0
    fresh: int = 0
    out_of_time: bool = False

    def search(self, method: Optimizer) -> Learned:
        """Run the method from where the journal ends, and read off what is known then."""
        if self.journal is not None and self.journal.finished:
            for record in self.journal.records:
                self._replay(self.journal, record)
        else:
            try:
                method.minimize(self.evaluate, self.task)
            except Stop as stop:
                if stop.by is not self:
                    raise
            if self.journal is not None and not self.out_of_time:
                if len(self.history) < len(self.journal.records):
                    raise self.journal.refuse("more evaluations than the method asks for", len(self.history) + 2)
                self.journal.finish()
        if self.weights is None:
            raise InputError(f"{method.name} asked for no evaluation")
        return Learned(self.weights, self.loss, self.validation_loss, tuple(self.history), not self.out_of_time)

    def evaluate(self, W: Floats) -> Floats:
        """The losses of the rows of W, from the journal or new; raises `Stop` when the budget or the time is over."""
        W = np.array(W, dtype=np.float64, ndmin=2)
        inside = W[: self.task.evaluations - len(self.history)]
        done = 0
        if self.journal is not None:
            known = self.journal.records[len(self.history) : len(self.history) + len(inside)]
            for record, w in zip(known, inside, strict=False):
                self._compare(self.journal, record, w)
                self._replay(self.journal, record)
            done = len(known)
        while done < len(inside):
            rows = min(self._affordable(len(inside) - done), self._between_records())
            if rows == 0:
                self.out_of_time = True
                raise Stop(self)
            self._compute(inside[done : done + rows])
            done += rows
        if len(self.history) >= self.task.evaluations:
            raise Stop(self)
        return np.array([evaluation.loss for evaluation in self.history[len(self.history) - done :]])

    def _affordable(self, rows: int) -> int:
        """How many of `rows` evaluations fit in the time left, by their mean time so far."""
        if self.deadline == math.inf:
            return rows
        if not self.history:
            return 1  # something must be known in the end
        left = self.deadline - time.monotonic()
        if left <= 0.0:
            return 0
        return rows if self.fresh == 0 else max(1, min(rows, int(left / max(self.seconds / self.fresh, 1e-9))))

    def _between_records(self) -> int:
        """How many evaluations at once: what a kill may lose is a second's work, or one evaluation."""
        if self.journal is None:
            return self.task.evaluations
        return 1 if self.fresh == 0 else max(1, int(self.fresh / max(self.seconds, 1e-9)))

    def _compute(self, W: Floats) -> None:
        begin = time.monotonic()
        losses = _checked(self.train(W.copy()), W, "training")  # a copy: what is recorded is what was asked for
        best = np.minimum.accumulate(np.concatenate(([self.best], losses)))
        improves = losses < best[:-1]
        validations: list[float | None] = [None] * len(W)
        if self.validation is not None and improves.any():
            values = iter(_checked(self.validation(W[improves]), W[improves], "validation").tolist())
            validations = [next(values) if improved else None for improved in improves]
        number = len(self.history)
        records = [
            Record(number + i, w, loss, validation)
            for i, (w, loss, validation) in enumerate(zip(W.tolist(), losses.tolist(), validations, strict=True), 1)
        ]
        if self.journal is not None:
            self.journal.append(records)  # before anyone sees them
        self.seconds += time.monotonic() - begin
        self.fresh += len(W)
        for record in records:
            self._note(record)

    def _replay(self, journal: Journal, record: Record) -> None:
        line = record.evaluation + 1
        expected = self.validation is not None and record.loss < self.best
        if expected != (record.validation is not None):
            raise journal.refuse(f"validation is {'missing' if expected else 'not expected'}", line)
        self._note(record)

    def _compare(self, journal: Journal, record: Record, w: Floats) -> None:
        if np.array(record.weights).tobytes() != w.tobytes():
            raise journal.refuse(
                "other weights than the method asks for here: written by another version or on another machine? "
                "Remove the journal to start afresh",
                record.evaluation + 1,
            )

    def _note(self, record: Record) -> None:
        if record.loss < self.best:
            self.best = record.loss
            if record.validation is None or self.validation_loss is None or record.validation <= self.validation_loss:
                self.weights = np.array(record.weights)
                self.loss, self.validation_loss = record.loss, record.validation
        evaluation = Evaluation(record.evaluation, record.loss, self.best, record.validation)
        self.history.append(evaluation)
        for listener in self.listeners:
            listener(evaluation)


def _checked(losses: Floats, W: Floats, what: str) -> Floats:
    losses = np.asarray(losses, dtype=np.float64)
    if losses.shape != (len(W),):
        raise InputError(f"{what} losses have shape {losses.shape}, expected ({len(W)},)")
    bad = ~np.isfinite(losses)
    if bad.any():
        raise InputError(f"{what} loss is {losses[bad][0]}, expected a finite number, at weights {W[bad][0].tolist()}")
    return losses
