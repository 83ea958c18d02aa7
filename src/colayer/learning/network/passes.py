"""A network that learns in passes over the instances: the best state is kept, the last one can be gone on from.

After each pass all of it is in one file, as arrays: weights, their average, the state of Adam, the best state so far,
and the losses of every pass. The file is replaced whole, so that a run that is killed at any moment loses one pass.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats, Singles
from colayer._runtime.clock import clock
from colayer._runtime.threads import Threads
from colayer.errors import InputError, JournalError
from colayer.evaluators.local import LocalEvaluator
from colayer.io.files import write_atomic
from colayer.io.npz import npz_bytes, parse_npz
from colayer.learning.network.averaged import Averaged, Batch, batch_of
from colayer.learning.network.slopes import Gradient, instance_loss
from colayer.learning.network.source import Item
from colayer.models import ContextModel
from colayer.problem.protocol import X, Y, Z
from colayer.problem.structure import Structure
from colayer.solving.networks import theta_of

#: Rows that go through the network at once, some kilobytes each; a single instance may have more.
_MOST_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class Part(Generic[X, Y, Z]):
    """Instances with their features, and what a network sees of them."""

    data: LocalEvaluator[X, Y, Z]
    items: Sequence[Item[X]]

    @property
    def structures(self) -> list[Structure]:
        """How the rows of each instance relate."""
        return [item.structure for item in self.items]


@dataclass(frozen=True)
class Pass:
    """Losses after a pass, that of the instances held out None where there are none."""

    loss: float
    validation: float | None


@dataclass(eq=False)
class Passes(Generic[X, Y, Z]):
    """`count` passes over the training instances, in batches; what is kept is the average of least validation loss.

    A state that is worse than the start on the training instances is not kept.
    """

    learning: Averaged
    training: Part[X, Y, Z]
    held_out: Part[X, Y, Z] | None
    gradient: Gradient
    #: state of the network → model.
    model_of: Callable[[dict[str, Singles]], ContextModel]
    batch: int
    count: int
    seed: int
    threads: Threads
    #: Where the state after each pass goes, and what determines the run.
    checkpoint: Path | None = None
    identity: dict[str, Any] = field(default_factory=dict)
    #: Pass → the instances that it goes over, and their gradient; None: those that are given, in every pass.
    fresh: Callable[[int], tuple[Part[X, Y, Z], Gradient]] | None = None
    #: Losses of the start, then of each pass.
    losses: list[Pass] = field(default_factory=list)
    #: The pass whose state is kept.
    best: int = 0
    #: How many of them the checkpoint knew.
    recalled: int = 0

    def run(self, deadline: float = math.inf) -> Iterator[tuple[int, Pass]]:
        """Learn until the passes are made or the time is over; yields (number of the pass, losses), the start first."""
        self._kept = self.learning.averaged()
        if not self._recall():
            self._note()
        yield from enumerate(list(self.losses))
        while len(self.losses) <= self.count and clock() < deadline:
            self._pass(len(self.losses))
            self._note()
            yield len(self.losses) - 1, self.losses[-1]

    def model(self) -> ContextModel:
        """That of the best state."""
        return self.model_of(self._kept)

    def _pass(self, number: int) -> None:
        part, gradient = (self.training, self.gradient) if self.fresh is None else self.fresh(number)
        count = len(part.items)
        steps = -(-count // self.batch)
        for place, chosen in enumerate(np.array_split(self._random(number).permutation(count), steps)):
            rows = np.sort(chosen).tolist()
            together = _together(rows, [len(part.items[x].start) for x in rows])
            batches = (self._batch(part, gradient, number, few, len(rows)) for few in together)
            self.learning.step(batches, (number - 1 + (place + 1) / steps) / self.count)

    def _batch(self, part: Part[X, Y, Z], gradient: Gradient, number: int, chosen: list[int], count: int) -> Batch:
        """Some of the `count` instances of a step."""

        def one(k: int, theta: Floats, share: float) -> tuple[Floats, float]:
            return gradient(theta, chosen[k], share, self._random(number, chosen[k])), 0.0

        return batch_of([part.items[x] for x in chosen], one, self.threads, self.learning.device, count)

    def _note(self) -> None:
        """Evaluate the average of the weights, keep it if it is the best, and write all down."""
        state = self.learning.averaged()
        self.losses.append(self._evaluated(state))
        if self._better(self.losses[-1], self.losses[self.best]):
            self.best, self._kept = len(self.losses) - 1, state
        if self.checkpoint is not None and len(self.losses) > 1:
            validations = [math.nan if one.validation is None else one.validation for one in self.losses]
            document = {
                "identity": json.dumps(self.identity, sort_keys=True),
                "loss": np.array([one.loss for one in self.losses]),
                "validation": np.array(validations),
                "best": self.best,
                **{f"kept.{name.replace('.', '_')}": array for name, array in self._kept.items()},
                **self.learning.document(),
            }
            write_atomic(self.checkpoint, npz_bytes(document, self.checkpoint))

    def _evaluated(self, state: dict[str, Singles]) -> Pass:
        model = self.model_of(state)
        held_out = None if self.held_out is None else self._mean_loss(model, self.held_out)
        return Pass(self._mean_loss(model, self.training), held_out)

    def _better(self, one: Pass, other: Pass) -> bool:
        """By validation; but what is worse than the start on the other instances is luck."""
        if one.validation is None or other.validation is None:
            return one.loss < other.loss
        return one.loss <= self.losses[0].loss and one.validation < other.validation

    def _mean_loss(self, model: ContextModel, part: Part[X, Y, Z]) -> float:
        """Over all instances, through the numpy model: what `solve` does."""
        data, structures = part.data, part.structures

        def one(x: int) -> float:
            features = data.features[x]
            if model.then:
                return instance_loss(data, theta_of(data.problem, model, data.instances[x], features), x)
            return instance_loss(data, model.theta(features, structures[x]), x)

        return math.fsum(self.threads.map(one, range(len(structures)))) / len(structures)

    def _recall(self) -> bool:
        """Go on from the checkpoint; False where there is none, or one of another budget."""
        path = self.checkpoint
        if path is None or not path.exists():
            return False
        try:
            document = parse_npz(path.read_bytes(), path)
            theirs = json.loads(str(document["identity"]))
            if not isinstance(theirs, dict):
                raise ValueError(theirs)
        except (InputError, KeyError, ValueError):
            raise JournalError("is not the state of a network that learns", where=str(path)) from None
        ours = json.loads(json.dumps(self.identity))
        # a longer run, or one whose stages before went on: this one begins anew
        changed = [theirs.pop(key, None) != ours.pop(key, None) for key in ("evaluations", "after")]
        if any(changed) and theirs == ours:
            return False
        if theirs != ours:
            key = min(key for key in {*theirs, *ours} if theirs.get(key) != ours.get(key))
            message = f"belongs to another run: {key} differs; remove it, or name another journal, to start afresh"
            raise JournalError(message, where=str(path))
        names = {name.replace(".", "_"): name for name in self._kept}
        self._kept = {names[key]: np.array(value, np.float32) for key, value in document["kept"].items()}
        self.best = int(document["best"])
        self.losses = [
            Pass(loss, None if math.isnan(validation) else validation)
            for loss, validation in zip(document["loss"].tolist(), document["validation"].tolist(), strict=True)
        ]
        self.learning.take(document)
        self.recalled = len(self.losses)
        if self._evaluated(self._kept) != self.losses[self.best]:
            message = "the problem (features, structure, layer, decode, cost, scale) changed since, or does not repeat "
            raise JournalError(f"{message}itself; remove it, or name another one, to start afresh", where=str(path))
        return True

    def _random(self, *key: int) -> np.random.Generator:
        return seeds.generator(self.seed, seeds.NETWORK, *key)


def _together(chosen: list[int], rows: list[int]) -> list[list[int]]:
    """Instances that go through the network at once: so many that memory can hold what their rows leave behind."""
    found: list[list[int]] = [[]]
    total = 0
    for x, count in zip(chosen, rows, strict=True):
        if found[-1] and total + count > _MOST_ROWS:
            found.append([])
            total = 0
        found[-1].append(x)
        total += count
    return found
