"""The evaluator over a Ray cluster: every worker holds a share of the instances; weights and losses travel.

Each number is a function of one weight vector and one instance, and is put where the instance stands: who computed it,
in which order, or how often, makes no difference to the result.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.evaluators.loaded import Held
from colayer.evaluators.ray.balance import blocks, evened, makespan, spread
from colayer.evaluators.ray.connection import ray_module
from colayer.evaluators.ray.shipping import Shipper
from colayer.evaluators.ray.workers import Member, Workers
from colayer.problem.protocol import Problem, X, Y, Z

R = TypeVar("R")

_log = logging.getLogger(__name__)

_BLOCKS = 16  # per thread: enough to even out costs, few enough to cost nothing
_FIRST_LOOK = 3  # calls before blocks are moved: the first one compiles, the fastest one counts
_WORTH = 1.1  # moving pays from this ratio of the times on: what is moved is computed again
_PATIENT, _SLOW = 60.0, 50.0  # seconds, and times the expected time, that a worker has for its answer
_FIRST_PATIENCE = 3600.0  # seconds for the first answer, which computes the features
_INLINE = 100_000  # bytes: what is larger travels to each node once, not with each call


class ClusterEvaluator:
    """Blocks of instances, each held by one worker.

    They are spread by size at first; once their costs have been measured, blocks move away from workers that are done
    last. The blocks of a worker that dies go to others, which compute their features anew: the instances stay here
    for that, the features never come here.
    """

    def __init__(self, workers: Workers, problem: Problem[X, Y, Z], instances: Sequence[X]) -> None:
        self.workers = workers
        self.count = len(instances)
        self._instances = list(instances)
        self._shipper = Shipper(problem, self._instances)
        self._problem = self._shipper.pickled(problem)
        self._owner = workers.new_owner()
        sizes = np.array([len(self._shipper.pickled(instance)) for instance in self._instances], dtype=np.float64)
        self.blocks = blocks(sizes, _BLOCKS * sum(member.threads for member in workers.members))
        #: Who holds each block.
        self.held: list[Member | None] = [None] * len(self.blocks)
        #: What each block costs: its bytes, until its seconds per weight vector have been measured.
        self.costs = np.array([sizes[block].sum() for block in self.blocks])
        self._seconds = np.full(len(self.blocks), np.inf)
        self._calls, self._look = 0, _FIRST_LOOK

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        rows = np.array(weights, dtype=np.float64, order="C", ndmin=2)
        out = np.empty((len(rows), self.count))
        for mine, answer in self._ask("losses", rows):
            out[:, self._places(mine)] = answer.losses
            self._seconds[mine] = np.minimum(self._seconds[mine], answer.seconds / len(rows))
        self._look_at_costs()
        return out

    def map_features(self, work: Callable[[NDArray[Any]], R]) -> list[R]:
        """See `statistics.MapsFeatures`."""
        found: list[Any] = [None] * self.count
        for mine, values in self._ask("map_features", work):
            for x, value in zip(self._places(mine), values, strict=True):
                found[x] = value
        return found

    def visit(self, work: Callable[[Held[Any, Any, Any]], R], chosen: Sequence[int]) -> list[R]:
        """See `visit.Visits`."""
        wanted = set(chosen)
        asked = [k for k, block in enumerate(self.blocks) if wanted.intersection(block.tolist())]
        shares = {k: [(i, x) for i, x in enumerate(self.blocks[k].tolist()) if x in wanted] for k in asked}
        found: dict[int, Any] = {}
        for mine, parts in self._ask("visit", (work, shares), asked):
            for k, part in zip(mine, parts, strict=True):
                found.update(zip([x for _, x in shares[k]], part, strict=True))
        return [found[x] for x in chosen]

    def close(self) -> None:
        """Let the workers forget the instances."""
        self._move([None] * len(self.blocks))

    def _places(self, mine: Sequence[int]) -> Ints:
        """The instances of some blocks."""
        return np.concatenate([self.blocks[block] for block in mine])

    def _ask(self, method: str, argument: Any, asked: Sequence[int] | None = None) -> list[tuple[list[int], Any]]:
        """Ask all blocks, or some, those of a worker that died again: (blocks, answer for their instances)."""
        ray = ray_module()
        missing = set(range(len(self.blocks)) if asked is None else asked)
        found: list[tuple[list[int], Any]] = []
        while missing:
            self._settle()
            shared = ray.put(argument) if getattr(argument, "nbytes", 0) > _INLINE else argument
            shares: dict[int, list[int]] = {}
            for block in sorted(missing, key=lambda b: (-self.costs[b], b)):  # the last ones to run are short
                shares.setdefault(id(self.held[block]), []).append(block)
            sent = [(member, shares[id(member)]) for member in self.workers.members if id(member) in shares]
            asked = [member.actor.ask.remote(self._owner, mine, method, shared) for member, mine in sent]
            answers = _gather(asked, self._patience(sent, argument))
            lost: list[tuple[Member, Exception]] = []
            for (member, mine), answer in zip(sent, answers, strict=True):
                if isinstance(answer, Exception):
                    lost.append((member, answer))
                    continue
                found.append((mine, answer))
                missing.difference_update(mine)
            if lost:
                self.workers.lost([member for member, _ in lost], lost[0][1])
        self.workers.answered()
        return found

    def _patience(self, sent: Sequence[tuple[Member, list[int]]], argument: Any) -> float:
        """Seconds after which a worker that has not answered counts as lost: it may be frozen, and never answer."""
        rows = len(argument) if isinstance(argument, np.ndarray) else 1
        expected = max(rows * float(self._seconds[mine].sum()) / member.threads for member, mine in sent)
        return max(_PATIENT, _SLOW * expected) if np.isfinite(expected) else _FIRST_PATIENCE

    def _settle(self) -> None:
        """Every block at a worker that is there; one that came without a block gets some."""
        members = self.workers.current()
        owner = self._owners(members)
        if (owner >= 0).all() and len(np.unique(owner)) == min(len(members), len(self.blocks)):
            return
        speeds = _speeds(members)
        self._move([members[k] for k in evened(self.costs, speeds, spread(self.costs, speeds, owner))])

    def _look_at_costs(self) -> None:
        """After some calls, and then ever more rarely: move blocks where their measured costs say that it pays."""
        self._calls += 1
        if self._calls < self._look:
            return
        self._look *= 3
        self.costs = self._seconds.copy()
        members = self.workers.members
        owner, speeds = self._owners(members), _speeds(members)
        new = evened(self.costs, speeds, owner)
        now, then = makespan(self.costs, speeds, owner), makespan(self.costs, speeds, new)
        if now > _WORTH * then:
            _log.info("%d blocks move: %.3g s per weight vector, then %.3g s", int((new != owner).sum()), now, then)
            self._move([members[k] for k in new])

    def _owners(self, members: Sequence[Member]) -> Ints:
        """The place in `members` of each block's worker, −1 where it is not among them."""
        number = {id(member): k for k, member in enumerate(members)}
        return np.array([number.get(id(member), -1) for member in self.held], dtype=np.int64)

    def _move(self, new: Sequence[Member | None]) -> None:
        """Bring every block to its new worker, and let the old one forget it. Nobody waits for that."""
        drop: dict[Member, list[int]] = {}
        hold: dict[Member, dict[int, bytes]] = {}
        for block, (old, member) in enumerate(zip(self.held, new, strict=True)):
            if old is member:
                continue
            if old is not None and old.alive:
                drop.setdefault(old, []).append(block)
            if member is not None:
                instances = [self._instances[x] for x in self.blocks[block]]
                hold.setdefault(member, {})[block] = self._shipper.pickled(instances)
            self._seconds[block] = np.inf
        for member, gone in drop.items():
            member.actor.drop.remote(self._owner, gone)
        for member, data in hold.items():
            member.actor.hold.remote(self._owner, self._problem, data)
        self.held = list(new)


def _speeds(members: Sequence[Member]) -> Floats:
    return np.array([float(member.threads) for member in members])


def _gather(references: list[Any], patience: float) -> list[Any]:
    """The answers, or why there is none: the worker is gone, or silent. An exception of the problem's is raised."""
    ray = ray_module()
    ready, _ = ray.wait(references, num_returns=len(references), timeout=patience)
    here = set(ready)
    answers = [_answer(reference) if reference in here else _silent(patience) for reference in references]
    for answer in answers:
        if isinstance(answer, bytes):
            raise ray_module("ray.cloudpickle").loads(answer)
    return answers


def _silent(patience: float) -> Exception:
    return TimeoutError(f"no answer within {patience:.0f} s")


def _answer(reference: Any) -> Any:
    ray = ray_module()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError:  # raised by our own code on the node: asking again would not help
        raise
    except ray.exceptions.RayError as error:
        return error
