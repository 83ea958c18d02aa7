"""The evaluator over a Ray cluster: one actor per shard of the instances, replaced when it is lost."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from colayer._runtime.text import typed_line
from colayer.errors import ColayerError
from colayer.evaluators.ray.connection import ray_module
from colayer.evaluators.ray.shipping import Shipper
from colayer.evaluators.ray.worker import Worker, versions
from colayer.evaluators.sharded import ShardedEvaluator
from colayer.problem.bind import BoundProblem
from colayer.problem.guard import OWN_FOLDERS
from colayer.problem.instances import restoring
from colayer.problem.protocol import X, Y, Z

_log = logging.getLogger(__name__)

_START = 120.0  # seconds for workers to come up
_FIRST_PATIENCE = 3600.0  # seconds for a worker's first answer, which computes the features
_PATIENT, _SLOW = 60.0, 50.0  # seconds, and times the slowest answer so far, for later ones
_RETRIES = 5  # times in a row that one call may lose workers
_SLIVER = 0.01  # of a processor: a node counts as in use, and nobody is kept out
_INLINE = 100_000  # bytes: larger arrays travel to each node once, not with each call


class ClusterEvaluator(ShardedEvaluator):
    """A shard of the instances for each node, or for each of its processors; weights and losses travel.

    A problem with a compiled evaluator has one worker per node, with `threads` threads (all processors of the node if
    None): its kernels run side by side. Plain Python does not: it has so many workers per node, of one thread each.
    A worker that dies or freezes is started again, on its node or on another one, and its work is done again.
    """

    def __init__(
        self, problem: BoundProblem[X, Y, Z], instances: Sequence[X], threads: int | None = None, rounds: int = 1
    ) -> None:
        self._places = _places(threads, together=problem.evaluator is not None and rounds == 1)
        most = max(count for _, count in self._places)
        turns = [k for turn in range(most) for k, (_, count) in enumerate(self._places) if turn < count]
        dealt = [[x for x in range(len(instances)) if turns[x % len(turns)] == k] for k in range(len(self._places))]
        self._places = [place for place, shard in zip(self._places, dealt, strict=True) if shard]
        super().__init__([shard for shard in dealt if shard])
        shipper, self._instances = Shipper(problem.problem, instances), instances
        self._problem, self._rounds = ray_module().put(shipper.pickled(problem.problem)), rounds
        self._data = [ray_module().put(shipper.pickled([instances[x] for x in shard])) for shard in self.shards]
        self._actors: dict[int, Any] = {}
        self._fresh: set[int] = set()
        self._slowest: dict[str, float] = {}  # seconds per weight vector or instance, by kind of work
        try:
            self._start(range(len(self.shards)))
        except BaseException:
            self.close()
            raise

    def ask(self, method: str, arguments: Mapping[int, Any], size: int) -> Mapping[int, Any]:
        """Ask the workers, those that were lost again; an exception of the problem's is raised as it is."""
        ray = ray_module()
        if not arguments:
            return {}
        shared = next(iter(arguments.values()))
        kind = type(shared[0]).__name__ if method == "visit" else method
        if isinstance(shared, np.ndarray) and shared.nbytes > _INLINE:
            arguments = dict.fromkeys(arguments, ray.put(shared))
        found: dict[int, Any] = {}
        for attempt in range(_RETRIES + 1):
            waiting = [k for k in arguments if k not in found]
            begin, patience = time.monotonic(), self._patience(kind, waiting, size)
            asked = {k: self._actors[k].ask.remote(method, arguments[k]) for k in waiting}
            here, _ = ray.wait(list(asked.values()), num_returns=len(asked), timeout=patience)
            lost = {k: f"no answer within {patience:.0f} s" for k in waiting if asked[k] not in here}
            for k in [k for k in waiting if k not in lost]:
                try:
                    answer = ray.get(asked[k])
                except ray.exceptions.RayTaskError:  # raised by our own code on the node: asking again would not help
                    raise
                except ray.exceptions.RayError as error:
                    lost[k] = typed_line(error)
                else:
                    if isinstance(answer, BaseException):
                        with restoring([self._instances[x] for x in self.shards[k]]):
                            raise answer
                    found[k] = answer
            if not lost:
                if self._fresh.isdisjoint(waiting):  # else features were computed, and kernels compiled
                    self._slowest[kind] = max(self._slowest.get(kind, 0.0), (time.monotonic() - begin) / max(size, 1))
                self._fresh.difference_update(arguments)
                return found
            said = next(iter(lost.values()))
            _log.warning("%d workers lost (%s): their work is done again (%d)", len(lost), said, attempt + 1)
            self._start(lost)
        raise ColayerError(f"workers died {_RETRIES + 1} times in a row ({said}): out of memory on their nodes?")

    def close(self) -> None:
        """End the workers."""
        for k in list(self._actors):
            self._end(k)

    def _patience(self, kind: str, waiting: Sequence[int], size: int) -> float:
        """Return the seconds after which a worker that has not answered counts as lost: it may be frozen."""
        if kind not in self._slowest or self._fresh.intersection(waiting):
            return _FIRST_PATIENCE
        return max(_PATIENT, _SLOW * size * self._slowest[kind])

    def _start(self, shards: Iterable[int]) -> None:
        """Start workers for these shards, in place of those there are; a node that is gone is replaced by another."""
        ray = ray_module()
        affinity = ray_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        coming = []
        for k in shards:
            self._end(k)
            node, threads = self._places[k]
            actor = ray.remote(Worker).options(num_cpus=_SLIVER, scheduling_strategy=affinity(node, soft=True))
            given = self._problem, self._data[k], self._rounds, threads, versions(), dict(OWN_FOLDERS)
            self._actors[k] = actor.remote(*given)
            self._fresh.add(k)
            coming.append(self._actors[k].ready.remote())
        if ray.wait(coming, num_returns=len(coming), timeout=_START)[1]:
            raise ColayerError(f"no worker came up on the cluster within {_START:g} s", where="--cluster")

    def _end(self, k: int) -> None:
        actor = self._actors.pop(k, None)
        if actor is not None and ray_module().is_initialized():
            ray_module().kill(actor)


def _places(threads: int | None, *, together: bool) -> list[tuple[str, int]]:
    """Return (node, threads) of each worker: one per node if `together`, else one per processor, in turn."""
    nodes = [(node["NodeID"], int(node["Resources"].get("CPU", 0))) for node in ray_module().nodes() if node["Alive"]]
    places = [(node, threads or count) for node, count in sorted(nodes) if count]
    if not places:
        raise ColayerError("no node of the cluster has a processor to use", where="--cluster")
    if together:
        return places
    most = max(count for _, count in places)
    return [(node, 1) for turn in range(most) for node, count in places if turn < count]
