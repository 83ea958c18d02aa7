"""The stage "train": weights learned once, kept with their losses and times."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from colayer.evaluators.gpu import has_kernels
from colayer.io.files import encode, parse_json, write_atomic
from colayer.learning.journal import Record
from colayer.learning.learner import Learner
from colayer.learning.run import Evaluation
from colayer.learning.search.optimizer import Optimizer
from colayer.models import LinearModel
from colayer.pipeline import Pipeline
from colayer.problem.bind import bind
from colayer.problem.protocol import Problem, X, Y, Z
from colayer_paper.frame.store import Clock, Run

T = TypeVar("T")

#: Seconds between two notes of the time spent, about: what a kill may lose of it.
_NOTE_EVERY = 2.0


@dataclass(frozen=True)
class Data(Generic[T]):
    """Instances (or their solutions) by what determines them; made when they are first needed."""

    identity: Mapping[str, Any]
    make: Callable[[], Sequence[T]]
    #: Makes what takes long, and keeps it in the run.
    prepare: Callable[[], object] = lambda: None

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
    #: Where the losses were computed.
    device: str = "cpu"

    def linear(self, best: int | None = None) -> LinearModel:
        """The learned model, or that of the weights `best[k]`."""
        document = self.model if best is None else {**self.model, "weights": self.best[best].weights}
        return LinearModel.from_document(document)


@dataclass(frozen=True)
class Learning(Generic[X, Y, Z]):
    """Weights to be learned from the instances of `data`, by demonstration where there are `solutions`.

    `method` is an optimiser or demonstration object; `options` are those of `Pipeline.fit` that change the result
    (seed, radius, sigma, samples, learn_decoder, validation: 0 unless given). `portions` asks for the best weights
    among parts of the evaluations.
    """

    what: str
    problem: Problem[X, Y, Z]
    data: Data[X]
    method: Learner | Optimizer
    evaluations: int
    solutions: Data[Z] | None = None
    portions: Sequence[tuple[int, int]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The options, with those that are not given."""
        return {"seed": 0, "validation": 0.0, **self.options}

    @cached_property
    def identity(self) -> dict[str, Any]:
        """All that determines what is learned; neither where nor by how many."""
        return {
            "problem": self.problem.name,
            "options": bind(self.problem).options,
            "data": self.data.identity,
            "solutions": None if self.solutions is None else self.solutions.identity,
            "method": self.method.name,
            "method_options": self.method.options(),
            "evaluations": self.evaluations,
            "portions": self.portions,
            **self.settings,
        }

    def state(self, run: Run) -> State:
        """How far it is in the folder of a run."""
        kept = run.kept("train", self.identity)
        if kept is not None:
            return State(self.what, self.evaluations, self.evaluations, kept["seconds"], kept["cpu"])
        journal = run.journal(self.identity)
        lines = _read(journal).count(b"\n") - 1  # the first is the head, and the last may say that it is over
        times = _times(journal.with_suffix(".times"))
        done = min(max(0, lines), self.evaluations)
        return State(self.what, done, self.evaluations, times["seconds"], times["cpu"])

    def done(self, run: Run) -> bool:
        """Whether the run has it."""
        return run.kept("train", self.identity) is not None

    def place(self, run: Run) -> Path:
        """Locked while somebody learns it."""
        return run.journal(self.identity).with_suffix(".lock")

    def make(self, run: Run) -> Learned:
        """See `learn`."""
        return self.learn(run)

    def learn(self, run: Run) -> Learned:
        """What is learned; kept in the run. Times count no compilation, nor what a run that was stopped does again."""
        if self.solutions is not None:
            self.solutions.prepare()
        kept = run.cached("train", self.identity, lambda: self._make(run), times=lambda made: (made.seconds, made.cpu))
        learned = msgspec.convert(kept, Learned)
        run.devices[self.what] = learned.device
        journal = run.journal(self.identity)
        for path in (journal, journal.with_suffix(".times")):
            path.unlink(missing_ok=True)
        return learned

    def _make(self, run: Run) -> Learned:
        journal = run.journal(self.identity)
        data = self.data.values
        labels: dict[str, Any] = {} if self.solutions is None else {"solutions": self.solutions.values}
        warm: dict[str, Any] = {} if self.solutions is None else {"solutions": self.solutions.values[:1]}
        device = device_for(run, self.problem) if self.solutions is None else "cpu"
        settings = {"method": self.method, "workers": run.workers, "portfolio": 1, "device": device, **self.settings}
        Pipeline(self.problem).fit(data[:1], evaluations=1, **warm, **settings)  # compile
        watch = _Watch(run, self.what, self.evaluations, journal.with_suffix(".times"))
        pipeline = Pipeline(self.problem).fit(
            data, evaluations=self.evaluations, journal=journal, callback=watch, **labels, **settings
        )
        seconds, cpu = watch.spent
        return Learned(
            model=pipeline.model.document(),
            loss=float(pipeline.loss_ or 0.0),
            validation_loss=pipeline.validation_loss_,
            losses=[done.loss for done in pipeline.history_],
            best=_best(journal, self.portions),
            seconds=seconds,
            cpu=cpu,
            device=device,
        )


@dataclass(frozen=True)
class State:
    """How far a stage is: what of how much is done, and the wall and CPU seconds that it took so far."""

    what: str
    done: int
    total: int
    seconds: float
    cpu: float

    @property
    def expected(self) -> float | None:
        """The wall seconds that are left at the rate so far; None where nothing is done."""
        return self.seconds * (self.total / self.done - 1) if self.done and self.seconds else None


def device_for(run: Run, problem: Problem[X, Y, Z]) -> str:
    """The device of the run where the problem has kernels for it, else the processor."""
    return run.device if has_kernels(bind(problem)) else "cpu"


def _times(path: Path) -> dict[str, float]:
    noted = _read(path)
    found: dict[str, float] = parse_json(noted, path) if noted else {"seconds": 0.0, "cpu": 0.0}
    return found


def _read(path: Path) -> bytes:
    """What a file holds, nothing where it is not there: another process may remove it at any moment."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


class _Watch:
    """The callback of a learning run: reports how far it is, and notes the time spent for a run that goes on later."""

    def __init__(self, run: Run, what: str, total: int, times: Path) -> None:
        self._run, self._what, self._total, self._times = run, what, total, times
        before = _times(times)
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
