"""Evaluators of stacked features: every instance once, in order, for any number of threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from colayer.evaluators.statistics import MapsFeatures
from colayer.problems.stacked import StackedEvaluator, starts

SIZES = np.array([3, 1, 4, 1, 5, 9, 2, 6])


class Counted(StackedEvaluator):
    """The features of instance x are x, as often as it has rows; what is called is written down."""

    def __init__(self, workers: int | None) -> None:
        super().__init__(2, starts(SIZES), workers)
        self.spans: list[tuple[int, int]] = []
        self.lock = threading.Lock()

    def _matrix(self, x: int) -> np.ndarray:
        return np.full((2, SIZES[x]), x, dtype=np.float32)

    def visit(self) -> list[tuple[int, int]]:
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
    spans = evaluator.visit()
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


def test_what_one_instance_raises_comes_out() -> None:
    def fail(matrix: np.ndarray) -> None:
        raise ZeroDivisionError(int(matrix[0, 0]))

    for workers in (1, 2):
        evaluator = Counted(workers)
        with pytest.raises(ZeroDivisionError, match="0"):
            evaluator.map_features(fail)
        evaluator.close()
