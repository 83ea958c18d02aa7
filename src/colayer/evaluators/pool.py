"""The generic evaluator over several processes of this machine: each holds a shard of the instances."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import ColayerError
from colayer.evaluators.local import LocalEvaluator

Floats = NDArray[np.float64]


class PoolEvaluator:
    """`workers` processes, each with a `LocalEvaluator` on every `workers`-th instance.

    Problem and instances travel once, when the pool starts; after that only weights and losses do. Processes are
    spawned, not forked: safe with threads, and the same on every platform.
    """

    def __init__(self, problem: Any, instances: Sequence[Any], workers: int) -> None:
        self.count = len(instances)
        self.shards = [np.arange(k, self.count, workers) for k in range(min(workers, self.count))]
        context = multiprocessing.get_context("spawn")
        self._processes: list[Any] = []
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
        return np.ascontiguousarray(self._gather("losses", weights, lambda part: part.T).T)

    def feature_sums(self) -> tuple[NDArray[np.int64], Floats]:
        """See `Evaluator.feature_sums`."""
        answers = self._ask("feature_sums")
        rows = np.empty(self.count, dtype=np.int64)
        sums = np.empty((self.count, answers[0][1].shape[1]))
        for shard, (shard_rows, shard_sums) in zip(self.shards, answers, strict=True):
            rows[shard] = shard_rows
            sums[shard] = shard_sums
        return rows, sums

    def feature_squares(self, center: Floats) -> Floats:
        """See `Evaluator.feature_squares`."""
        return self._gather("feature_squares", center, lambda part: part)

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

    def _gather(self, method: str, argument: Floats, rows_of: Callable[[Floats], Floats]) -> Floats:
        parts = [rows_of(answer) for answer in self._ask(method, argument)]
        out = np.empty((self.count, parts[0].shape[1]))
        for shard, part in zip(self.shards, parts, strict=True):
            out[shard] = part
        return out

    def _ask(self, method: str, *arguments: Any) -> list[Any]:
        try:
            for pipe in self._pipes:
                pipe.send((method, arguments))
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


def _serve(pipe: Connection, problem: Any, instances: list[Any]) -> None:
    """Answer calls until the other end is closed; faults travel back as exceptions."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; closing the pipe ends us
    evaluator: LocalEvaluator | None = None
    while True:
        try:
            method, arguments = pipe.recv()
        except EOFError:
            return
        try:
            if evaluator is None:
                evaluator = LocalEvaluator(problem, instances)
            answer = getattr(evaluator, method)(*arguments)
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
        return ColayerError(f"in a worker process: {type(error).__name__}: {error}")
    return error
