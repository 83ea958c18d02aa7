"""The generic evaluator over several processes of this machine: each holds a shard of the instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.processes import Worker
from colayer.evaluators.loaded import Held
from colayer.evaluators.local import LocalEvaluator
from colayer.problem.protocol import Problem, X, Y, Z

R = TypeVar("R")


class PoolEvaluator:
    """`workers` processes, each with a `LocalEvaluator` on every `workers`-th instance.

    Problem and instances travel once, when the pool starts; after that only weights and losses do.
    """

    def __init__(self, problem: Problem[X, Y, Z], instances: Sequence[X], workers: int) -> None:
        self.count = len(instances)
        self.shards = [np.arange(k, self.count, workers) for k in range(min(workers, self.count))]
        self._workers: list[Worker[tuple[str, Any], Any]] = []
        try:
            for shard in self.shards:
                self._workers.append(Worker(_evaluator, problem, [instances[int(i)] for i in shard]))
        except BaseException:
            self.close()
            raise

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        out = np.empty((len(weights), self.count))
        for shard, part in zip(self.shards, self._ask("losses", weights), strict=True):
            out[:, shard] = part
        return out

    def map_features(self, work: Callable[[NDArray[Any]], R]) -> list[R]:
        """See `statistics.MapsFeatures`."""
        found: list[Any] = [None] * self.count
        for shard, part in zip(self.shards, self._ask("map_features", work), strict=True):
            for x, value in zip(shard, part, strict=True):
                found[x] = value
        return found

    def visit(self, work: Callable[[Held[Any, Any, Any]], R], chosen: Sequence[int]) -> list[R]:
        """See `visit.Visits`."""
        count = len(self.shards)
        shares = [[x for x in chosen if x % count == k] for k in range(count)]
        found: dict[int, Any] = {}
        for share, part in zip(
            shares, self._ask_each("visit", [(work, share, count) for share in shares]), strict=True
        ):
            found.update(zip(share, part, strict=True))
        return [found[x] for x in chosen]

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.close()
        self._workers = []

    def _ask(self, method: str, argument: object) -> list[Any]:
        return self._ask_each(method, [argument] * len(self._workers))

    def _ask_each(self, method: str, arguments: Sequence[object]) -> list[Any]:
        for worker, argument in zip(self._workers, arguments, strict=True):
            worker.ask((method, argument))
        answers, faults = [], []
        for worker in self._workers:  # all of them, so that no answer is left for the next call
            try:
                answers.append(worker.answer())
            except BaseException as error:
                faults.append(error)
        if faults:
            raise faults[0]
        return answers


def _evaluator(problem: Problem[X, Y, Z], instances: Sequence[X]) -> Callable[[tuple[str, Any]], Any]:
    """What a process of the pool does: (method, argument) → the method of its evaluator."""
    evaluator = LocalEvaluator(problem, instances)

    def serve(call: tuple[str, Any]) -> Any:
        method, argument = call
        if method == "visit":
            work, share, count = argument
            return [work(evaluator.held(x // count, x)) for x in share]
        return getattr(evaluator, method)(argument)

    return serve
