"""Orders along a line: between all crossings the sweep holds the stable argsort of θ(t), ties and all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from colayer.layers.kernels.kinetic import next_place, swap, sweep_from


def crossings(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Every t at which two lines meet."""
    n = len(a)
    found = [(a[j] - a[i]) / (b[i] - b[j]) for i in range(n) for j in range(i) if b[i] != b[j]]
    return np.unique(np.array(found))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("whole", [True, False])
def test_between_crossings_the_order_is_that_of_theta(seed: int, whole: bool) -> None:
    """Whole numbers: many lines are equal, and many meet in one point."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    a, b = rng.integers(-3, 4, size=(2, n)).astype(float) if whole else rng.normal(size=(2, n))
    low, high = -2.25, 3.25
    met = crossings(a, b)
    edges = np.concatenate([[low], met[(met > low) & (met < high)], [high]])
    order, moments = sweep_from(a, b, low)
    swaps = 0
    for left, right in itertools.pairwise(edges):
        middle = (left + right) / 2
        before = low
        while moments[1] < middle:
            assert moments[1] >= before
            before = moments[1]
            swap(a, b, order, moments, next_place(moments))
            swaps += 1
        if right - left > 1e-9:
            assert order.tolist() == np.argsort(a + middle * b, kind="stable").tolist()
    assert swaps <= n * (n - 1) // 2


def test_a_whole_sweep_sorts_by_slope() -> None:
    """From far below to far above: decreasing slopes become increasing ones, by n(n − 1)/2 swaps."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 9))
    order, moments = sweep_from(a, b, -1e9)
    assert order.tolist() == np.argsort(-b).tolist()
    swaps = 0
    while moments[1] < np.inf:
        swap(a, b, order, moments, next_place(moments))
        swaps += 1
    assert order.tolist() == np.argsort(b).tolist()
    assert swaps == 36
