"""What runs on a node of a cluster: blocks of instances, their evaluators, and threads that ask them."""

from __future__ import annotations

import os
import platform
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import typed_line
from colayer._runtime.threads import Threads
from colayer.errors import ColayerError
from colayer.evaluators.base import Evaluator, compiled_evaluator
from colayer.evaluators.loaded import Held
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.ray.connection import ray_module
from colayer.evaluators.statistics import MapsFeatures
from colayer.evaluators.visit import Visits, visitor
from colayer.problem.compose import features_of
from colayer.problem.faults import OWN_FOLDERS, carry, own_fault

_PIECE = 0.005  # seconds: long enough that handing it to a thread costs nothing
_FEWEST_ROWS = 4  # weight vectors that go together: features are read once for them

#: Whose block, and which.
Key = tuple[int, int]


@dataclass(frozen=True)
class Answer:
    """The losses of all blocks asked, one after the other, and the seconds that each block took."""

    losses: Floats
    seconds: Floats


class Worker:
    """Holds blocks of instances and answers for them.

    A block is one evaluator: its features are computed here, when it is first asked, and stay here. `threads` threads
    ask the evaluators side by side. Exceptions of the problem's travel back as answers, pickled.
    """

    def __init__(self, threads: int, folders: Mapping[str, str] | None = None) -> None:
        OWN_FOLDERS.update(folders or {})
        self._threads = Threads(threads)
        self._pickled: dict[int, bytes] = {}
        self._problems: dict[int, Any] = {}
        self._waiting: dict[Key, bytes] = {}
        self._held: dict[Key, Evaluator] = {}
        #: The instances of evaluators that do not show their features.
        self._instances: dict[Key, Sequence[Any]] = {}
        #: Seconds per weight vector, of blocks that have been asked for losses.
        self._rates: dict[Key, float] = {}

    def about(self) -> dict[str, Any]:
        """Where this is, and the versions that the numbers depend on."""
        return {"pid": os.getpid(), "host": socket.gethostname(), "versions": versions()}

    def hold(self, owner: int, problem: bytes, blocks: Mapping[int, bytes]) -> None:
        """Keep these blocks of the evaluator `owner`; nothing is computed before they are asked."""
        self._pickled.setdefault(owner, problem)
        self._waiting.update({(owner, block): data for block, data in blocks.items()})

    def drop(self, owner: int, blocks: Sequence[int]) -> None:
        """Forget these blocks."""
        for block in blocks:
            self._waiting.pop((owner, block), None)
            self._rates.pop((owner, block), None)
            self._instances.pop((owner, block), None)
            evaluator = self._held.pop((owner, block), None)
            if evaluator is not None:
                evaluator.close()

    def ask(self, owner: int, blocks: Sequence[int], method: str, argument: Any) -> Any:
        """`method` of the evaluators of these blocks; or the exception it raised."""
        try:
            if owner not in self._problems:
                self._problems[owner] = ray_module("ray.cloudpickle").loads(self._pickled[owner])
            keys = [(owner, block) for block in blocks]
            evaluators = self._threads.map(self._evaluator, keys)
            if method == "losses":
                return self._losses(keys, evaluators, np.array(argument))  # what Ray hands over is read-only
            if method == "visit":
                work, shares = argument
                return self._threads.map(lambda key: self._visited(key, work, shares[key[1]]), keys)
            parts = self._threads.map(lambda key: self._mapped(key, argument), keys)
            return [value for part in parts for value in part]
        except BaseException as error:
            return _pickled(error)

    def _mapped(self, key: Key, work: Callable[[Any], Any]) -> list[Any]:
        """`work` of the features that the evaluator holds, else of features computed anew."""
        evaluator = self._held[key]
        if isinstance(evaluator, MapsFeatures):
            return evaluator.map_features(work)
        return [work(features_of(self._problems[key[0]], x).T) for x in self._instances[key]]

    def _visited(self, key: Key, work: Callable[[Any], Any], share: Sequence[tuple[int, int]]) -> list[Any]:
        """`work` of some instances of a block: (place in the block, number in the data set)."""
        held = visitor(self._held[key], self._problems[key[0]], self._instances.get(key, ()))
        return held.visit(partial(_renumbered, work, dict(share)), [place for place, _ in share])

    def _losses(self, keys: Sequence[Key], evaluators: Sequence[Evaluator], weights: Floats) -> Answer:
        """Blocks side by side, those that take long in pieces of some weight vectors."""
        pieces = [(k, rows) for k, key in enumerate(keys) for rows in self._pieces(key, len(weights))]

        def one(piece: tuple[int, slice]) -> tuple[Floats, float]:
            begin = time.perf_counter()
            losses = evaluators[piece[0]].losses(weights[piece[1]])
            return losses, time.perf_counter() - begin

        parts: list[list[Floats]] = [[] for _ in keys]
        seconds = np.zeros(len(keys))
        for (k, _), (losses, taken) in zip(pieces, self._threads.map(one, pieces), strict=True):
            parts[k].append(losses)
            seconds[k] += taken
        for key, total in zip(keys, seconds, strict=True):
            self._rates[key] = min(self._rates.get(key, np.inf), total / len(weights))
        return Answer(np.concatenate([np.concatenate(part) for part in parts], axis=1), seconds)

    def _pieces(self, key: Key, count: int) -> list[slice]:
        """`count` weight vectors in slices that take about _PIECE seconds each; in one where that is not known yet."""
        if self._threads.workers == 1 or key not in self._rates:
            return [slice(0, count)]
        rows = max(_FEWEST_ROWS, int(min(_PIECE / max(self._rates[key], 1e-9), count)))
        return [slice(first, first + rows) for first in range(0, count, rows)]

    def _evaluator(self, key: Key) -> Evaluator:
        if key not in self._held:
            problem = self._problems[key[0]]
            instances = ray_module("ray.cloudpickle").loads(self._waiting[key])
            compiled = compiled_evaluator(problem, instances, 1)
            self._held[key] = LocalEvaluator(problem, instances) if compiled is None else compiled
            if not (isinstance(self._held[key], MapsFeatures) and isinstance(self._held[key], Visits)):
                self._instances[key] = instances
            del self._waiting[key]
        return self._held[key]


def _renumbered(work: Callable[[Any], Any], numbers: Mapping[int, int], held: Held[Any, Any, Any]) -> Any:
    """`work` of an instance that is known by another number elsewhere."""
    return work(replace(held, number=numbers[held.number]))


def versions() -> dict[str, str]:
    """Versions that the numbers depend on, or that must agree for processes to understand each other."""
    from importlib.metadata import version

    import colayer

    return {
        "colayer": colayer.__version__,
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "processor": platform.machine(),
        "numpy": np.__version__,
        "numba": version("numba"),
    }


def _pickled(error: BaseException) -> bytes:
    """`error` where it survives the journey, else what it says; with the line of the user's file."""
    cloudpickle = ray_module("ray.cloudpickle")
    said = own_fault(error)
    try:
        error = cloudpickle.loads(cloudpickle.dumps(error))
    except Exception:
        error = ColayerError(f"on a node of the cluster: {typed_line(error)}")
    return bytes(cloudpickle.dumps(carry(error, said)))
