"""The side of a run that a black-box search sees: losses of weight vectors, from the journal or new."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.clock import clock
from colayer.errors import InputError
from colayer.evaluators.visit import LoadedInstance, Visits
from colayer.learning.journal import Record
from colayer.learning.run import Run, Stop
from colayer.learning.search.objective import Objective

R = TypeVar("R")


class SearchRun:
    """Called with weight vectors it gives their losses. Every one of strictly lower loss than all before is validated.

    `together` is how many weight vectors the evaluator likes in one call: what a kill may lose is a second's work, or
    as many. `visits` gives the training instances, for searches that go by steps; `each` gives their losses, `held_out`
    those of the instances held out, which may be none.
    """

    def __init__(
        self,
        run: Run,
        train: Objective,
        validation: Objective | None = None,
        together: int = 1,
        visits: Callable[[], Visits] | None = None,
        each: Callable[[Floats], Floats] | None = None,
        held_out: Callable[[Floats], Floats] | None = None,
    ) -> None:
        self.run = run
        self._visits = visits or _nothing_to_visit
        self.each = each or (lambda w: np.array([self.loss_of(w)]))  # a loss without instances is one of its own
        self.held_out = held_out or (lambda _: np.empty(0))
        self._train, self._validation, self._together = train, validation, together
        self._seconds, self._fresh = 0.0, 0

    def __call__(self, W: Floats) -> Floats:
        """The losses of the rows of W; raises `Stop` when the budget or the time is over."""
        run = self.run
        W = np.array(W, dtype=np.float64, ndmin=2)
        inside = W[: max(0, run.budget - run.spent)]
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

    def run_epoch(self, work: Callable[[], tuple[Floats, Floats]], cost: int, length: int) -> Floats:
        """One pass of a search by steps, which takes `cost` evaluations: its state afterwards, of `length` numbers.

        `work` does it: (weights to be evaluated, state). A pass that the journal knows is not done again.
        """
        run = self.run
        if run.spent + cost > run.budget:
            raise Stop(run)
        for record in run.known():
            if (record.cost, len(record.state)) != (cost, length):
                raise run.refuse("another kind of evaluation than the method asks for", record.evaluation)
            self._replay(record)
            return np.array(record.state)
        run.check_time()
        weights, state = work()
        loss = _checked(self._train(weights[None, :].copy()), weights[None, :], "training")
        validation = self._validated(weights[None, :], loss, [None])[0]
        record = Record(run.number, weights.tolist(), float(loss[0]), validation, None, state.tolist(), cost)
        run.keep([record])
        return state

    def gradients(self, work: Callable[[LoadedInstance[Any, Any, Any]], R], chosen: list[int]) -> list[R]:
        """Return `work` of the training instances with these numbers, where they lie."""
        return self._visits().visit(work, chosen)

    def loss_of(self, weights: Floats) -> float:
        """The loss of weights that were evaluated."""
        return self.run.record_of(weights).loss

    def mean_of(self, weights: Floats) -> float:
        """Return the mean loss over all instances, those held out included."""
        return float(np.concatenate([self.each(weights), self.held_out(weights)]).mean())

    def select_answer(self, weights: Floats) -> None:
        """Say which of the weights evaluated are the answer."""
        self.run.select_answer(self.run.record_of(weights))

    def validate_answer(self) -> None:
        """Compute the validation loss of the answer, where it was not among those that improved the training loss."""
        answer = self.run.answer
        if self._validation is not None and answer is not None and answer.validation is None:
            weights = np.array(answer.weights)[None, :]
            value = float(_checked(self._validation(weights), weights, "validation")[0])
            self.run.answer = msgspec.structs.replace(answer, validation=value)

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
        left = run.deadline - clock()
        if left <= 0.0:
            return 0
        return rows if self._fresh == 0 else max(1, min(rows, int(left / max(self._seconds / self._fresh, 1e-9))))

    def _between_records(self) -> int:
        if self.run.journal is None:
            return self.run.budget
        fast = 1 if self._fresh == 0 else int(self._fresh / max(self._seconds, 1e-9))
        return max(self._together, fast)

    def verify(self) -> None:
        """Refuse a journal whose losses are not those of the problem any more."""
        self.run.verify(lambda records: self._train(np.array([record.weights for record in records])).tolist())

    def _compute(self, W: Floats) -> None:
        """Evaluate weight vectors that this run has not evaluated; losses that a run before it knows are taken."""
        run = self.run
        begin = clock()
        recalled = [run.recall(w) for w in W]
        losses = np.array([math.nan if record is None else record.loss for record in recalled])
        new = np.array([record is None for record in recalled])
        if new.any():  # a copy: what is recorded is what was asked for
            losses[new] = _checked(self._train(W[new].copy()), W[new], "training")
        validations = self._validated(W, losses, recalled)
        rows = zip(W.tolist(), losses.tolist(), validations, strict=True)
        records = [Record(run.number + i, w, loss, validation) for i, (w, loss, validation) in enumerate(rows)]
        self._seconds += clock() - begin
        self._fresh += len(W)
        run.recalled += int((~new).sum())
        run.keep(records)

    def _validated(self, W: Floats, losses: Floats, recalled: list[Record | None]) -> list[float | None]:
        """The validation losses of the rows that improve on all before them."""
        validations: list[float | None] = [None] * len(W)
        best = np.minimum.accumulate(np.concatenate(([self.run.best], losses)))
        improving = np.flatnonzero(losses < best[:-1]).tolist()
        if self._validation is None:
            return validations
        unknown = []
        for k in improving:
            record = recalled[k]
            validations[k] = None if record is None else record.validation
            unknown += [k] * (validations[k] is None)
        if unknown:
            values = _checked(self._validation(W[unknown]), W[unknown], "validation").tolist()
            for k, value in zip(unknown, values, strict=True):
                validations[k] = value
        return validations

    def _replay(self, record: Record) -> None:
        run = self.run
        expected = self._validation is not None and record.loss < run.best
        if expected != (record.validation is not None):
            raise run.refuse(f"validation is {'missing' if expected else 'not expected'}", record.evaluation)
        run.replay(record)


def _nothing_to_visit() -> Visits:
    raise InputError("there are no instances to visit, only losses")


def _checked(losses: Floats, W: Floats, what: str) -> Floats:
    losses = np.asarray(losses, dtype=np.float64)
    if losses.shape != (len(W),):
        raise InputError(f"{what} losses have shape {losses.shape}, expected ({len(W)},)")
    bad = ~np.isfinite(losses)
    if bad.any():
        raise InputError(f"{what} loss is {losses[bad][0]}, expected a finite number, at weights {W[bad][0].tolist()}")
    return losses
