"""The side of a run that a black-box search sees: losses of weight vectors, from the journal or new."""

from __future__ import annotations

import math
import time

import numpy as np

from colayer.errors import InputError
from colayer.learning.experience.objective import Floats, Objective
from colayer.learning.journal import Record
from colayer.learning.run import Run, Stop


class Search:
    """`losses` is what an optimiser calls. Every weight vector of strictly lower loss than all before is validated.

    `together` is how many weight vectors the evaluator likes in one call: what a kill may lose is a second's work, or
    as many.
    """

    def __init__(self, run: Run, train: Objective, validation: Objective | None = None, together: int = 1) -> None:
        self.run = run
        self._train, self._validation, self._together = train, validation, together
        self._seconds, self._fresh = 0.0, 0

    def losses(self, W: Floats) -> Floats:
        """The losses of the rows of W; raises `Stop` when the budget or the time is over."""
        run = self.run
        W = np.array(W, dtype=np.float64, ndmin=2)
        inside = W[: run.budget - len(run.history)]
        known = run.known(len(inside))
        for record, w in zip(known, inside, strict=False):
            run.compare(record, w)
            self._replay(record)
        done = len(known)
        while done < len(inside):
            rows = min(self._affordable(len(inside) - done), self._between_records())
            if rows == 0:
                run.out_of_time = True
                raise Stop(run)
            self._compute(inside[done : done + rows])
            done += rows
        run.check_budget()
        return np.array([evaluation.loss for evaluation in run.history[len(run.history) - done :]])

    def replay(self) -> None:
        """Take all evaluations of a journal that is finished."""
        for record in self.run.known(self.run.budget):
            self._replay(record)

    def _affordable(self, rows: int) -> int:
        """How many of `rows` evaluations fit in the time left, by their mean time so far."""
        run = self.run
        if run.deadline == math.inf:
            return rows
        if not run.history:
            return 1  # something must be known in the end
        left = run.deadline - time.monotonic()
        if left <= 0.0:
            return 0
        return rows if self._fresh == 0 else max(1, min(rows, int(left / max(self._seconds / self._fresh, 1e-9))))

    def _between_records(self) -> int:
        if self.run.journal is None:
            return self.run.budget
        fast = 1 if self._fresh == 0 else int(self._fresh / max(self._seconds, 1e-9))
        return max(self._together, fast)

    def _compute(self, W: Floats) -> None:
        run = self.run
        begin = time.monotonic()
        losses = _checked(self._train(W.copy()), W, "training")  # a copy: what is recorded is what was asked for
        best = np.minimum.accumulate(np.concatenate(([run.best], losses)))
        improves = losses < best[:-1]
        validations: list[float | None] = [None] * len(W)
        if self._validation is not None and improves.any():
            values = iter(_checked(self._validation(W[improves]), W[improves], "validation").tolist())
            validations = [next(values) if improved else None for improved in improves]
        rows = zip(W.tolist(), losses.tolist(), validations, strict=True)
        records = [Record(run.number + i, w, loss, validation) for i, (w, loss, validation) in enumerate(rows)]
        self._seconds += time.monotonic() - begin
        self._fresh += len(W)
        run.keep(records)

    def _replay(self, record: Record) -> None:
        run = self.run
        expected = self._validation is not None and record.loss < run.best
        if run.journal is not None and expected != (record.validation is not None):
            what = "missing" if expected else "not expected"
            raise run.journal.refuse(f"validation is {what}", record.evaluation + 1)
        run.note(record)


def _checked(losses: Floats, W: Floats, what: str) -> Floats:
    losses = np.asarray(losses, dtype=np.float64)
    if losses.shape != (len(W),):
        raise InputError(f"{what} losses have shape {losses.shape}, expected ({len(W)},)")
    bad = ~np.isfinite(losses)
    if bad.any():
        raise InputError(f"{what} loss is {losses[bad][0]}, expected a finite number, at weights {W[bad][0].tolist()}")
    return losses
