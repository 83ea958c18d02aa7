"""Batches of a user's instances: an epoch is a pass over all of them, or over fresh ones, in random order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats, Singles
from colayer._runtime.threads import Threads
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.network.items import Item
from colayer.learning.network.theta_gradients import Gradient, instance_loss
from colayer.learning.network.trainer import Batch, batch_of
from colayer.models import ContextModel
from colayer.problem.protocol import X, Y, Z
from colayer.problem.theta import theta_of

#: Rows that go through the network at once, some kilobytes each; a single instance may have more.
_MOST_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class Part(Generic[X, Y, Z]):
    """Instances with their features, and what a network sees of them."""

    data: LocalEvaluator[X, Y, Z]
    items: Sequence[Item[X]]

    def mean_loss(self, model: ContextModel, threads: Threads) -> float:
        """Return the mean loss over all instances through the numpy model: what `solve` does."""
        data = self.data

        def one(x: int) -> float:
            instance, features = data.instances[x], data.features[x]
            if model.then:
                return instance_loss(data, theta_of(data.problem, model, instance, features), x)
            return instance_loss(data, model.theta(features, self.items[x].structure), x)

        return math.fsum(threads.map(one, range(len(self.items)))) / len(self.items)


@dataclass(frozen=True, eq=False)
class InstanceBatches(Generic[X, Y, Z]):
    """Batches of `batch` of the training instances, in `epochs` epochs that take `cost` evaluations each."""

    training: Part[X, Y, Z]
    held_out: Part[X, Y, Z] | None
    #: That of the given instances; None where each epoch has its own.
    gradient: Gradient | None
    #: state of the network → model.
    model_of: Callable[[dict[str, Singles]], ContextModel]
    batch: int
    epochs: int
    cost: int
    seed: int
    threads: Threads
    device: str
    #: Epoch → the instances that it goes over, and their gradient; None: those that are given, in every epoch.
    fresh: Callable[[int], tuple[Part[X, Y, Z], Gradient]] | None = None

    def steps(self, epoch: int, _step: int) -> Iterator[tuple[Iterator[Batch], float]]:
        """See `BatchSource.steps`."""
        part, gradient = self.training, self.gradient
        if self.fresh is not None:
            part, gradient = self.fresh(epoch)
        assert gradient is not None
        count = len(part.items)
        steps = -(-count // self.batch)
        for place, chosen in enumerate(np.array_split(self._random(epoch).permutation(count), steps)):
            rows = np.sort(chosen).tolist()
            together = _together(rows, [len(part.items[x].start) for x in rows])
            batches = (self._batch(part, gradient, epoch, few, len(rows)) for few in together)
            yield batches, (epoch - 1 + (place + 1) / steps) / self.epochs

    def evaluate(self, state: dict[str, Singles], _behind: Any) -> tuple[float, float | None, int]:
        """See `BatchSource.evaluate`."""
        model = self.model_of(state)
        held_out = None if self.held_out is None else self.held_out.mean_loss(model, self.threads)
        return self.training.mean_loss(model, self.threads), held_out, self.cost

    def _batch(self, part: Part[X, Y, Z], gradient: Gradient, epoch: int, chosen: list[int], count: int) -> Batch:
        """Return some of the `count` instances of a step."""

        def one(k: int, theta: Floats, share: float) -> tuple[Floats, float]:
            return gradient(theta, chosen[k], share, self._random(epoch, chosen[k])), 0.0

        return batch_of([part.items[x] for x in chosen], one, self.threads, self.device, count)

    def _random(self, *key: int) -> np.random.Generator:
        return seeds.generator(self.seed, seeds.NETWORK, *key)


def _together(chosen: list[int], rows: list[int]) -> list[list[int]]:
    """Split instances into those that go through the network at once: as many as memory can hold."""
    found: list[list[int]] = [[]]
    total = 0
    for x, count in zip(chosen, rows, strict=True):
        if found[-1] and total + count > _MOST_ROWS:
            found.append([])
            total = 0
        found[-1].append(x)
        total += count
    return found
