"""Instances dealt out to shards: answers come back in the order of the instances, whatever the split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.sharded import ShardedEvaluator, answer
from colayer.evaluators.visit import LoadedInstance
from colayer.problem.bind import bind
from support.pick_problem import Pick

DATA = [np.random.default_rng(seed).normal(size=(4 + seed, 2)) for seed in range(5)]


class Here(ShardedEvaluator):
    """Shards in this process."""

    def __init__(self, shards: list[list[int]]) -> None:
        super().__init__(shards)
        self.parts = [LocalEvaluator(bind(Pick()), [DATA[x] for x in shard]) for shard in shards]
        self.asked: list[tuple[str, list[int], int]] = []

    def ask(self, method: str, arguments: Mapping[int, Any], size: int) -> Mapping[int, Any]:
        self.asked.append((method, list(arguments), size))
        return {k: answer(self.parts[k], method, argument) for k, argument in reversed(arguments.items())}

    def close(self) -> None:
        """Nothing to give back."""


def seen(loaded: LoadedInstance[Any, Any, Any]) -> tuple[int, int]:
    return loaded.number, len(loaded.instance)


@pytest.mark.parametrize("shards", [[[0, 1, 2, 3, 4]], [[3, 0], [4, 2, 1]], [[4], [3], [2], [1], [0]]])
def test_the_split_makes_no_difference(shards: list[list[int]]) -> None:
    sharded, local = Here(shards), LocalEvaluator(bind(Pick()), DATA)
    weights = np.random.default_rng(0).normal(size=(3, 2))
    assert np.array_equal(sharded.losses(weights), local.losses(weights))
    assert sharded.map_features(np.shape) == [(2, 4), (2, 5), (2, 6), (2, 7), (2, 8)]
    assert sharded.visit(seen, [4, 1, 4]) == [(4, 8), (1, 5), (4, 8)]
    assert [size for _, _, size in sharded.asked] == [3, 5, 2]


def test_only_shards_with_chosen_instances_are_asked() -> None:
    sharded = Here([[0, 1], [2, 3], [4]])
    sharded.visit(seen, [3, 4])
    assert sharded.asked == [("visit", [1, 2], 2)]
