"""Evaluators of stacked features: every instance once, in order, for any number of threads."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from colayer.evaluators.statistics import MapsFeatures
from colayer.evaluators.visit import Visits
from colayer.problems.stacked import StackedEvaluator, starts
from support.pick_problem import Pick

SIZES = np.array([3, 1, 4, 1, 5, 9, 2, 6])
PICKS = [np.random.default_rng(n).normal(size=(n, 2)) for n in SIZES]


class Counted(StackedEvaluator[Any, Any, Any]):
    """The features of instance x are x, as often as it has rows; what is called is written down."""

    def __init__(self, workers: int | None) -> None:
        super().__init__(Pick(), PICKS, starts(SIZES), workers)
        self.spans: list[tuple[int, int]] = []
        self.lock = threading.Lock()

    def _matrix(self, x: int) -> np.ndarray:
        return np.full((2, SIZES[x]), x, dtype=np.float32)

    def cover(self) -> list[tuple[int, int]]:
        """The spans that `_each` covers, sorted."""

        def work(low: int, high: int) -> None:
            with self.lock:
                self.spans.append((low, high))

        self._each(work)
        return sorted(self.spans)


def test_starts_by_hand() -> None:
    assert starts(np.array([3, 1, 4])).tolist() == [0, 3, 4, 8]
    assert starts(np.array([], dtype=np.int64)).tolist() == [0]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_chunks_cover_every_instance_once(workers: int) -> None:
    evaluator = Counted(workers)
    spans = evaluator.cover()
    assert [x for low, high in spans for x in range(low, high)] == list(range(8))
    assert (len(spans) == 1) == (workers == 1)
    evaluator.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_features_are_shown_in_the_order_of_the_instances(workers: int) -> None:
    evaluator = Counted(workers)
    assert isinstance(evaluator, MapsFeatures)
    assert evaluator.map_features(lambda matrix: (float(matrix.max()), matrix.shape)) == [
        (float(x), (2, SIZES[x])) for x in range(8)
    ]
    evaluator.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_instances_are_visited_in_the_order_asked_for(workers: int) -> None:
    evaluator = Counted(workers)
    assert isinstance(evaluator, Visits)
    seen = evaluator.visit(lambda held: (held.number, held.instance, held.matrix.shape, held.scale), [5, 0, 2])
    assert [(number, shape) for number, _, shape, _ in seen] == [(x, (2, SIZES[x])) for x in (5, 0, 2)]
    assert all(np.array_equal(instance, PICKS[x]) for x, (_, instance, _, _) in zip((5, 0, 2), seen, strict=True))
    assert [scale for *_, scale in seen] == [9.0, 3.0, 4.0]
    evaluator.close()


def test_what_one_instance_raises_comes_out() -> None:
    def fail(matrix: np.ndarray) -> None:
        raise ZeroDivisionError(int(matrix[0, 0]))

    for workers in (1, 2):
        evaluator = Counted(workers)
        with pytest.raises(ZeroDivisionError, match="0"):
            evaluator.map_features(fail)
        evaluator.close()
