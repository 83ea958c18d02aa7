"""The stage "train": weights learned once, kept with their losses and times."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from colayer.experiments.frame.store import Clock, Run
from colayer.files import encode, read_json, write_atomic
from colayer.learning.journal import Record
from colayer.learning.learner import Learner
from colayer.learning.run import Evaluation
from colayer.models import LinearModel
from colayer.pipeline import Pipeline
from colayer.problem import Problem, X, Y, Z, declared

T = TypeVar("T")

#: Seconds between two notes of the time spent, about: what a kill may lose of it.
_NOTE_EVERY = 2.0


@dataclass(frozen=True)
class Data(Generic[T]):
    """Instances (or their solutions) by what determines them; made when they are first needed."""

    identity: Mapping[str, Any]
    make: Callable[[], Sequence[T]]

    @cached_property
    def values(self) -> list[T]:
        """The instances."""
        return list(self.make())


class Best(msgspec.Struct, frozen=True):
    """The best weights, in model units, among the evaluations `first` up to, but without, `last`, from 0."""

    first: int
    last: int
    loss: float
    weights: list[float]


class Learned(msgspec.Struct, frozen=True):
    """What a learning run gave: the model file's document, the losses of all evaluations, and the times it took.

    `losses` are the training losses in the order of the search; by demonstration, the pipeline losses of the passes.
    """

    model: dict[str, Any]
    loss: float
    validation_loss: float | None
    losses: list[float]
    best: list[Best]
    seconds: float
    cpu: float

    def linear(self, best: int | None = None) -> LinearModel:
        """The learned model, or that of the weights `best[k]`."""
        document = self.model if best is None else {**self.model, "weights": self.best[best].weights}
        return LinearModel.from_document(document)


def learn(
    run: Run,
    problem: Problem[X, Y, Z],
    data: Data[X],
    *,
    what: str,
    method: Learner,
    evaluations: int,
    solutions: Data[Z] | None = None,
    portions: Sequence[tuple[int, int]] = (),
    **options: Any,
) -> Learned:
    """Learn weights from the instances of `data`, by demonstration where there are `solutions`; kept in the run.

    `method` is an optimiser or demonstration object; `options` are those of `Pipeline.fit` that change the result
    (seed, radius, sigma, samples, learn_decoder, validation: 0 unless given). `portions` asks for the best weights
    among parts of the evaluations. Times do not count compilation, nor what a run that was stopped does again.
    """
    options = {"seed": 0, "validation": 0.0, **options}
    known = declared(problem)
    identity = {
        "problem": problem.name,
        "options": known.options,
        "data": data.identity,
        "solutions": None if solutions is None else solutions.identity,
        "method": method.name,
        "method_options": method.options(),
        "evaluations": evaluations,
        "portions": portions,
        **options,
    }
    journal = run.journal(identity)
    times = journal.with_suffix(".times")

    def make() -> Learned:
        labels: dict[str, Any] = {} if solutions is None else {"solutions": solutions.values}
        warm: dict[str, Any] = {} if solutions is None else {"solutions": solutions.values[:1]}
        settings = {"method": method, "workers": run.workers, "portfolio": 1, **options}
        Pipeline(problem).fit(data.values[:1], evaluations=1, **warm, **settings)  # compile
        watch = _Watch(run, what, evaluations, times)
        pipeline = Pipeline(problem).fit(
            data.values, evaluations=evaluations, journal=journal, callback=watch, **labels, **settings
        )
        seconds, cpu = watch.spent
        return Learned(
            model=pipeline.model.document(),
            loss=float(pipeline.loss_ or 0.0),
            validation_loss=pipeline.validation_loss_,
            losses=[done.loss for done in pipeline.history_],
            best=_best(journal, portions),
            seconds=seconds,
            cpu=cpu,
        )

    kept = run.cached("train", identity, make, times=lambda learned: (learned.seconds, learned.cpu))
    learned = msgspec.convert(kept, Learned)
    for path in (journal, times):
        path.unlink(missing_ok=True)
    return learned


class _Watch:
    """The callback of a learning run: reports how far it is, and notes the time spent for a run that goes on later."""

    def __init__(self, run: Run, what: str, total: int, times: Path) -> None:
        self._run, self._what, self._total, self._times = run, what, total, times
        before = read_json(times) if times.exists() else {"seconds": 0.0, "cpu": 0.0}
        self._before = (before["seconds"], before["cpu"])
        self._clock = Clock()
        self._noted = time.monotonic()

    @property
    def spent(self) -> tuple[float, float]:
        """Wall and CPU seconds, with those of earlier runs."""
        return self._before[0] + self._clock.seconds, self._before[1] + self._clock.cpu

    def __call__(self, evaluation: Evaluation) -> None:
        self._run.report(self._what, evaluation.number, self._total)
        if time.monotonic() - self._noted >= _NOTE_EVERY:
            self._noted = time.monotonic()
            seconds, cpu = self.spent
            write_atomic(self._times, encode({"seconds": seconds, "cpu": cpu}))


def _best(journal: Path, portions: Sequence[tuple[int, int]]) -> list[Best]:
    if not portions:
        return []
    lines = journal.read_bytes().splitlines()[1:]
    records = [msgspec.json.decode(line, type=Record) for line in lines if not line.startswith(b'{"finished"')]
    found = []
    for first, last in portions:
        best = min(records[first:last], key=lambda record: record.loss)  # the first of equals
        found.append(Best(first, last, best.loss, best.weights))
    return found
