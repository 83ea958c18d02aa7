"""Evaluators that deal their instances out to several shards: processes, nodes, or devices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.evaluators.visit import LoadedInstance

R = TypeVar("R")


class ShardedEvaluator(ABC):
    """An evaluator whose shard k answers for the instances with the numbers `shards[k]`.

    Each loss belongs to one weight vector and one instance, and is put where the instance stands: the split does not
    change the result.
    """

    def __init__(self, shards: Sequence[Sequence[int]]) -> None:
        self.shards = [list(shard) for shard in shards]
        self.count = sum(len(shard) for shard in self.shards)

    @abstractmethod
    def ask(self, method: str, arguments: Mapping[int, Any], size: int) -> Mapping[int, Any]:
        """Return what `answer` gives for each of these shards; `size` counts the weight vectors or visits asked for."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the shards hold."""

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        rows = np.array(weights, dtype=np.float64, order="C", ndmin=2)
        out = np.empty((len(rows), self.count))
        for k, part in self.ask("losses", dict.fromkeys(range(len(self.shards)), rows), len(rows)).items():
            out[:, self.shards[k]] = part
        return out

    def map_features(self, work: Callable[[NDArray[Any]], R]) -> list[R]:
        """See `statistics.MapsFeatures`."""
        found: dict[int, R] = {}
        for k, part in self.ask("map_features", dict.fromkeys(range(len(self.shards)), work), self.count).items():
            found.update(zip(self.shards[k], part, strict=True))
        return [found[x] for x in range(self.count)]

    def visit(self, work: Callable[[LoadedInstance[Any, Any, Any]], R], chosen: Sequence[int]) -> list[R]:
        """See `visit.Visits`."""
        wanted = set(chosen)
        numbers = [{i: x for i, x in enumerate(shard) if x in wanted} for shard in self.shards]
        found: dict[int, R] = {}
        asked = {k: (work, places) for k, places in enumerate(numbers) if places}
        for k, part in self.ask("visit", asked, len(wanted)).items():
            found.update(zip(numbers[k].values(), part, strict=True))
        return [found[x] for x in chosen]


def answer(evaluator: Any, method: str, argument: Any) -> Any:
    """Call a method of the evaluator that holds one shard."""
    if method != "visit":
        return getattr(evaluator, method)(argument)
    work, numbers = argument
    return evaluator.visit(partial(_renumber, work, numbers), list(numbers))


def _renumber(work: Callable[[Any], R], numbers: Mapping[int, int], loaded: LoadedInstance[Any, Any, Any]) -> R:
    """Call `work` on an instance under the number it has among all shards."""
    return work(replace(loaded, number=numbers[loaded.number]))
