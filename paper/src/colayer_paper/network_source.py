"""An endless training set: instances made in the background, and the time-limited training that draws from it.

Makers are threads, or processes where making an instance holds the interpreter. The newest instances replace the
oldest; batches are drawn from those that are there.
"""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from colayer._runtime.clock import clock
from colayer.learning.network.trainer import Batch
from colayer.learning.run import Run

T = TypeVar("T")


class Source(Generic[T]):
    """Items made by `make(number)`, which depends on the number alone; `workers` makers, at most `capacity` kept.

    Each item goes through `placed` when it arrives.
    """

    def __init__(
        self,
        make: Callable[[int], T],
        workers: int,
        capacity: int,
        *,
        processes: bool,
        placed: Callable[[T], T] = lambda item: item,
    ) -> None:
        self._make, self._workers, self._capacity, self._placed = make, workers, capacity, placed
        self._pool: Executor
        if processes:
            self._pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
        else:
            self._pool = ThreadPoolExecutor(workers)
        self._waiting: list[Future[T]] = []
        self._ordered = 0
        self.items: list[T] = []
        self.made = 0
        self._order()

    def _order(self) -> None:
        while len(self._waiting) < 2 * self._workers:
            self._waiting.append(self._pool.submit(self._make, self._ordered))
            self._ordered += 1

    def refresh(self, least: int = 1) -> None:
        """Take what was made; wait until there are `least` items."""
        while True:
            done = [future for future in self._waiting if future.done()]
            if not done and len(self.items) < least:
                done = self._waiting[:1]  # wait for the oldest
            for future in done:
                self._waiting.remove(future)
                item = self._placed(future.result())
                if len(self.items) < self._capacity:
                    self.items.append(item)
                else:
                    self.items[self.made % self._capacity] = item
                self.made += 1
            self._order()
            if len(self.items) >= least:
                return

    def batch(self, count: int, random: np.random.Generator) -> list[T]:
        """Draw so many items, with replacement."""
        return [self.items[k] for k in random.integers(len(self.items), size=count)]

    def __enter__(self) -> Source[T]:
        return self

    def __exit__(self, *_: Any) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


@dataclass(eq=False)
class EndlessBatches:
    """Batches of an endless training set for `EmaTrainer`; an epoch lasts `every` seconds.

    The budget of the `run` is in milliseconds. The loss of an epoch is how far its solutions are behind.
    """

    source: Source[Any]
    #: Draws a batch.
    batch: Callable[[np.random.Generator], Batch]
    run: Run
    every: float = 20.0
    seed: int = 0
    #: The least that an epoch takes.
    cost: int = 1

    def steps(self, _epoch: int, step: int) -> Iterator[tuple[list[Batch], float]]:
        """See `BatchSource.steps`."""
        self._begin = clock()
        while (spent := self._spent()) < 1000.0 * self.every and self.run.spent + spent < self.run.budget:
            self.source.refresh()
            random = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(0xC0, step)))
            yield [self.batch(random)], (self.run.spent + spent) / self.run.budget
            step += 1

    def evaluate(self, _state: Any, behind: Sequence[torch.Tensor]) -> tuple[float, None, int]:
        """See `BatchSource.evaluate`."""
        loss = float(torch.stack(list(behind)).mean()) if behind else math.inf
        return loss, None, max(1, round(self._spent())) if behind else 0

    def _spent(self) -> float:
        """Return the milliseconds since the epoch began."""
        return 1000.0 * (clock() - self._begin)
