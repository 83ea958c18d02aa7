"""The k smallest, against enumeration and the stable sort."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from colayer.errors import InputError
from colayer.layers import TopK
from colayer.layers.top_k import top_k
from support.errors import rejects

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


def test_is_the_best_of_all_choices() -> None:
    """By enumeration, for either sign of θ and every k."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        theta = rng.normal(size=6)
        for k in range(7):
            least = min(sum(theta[list(chosen)]) for chosen in combinations(range(6), k))
            y = TopK(k)(theta)
            assert y.sum() == k
            assert theta @ y == pytest.approx(least)


@given(arrays(np.float64, st.integers(0, 40), elements=FINITE | st.sampled_from([0.0, -0.0, 1.0])), st.integers(0, 40))
def test_equals_the_head_of_the_stable_sort(theta: np.ndarray, k: int) -> None:
    """Also where many are equal: ties go to the smaller index."""
    k = min(k, len(theta))
    assert top_k(theta, k).tolist() == sorted(np.argsort(theta, kind="stable")[:k].tolist())


def test_equals_the_stable_sort_on_thousands_of_inputs_with_ties() -> None:
    rng = np.random.default_rng(1)
    for _ in range(5000):
        n = int(rng.integers(1, 60))
        theta = rng.integers(-3, 4, n).astype(float)
        k = int(rng.integers(0, n + 1))
        assert top_k(theta, k).tolist() == sorted(np.argsort(theta, kind="stable")[:k].tolist())


def test_small_cases() -> None:
    assert top_k([], 0).tolist() == []
    assert top_k([5], 1).tolist() == [0]
    assert TopK(0)([1.0, 2.0]).tolist() == [0.0, 0.0]
    assert TopK(2)([1.0, 2.0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("theta", "k", "where"),
    [
        ([1.0, 2.0], 3, "k"),
        ([1.0, 2.0], -1, "k"),
        ([1.0, np.nan], 1, "theta[1]"),
        ([[1.0]], 1, "theta"),
    ],
)
def test_names_what_is_wrong(theta: list, k: int, where: str) -> None:
    with rejects(InputError, where=where):
        top_k(theta, k)
    with rejects(InputError, where=where):
        TopK(k)(theta)
