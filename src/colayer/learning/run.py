"""One learning run: its budget, clock, journal or checkpoint, answer, listeners and history, for every learner.

A learner asks for evaluations. The run counts them, takes those that the journal knows, records the others before
anyone sees them, follows the best weights and ends the search when the budget or the time is over. Learners whose
state is large, networks, have a checkpoint instead of a journal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.clock import clock
from colayer.errors import InputError, JournalError
from colayer.learning.checkpoint import Checkpoint
from colayer.learning.journal import Journal, Record
from colayer.learning.progress import progress_bar
from colayer.learning.settings import Settings


class Stop(Exception):  # noqa: N818 - not an error: the evaluations are spent
    """The exception that ends a search; `by` is the object whose budget or time is over."""

    def __init__(self, by: object) -> None:
        super().__init__("the evaluations are spent")
        self.by = by


@dataclass(frozen=True)
class Evaluation:
    """One evaluation: its number, from 1, its loss, the best loss so far, and its validation loss where there is one.

    By demonstration it is one pass over the instances: `loss`, `best` and `validation` are pipeline losses, and
    `demonstration`, None by experience, is the loss that is minimised. `cost` is how much of the budget it took: 1, or
    more for a pass that looks at many solutions per instance. For networks, `number` is what was spent in all, and the
    start of each network, evaluated before its first pass, costs 0. `weights` are those it was of, in model units; None
    for networks.
    """

    number: int
    loss: float
    best: float
    validation: float | None = None
    demonstration: float | None = None
    cost: int = 1
    weights: Sequence[float] | None = field(default=None, repr=False, hash=False)


@dataclass(eq=False)
class Run:
    """The state of one run; `budget` counts evaluations, `deadline` is a time of `clock`.

    Of the evaluations that improve the training loss (of all of them if `every`), the weights with the lowest
    validation loss are kept, or without validation those with the lowest training loss; of equals the last or the
    first, as `ties` says.
    """

    budget: int
    journal: Journal | None = None
    deadline: float = math.inf
    listeners: list[Callable[[Evaluation], None]] = field(default_factory=list)
    every: bool = False
    ties: Literal["first", "last"] = "last"
    checkpoint: Checkpoint | None = None
    history: list[Evaluation] = field(default_factory=list)
    #: The evaluation whose weights are kept.
    answer: Record | None = None
    best: float = math.inf
    out_of_time: bool = False
    #: Evaluations that the journal knew.
    recalled: int = 0
    #: How much of the budget is spent.
    spent: int = 0
    #: Whether the learner says itself which evaluation is the answer.
    answer_selected: bool = False
    #: All weights evaluated, with their losses.
    visited: list[Record] = field(default_factory=list)

    @property
    def weights(self) -> Floats | None:
        """Return the weights of the answer."""
        return None if self.answer is None else np.array(self.answer.weights)

    @property
    def loss(self) -> float:
        """Return the training loss of the answer."""
        return math.inf if self.answer is None else self.answer.loss

    @property
    def validation_loss(self) -> float | None:
        """Return the validation loss of the answer."""
        return None if self.answer is None else self.answer.validation

    def refuse(self, message: str, number: int) -> Exception:
        """Return the error that says why an evaluation of the journal cannot be used."""
        if self.journal is None:
            return InputError(message)
        return self.journal.refuse(message, self.journal.line(number))

    def conduct(self, search: Callable[[], None], name: str) -> Floats:
        """Run a search to its end and finish the journal; return the best weights."""
        try:
            search()
        except Stop as stop:
            if stop.by is not self:
                raise
        if self.journal is not None and not self.out_of_time:
            if len(self.history) < len(self.journal.records):
                raise self.refuse("more evaluations than the method asks for", self.number)
            if not self.journal.finished:
                self.journal.finish()
        if self.weights is None:
            raise InputError(f"{name} made no evaluation")
        return self.weights

    @property
    def number(self) -> int:
        """Return the number of the next evaluation, from 1."""
        return len(self.history) + 1

    def known(self, rows: int = 1) -> list[Record]:
        """Return the next records of the journal, at most `rows`."""
        done = len(self.history)
        return [] if self.journal is None else self.journal.records[done : done + rows]

    def next_pass(self, length: int) -> Record | None:
        """Return the journal's record of the next pass, with a state of this length; None where it must be computed.

        End the search if there is no time to compute it.
        """
        for record in self.known():
            if record.demonstration is None or len(record.state) != length:
                raise self.refuse("not a pass of this method", record.evaluation)
            return record
        self.check_time()
        return None

    def check_time(self) -> None:
        """End the search if the time is over, but not before the first evaluation."""
        if self.history and clock() >= self.deadline:
            self.out_of_time = True
            raise Stop(self)

    def check_budget(self) -> None:
        """End the search if the evaluations are spent."""
        if self.spent >= self.budget:
            raise Stop(self)

    def continue_from(self, history: Sequence[Evaluation], recalled: int) -> None:
        """Count in the evaluations of an earlier run."""
        self.history, self.recalled = list(history), recalled
        self.spent, self.best = sum(done.cost for done in history), history[-1].best

    def part_left(self, parts: int) -> tuple[int, float]:
        """Return budget and deadline of the next of `parts` equal parts of what is left."""
        now, left = clock(), max(0, self.budget - self.spent)
        return self.spent + left // parts, now + (self.deadline - now) / parts

    def replay(self, record: Record) -> Evaluation:
        """Take an evaluation from the journal or the checkpoint."""
        self.recalled += 1
        return self.note(record)

    def restore_state(self) -> Mapping[str, Any] | None:
        """Replay the epochs of the checkpoint; return the learner's state after the last, None if there is none."""
        if self.checkpoint is None:
            return None
        state = self.checkpoint.load(self.spent)
        for record in self.checkpoint.records:
            self.replay(record)
        return state

    def keep(self, records: list[Record], state: Mapping[str, Any] | None = None) -> None:
        """Write new evaluations to the journal, or with the learner's state to the checkpoint; then note them."""
        if self.journal is not None:
            self.journal.append(records)
        if self.checkpoint is not None:
            self.checkpoint.save(records, state or {})
        for record in records:
            self.note(record)

    def compare(self, record: Record, weights: Floats) -> None:
        """Refuse a journal whose record is of other weights than the method asks for."""
        if np.array(record.weights).tobytes() != weights.tobytes():
            raise self.refuse(
                "other weights than the method asks for here: written by another version or on another machine? "
                "Remove the journal to start afresh",
                record.evaluation,
            )

    def verify(self, losses: Callable[[list[Record]], list[float]]) -> None:
        """Evaluate the best and the last record of the journal again; refuse it if the problem has changed.

        `losses` computes the training losses of the weights of records.
        """
        journal = self.journal
        records = [] if journal is None else journal.records or list(journal.earlier.values())
        if journal is None or not records:
            return
        chosen = [min(records, key=lambda record: record.loss), records[-1]]
        for record, loss in zip(chosen, losses(chosen), strict=True):
            if loss != record.loss:
                raise JournalError(
                    f"evaluation {record.evaluation} had the loss {record.loss!r} and now has {loss!r}: the problem "
                    "(features, layer, decode, cost, scale) has changed or is not deterministic; remove the "
                    "journal, or choose another, to start again",
                    where=str(journal.path),
                )

    def recall(self, weights: Floats) -> Record | None:
        """Return the record of these weights from a run of another budget."""
        return None if self.journal is None else self.journal.earlier.get(weights.tobytes())

    def note(self, record: Record) -> Evaluation:
        """Update the best weights, store the evaluation and call the listeners."""
        if record.loss < self.best or self.every:
            if not self.answer_selected and self._better(record):
                self.answer = record
            self.best = min(self.best, record.loss)
        done = Evaluation(
            record.evaluation, record.loss, self.best, record.validation, record.demonstration, record.cost,
            record.weights or None,
        )  # fmt: skip
        self.history.append(done)
        self.visited.append(record)
        self.spent += record.cost
        for listener in self.listeners:
            listener(done)
        return done

    def record_of(self, weights: Floats) -> Record:
        """Return the last evaluation of weights."""
        return next(record for record in reversed(self.visited) if record.weights == weights.tolist())

    def select_answer(self, record: Record) -> None:
        """Make an evaluation the answer, whatever its loss; only `select_answer` changes it after that."""
        self.answer_selected = True
        self.answer = record

    def _better(self, record: Record) -> bool:
        if self.answer is None:
            return True
        if record.validation is None or self.validation_loss is None:
            ours, theirs = record.loss, self.loss
        else:
            ours, theirs = record.validation, self.validation_loss
        return ours <= theirs if self.ties == "last" else ours < theirs


@contextmanager
def open_run(
    settings: Settings,
    budget: int,
    dimension: int,
    identity: Mapping[str, Any],
    *,
    every: bool = False,
    ties: Literal["first", "last"] = "last",
) -> Iterator[Run]:
    """Open a run with the journal, time limit, callback and progress bar of the settings."""
    deadline = math.inf if settings.time_limit is None else clock() + settings.time_limit
    with ExitStack() as stack:
        journal = None
        if settings.journal is not None:
            journal = stack.enter_context(Journal(settings.journal, identity, dimension))
        listeners = [] if settings.callback is None else [settings.callback]
        if settings.progress:
            listeners.append(stack.enter_context(progress_bar(budget)))
        yield Run(budget, journal, deadline, listeners, every=every, ties=ties)
