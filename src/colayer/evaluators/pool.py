"""The generic evaluator over several processes of this machine: each holds a shard of the instances."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer.errors import ColayerError
from colayer.evaluators.local import LocalEvaluator
from colayer.problem import Floats, Problem, X, Y, Z
from colayer.text import typed_line
from colayer.threads import limited

R = TypeVar("R")


class PoolEvaluator:
    """`workers` processes, each with a `LocalEvaluator` on every `workers`-th instance.

    Problem and instances travel once, when the pool starts; after that only weights and losses do. Processes are
    spawned, not forked: safe with threads, and the same on every platform.
    """

    def __init__(self, problem: Problem[X, Y, Z], instances: Sequence[X], workers: int) -> None:
        self.count = len(instances)
        self.shards = [np.arange(k, self.count, workers) for k in range(min(workers, self.count))]
        context = multiprocessing.get_context("spawn")
        self._processes: list[BaseProcess] = []
        self._pipes: list[Connection] = []
        for shard in self.shards:
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_serve, args=(theirs, problem, [instances[int(i)] for i in shard]), daemon=True
            )
            process.start()
            theirs.close()
            self._processes.append(process)
            self._pipes.append(ours)

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

    def close(self) -> None:
        """End the processes."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(timeout=5)
            if process.is_alive():
                process.terminate()
                process.join()
        self._pipes, self._processes = [], []

    def _ask(self, method: str, argument: object) -> list[Any]:
        try:
            for pipe in self._pipes:
                pipe.send((method, argument))
            answers = [pipe.recv() for pipe in self._pipes]
        except (EOFError, OSError):
            raise ColayerError(
                "a worker process ended before its work was done: out of memory, or a "
                'script without `if __name__ == "__main__":`?'
            ) from None
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers


def _serve(pipe: Connection, problem: Problem[X, Y, Z], instances: list[X]) -> None:
    """Answer calls until the other end is closed; faults travel back as exceptions."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; closing the pipe ends us
    evaluator: LocalEvaluator[X, Y, Z] | None = None
    while True:
        try:
            method, argument = pipe.recv()
        except EOFError:
            return
        try:
            with limited(1):  # there is a process for every worker already
                if evaluator is None:
                    evaluator = LocalEvaluator(problem, instances)
                answer = getattr(evaluator, method)(argument)
        except Exception as error:
            answer = _portable(error)
        try:
            pipe.send(answer)
        except (BrokenPipeError, OSError):
            return


def _portable(error: Exception) -> Exception:
    """`error` where it survives the journey between processes, else what it says."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return ColayerError(f"in a worker process: {typed_line(error)}")
    return error
