"""An endless training set: instances made in the background, with all a network needs, and batches of them.

Makers are threads, or processes where making an instance holds the interpreter. The newest instances replace the
oldest; batches are drawn from those that are there.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Singles
from colayer.models import ContextModel
from colayer.models.inputs import inputs_of, offsets_of
from colayer.models.thetas import thetas
from colayer.problem.protocol import Problem, X, Y, Z
from colayer.problem.structure import Structure, anchored, order_of, structure_of
from colayer.solving.networks import structure_after, theta_of

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Item(Generic[X]):
    """An instance as networks learn from it, rows in the order they stand in where that is said."""

    instance: X
    inputs: Singles
    structure: Structure
    #: θ of the linear model, and t: what the network adds to.
    start: Floats
    #: The embedded target of a good solution of the instance, and its cost; None without one.
    target: Floats | None
    cost: float

    @property
    def anchored(self) -> bool:
        """Whether θ starts from the first moment of an order, without the linear model."""
        return anchored(self.structure)


def item_of(
    instance: X,
    features: NDArray[Any],
    structure: Structure,
    weights: Floats,
    scale: Floats,
    center: Floats,
    before: Floats | None = None,
) -> Item[X]:
    """The item of an instance; weights and centre in model units.

    θ starts from the moments of an order alone; without, from the θ `before`, or from that of the weights.
    """
    order = order_of(structure)
    if order is not None and anchored(structure):
        start = order.moments[:, 0]
    else:
        start = thetas(features, (weights / scale)[None, :])[0] if before is None else before
    if order is not None:
        start = start[order.permutation]
    inputs = inputs_of(features, structure, scale, center)
    return Item(instance, inputs, structure, start, None, 0.0)


def item_after(
    problem: Problem[X, Y, Z],
    instance: X,
    features: NDArray[Any],
    weights: Floats,
    scale: Floats,
    center: Floats,
    earlier: ContextModel | None,
) -> Item[X]:
    """The item of an instance for a network that looks at what an earlier one makes of it; None: for the first."""
    if earlier is None:
        before, structure = None, structure_of(problem, instance, len(features))
    else:
        before = theta_of(problem, earlier, instance, features)
        structure = structure_after(problem, instance, before)
    return item_of(instance, features, structure, weights, scale, center, before)


def units_of(items: Sequence[Item[Any]]) -> list[float]:
    """The sizes of what multiples of can be added to θ: of moments, 1, their own unit; of amounts, how they spread.

    Amounts that are the same in all rows of an instance count by their size.
    """
    offsets = [offsets_of(item.structure) for item in items]
    if items[0].anchored:
        return [1.0] * len(offsets[0])
    columns = [[one[k] for one in offsets] for k in range(len(offsets[0]))]
    return [
        float(np.mean([one.std() for one in column]) or np.mean([np.abs(one).mean() for one in column])) or 1.0
        for column in columns
    ]


class Source(Generic[T]):
    """Items made by `make(number)`, which depends on the number alone; `workers` makers, at most `capacity` kept.

    Each item goes through `placed` when it arrives.
    """

    def __init__(
        self,
        make: Callable[[int], list[T]],
        workers: int,
        capacity: int,
        *,
        processes: bool,
        placed: Callable[[T], T] | None = None,
    ) -> None:
        self._make, self._workers, self._capacity, self._placed = make, workers, capacity, placed
        self._pool: Executor
        if processes:
            self._pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
        else:
            self._pool = ThreadPoolExecutor(workers)
        self._waiting: list[Future[list[T]]] = []
        self._next, self._place = 0, 0
        self.items: list[T] = []
        self.made = 0
        self._order()

    def _order(self) -> None:
        while len(self._waiting) < 2 * self._workers:
            self._waiting.append(self._pool.submit(self._make, self._next))
            self._next += 1

    def refresh(self, least: int = 1) -> None:
        """Take what was made; wait until there are `least` items."""
        while True:
            done = [future for future in self._waiting if future.done()]
            if not done and len(self.items) < least:
                done = self._waiting[:1]  # wait for the oldest
            for future in done:
                self._waiting.remove(future)
                for item in future.result():
                    self._keep(item)
            self._order()
            if len(self.items) >= least:
                return

    def _keep(self, item: T) -> None:
        self.made += 1
        if self._placed is not None:
            item = self._placed(item)
        if len(self.items) < self._capacity:
            self.items.append(item)
        else:
            self.items[self._place] = item
            self._place = (self._place + 1) % self._capacity

    def batch(self, count: int, random: np.random.Generator) -> list[T]:
        """So many items, drawn with replacement."""
        return [self.items[k] for k in random.integers(len(self.items), size=count)]

    def close(self) -> None:
        """Make no more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> Source[T]:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
