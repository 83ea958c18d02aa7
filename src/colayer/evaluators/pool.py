"""The generic evaluator over several processes of this machine: each holds a shard of the instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.processes import Processes, result
from colayer.evaluators.sharded import ShardedEvaluator, answer
from colayer.problem.bind import BoundProblem
from colayer.problem.instances import placing, restoring
from colayer.problem.protocol import X, Y, Z

#: The evaluator of the shard that this process holds.
_own: dict[str, Any] = {}


class PoolEvaluator(ShardedEvaluator):
    """`workers` processes, each with a `LocalEvaluator` on every `workers`-th instance.

    Problem and instances travel once, when the pool starts; after that only weights and losses do.
    """

    def __init__(self, problem: BoundProblem[X, Y, Z], instances: Sequence[X], workers: int, rounds: int = 1) -> None:
        super().__init__([range(k, len(instances), workers) for k in range(min(workers, len(instances)))])
        self._instances = instances
        self._processes = [Processes(1) for _ in self.shards]
        try:
            for future in [process.submit(_start) for process in self._processes]:
                result(future)
            self._loading = [
                process.submit(_load, problem, [instances[x] for x in shard], rounds)
                for process, shard in zip(self._processes, self.shards, strict=True)
            ]
        except BaseException:
            self.close()
            raise

    def ask(self, method: str, arguments: Mapping[int, Any], size: int) -> Mapping[int, Any]:
        """See `ShardedEvaluator.ask`."""
        for k, loading in enumerate(self._loading):
            self._result(k, loading)
        asked = {k: self._processes[k].submit(_answer, method, argument) for k, argument in arguments.items()}
        return {k: self._result(k, future) for k, future in asked.items()}

    def _result(self, k: int, future: Future[tuple[bool, Any]]) -> Any:
        with restoring([self._instances[x] for x in self.shards[k]]):
            return result(future)

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.close()


def _start() -> None:
    """Do nothing: data is sent to a process only once it answers, since one that dies at birth would not take it."""


def _load(problem: BoundProblem[X, Y, Z], instances: Sequence[X], rounds: int) -> None:
    with placing(instances):
        _own["evaluator"] = LocalEvaluator(problem, instances, rounds)


def _answer(method: str, argument: Any) -> Any:
    evaluator = _own["evaluator"]
    with placing(evaluator.instances):
        return answer(evaluator, method, argument)
