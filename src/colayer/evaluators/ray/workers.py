"""Workers on the nodes of a Ray cluster: started, checked, replaced when they die, ended.

Ray is an extra and is imported when a cluster is asked for. There is one worker per node, with as many threads as the
node has processors, where the problem has a compiled evaluator: its kernels run side by side in one process, and share
what was compiled. Plain Python does not: there is one worker per processor then.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colayer._runtime.text import typed_line
from colayer.errors import ColayerError
from colayer.evaluators.ray.connection import ray_module
from colayer.evaluators.ray.worker import Worker, versions
from colayer.problem.abilities import Compiles
from colayer.problem.faults import OWN_FOLDERS
from colayer.problem.protocol import Problem, X, Y, Z

_log = logging.getLogger(__name__)

_START = 120.0  # seconds for the first workers to come up
_GRACE = 5.0  # seconds for a worker that replaces a dead one; the others take its place meanwhile
_ROUNDS = 5  # calls in a row that lose workers before we give up
_SLIVER = 0.01  # of a processor: enough for a node to count as in use, too little to keep anyone out


@dataclass(eq=False)
class Member:
    """A worker and where it is."""

    node: str
    place: int
    address: str
    threads: int
    actor: Any
    alive: bool = True
    pid: int = 0


class Workers:
    """The workers of one run. Evaluators hand them blocks of instances; see `ClusterEvaluator`."""

    def __init__(self, problem: Problem[X, Y, Z], count: int, threads: int | None = None) -> None:
        """At most `count` workers for `problem`, of `threads` threads per node (all processors of the node if None)."""
        self._compiled = isinstance(problem, Compiles)
        self._count, self._threads = count, threads
        self._coming: dict[Any, Member] = {}
        self._rounds = 0
        self._owners = 0
        self.members: list[Member] = []
        try:
            self._recruit()
            self._admit(_START, everyone=True)
            if not self.members:
                raise ColayerError("no worker came up on the cluster", where="--cluster")
        except BaseException:
            self.close()
            raise

    def new_owner(self) -> int:
        """A number that tells the blocks of one evaluator from those of another."""
        self._owners += 1
        return self._owners

    def current(self) -> list[Member]:
        """The workers that are there now, with those that came up since the last time."""
        if self._coming:
            self._admit(0.0)
        return self.members

    def lost(self, lost: Sequence[Member], reason: Exception) -> None:
        """These workers are gone: start others, on nodes that are there; give up when nothing helps."""
        said = typed_line(reason)
        for member in lost:
            _log.warning("lost the worker on %s (%s): its instances go to others", member.address, said)
            self._end(member)
        self.members = [member for member in self.members if member.alive]
        self._rounds += 1
        if self._rounds > _ROUNDS:
            raise ColayerError(f"workers died {self._rounds} times in a row ({said}): out of memory on their nodes?")
        patience = time.monotonic() + _START
        self._recruit()
        self._admit(_GRACE)
        while not self.members:
            if time.monotonic() > patience:
                raise ColayerError(f"no node of the cluster is left ({said})", where="--cluster")
            time.sleep(0.5)
            self._recruit()
            self._admit(_GRACE)

    def answered(self) -> None:
        """A call is complete: what was lost before it is forgiven."""
        self._rounds = 0

    def close(self) -> None:
        """End all workers."""
        for member in (*self.members, *self._coming.values()):
            self._end(member)
        self.members, self._coming = [], {}

    def _recruit(self) -> None:
        """Start a worker at each place of each node that has none."""
        ray = ray_module()
        affinity = ray_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        here = {(member.node, member.place) for member in (*self.members, *self._coming.values())}
        for node, place, threads, address in self._places():
            if (node, place) in here:
                continue
            actor = (
                ray.remote(Worker)
                .options(
                    num_cpus=_SLIVER,
                    max_restarts=0,
                    max_task_retries=0,
                    scheduling_strategy=affinity(node, soft=False),
                )
                .remote(threads, dict(OWN_FOLDERS))
            )
            self._coming[actor.about.remote()] = Member(node, place, address, threads, actor)

    def _places(self) -> list[tuple[str, int, int, str]]:
        """(node, place, threads, address): the first place of every node, then the second ones, …"""
        found = []
        for node in ray_module().nodes():
            processors = int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0
            if processors:
                threads = self._threads or processors
                for place in range(1 if self._compiled else threads):
                    address = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
                    found.append((place, node["NodeID"], threads if self._compiled else 1, address))
        return [(node, place, threads, address) for place, node, threads, address in sorted(found)][: self._count]

    def _admit(self, seconds: float, *, everyone: bool = False) -> None:
        """Wait for workers that are coming; take in those that are there, and forget those that died on the way."""
        ray = ray_module()
        arrived, late = ray.wait(list(self._coming), num_returns=len(self._coming), timeout=seconds)
        for answer in arrived:
            member = self._coming.pop(answer)
            try:
                about = ray.get(answer)
            except ray.exceptions.RayError as error:
                _log.warning("no worker on %s (%s)", member.address, typed_line(error))
                self._end(member)
                continue
            _check_versions(about["versions"], member.address)
            member.pid = about["pid"]
            self.members.append(member)
        for answer in late if everyone else ():
            member = self._coming.pop(answer)
            _log.warning("no worker on %s within %g seconds", member.address, seconds)
            self._end(member)

    @staticmethod
    def _end(member: Member) -> None:
        ray = ray_module()
        member.alive = False
        if ray.is_initialized():
            ray.kill(member.actor, no_restart=True)


def _check_versions(theirs: dict[str, str], address: str) -> None:
    """Refuse a node on which other versions would give other numbers."""
    for what, ours in versions().items():
        if theirs.get(what) != ours:
            raise ColayerError(
                f"{what} is {theirs.get(what)} on {address} and {ours} here, expected the same", where="--cluster"
            )
