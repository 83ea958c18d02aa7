"""θ in a fixed order of sums."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models.thetas import theta_blocks, thetas


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_theta_is_the_sum_feature_by_feature(dtype: type) -> None:
    """Bit for bit the plain loop over features, whatever the number of rows and weight vectors."""
    rng = np.random.default_rng(0)
    for n, d, k in ((1, 1, 1), (5, 3, 2), (511, 66, 3), (1300, 7, 20)):
        features = rng.normal(size=(n, d)).astype(dtype)
        weights = rng.normal(size=(k, d))
        weights[0, : d // 2] = 0.0
        expected = np.zeros((k, n))
        for j in range(k):
            for i in range(d):
                expected[j] += weights[j, i] * features[:, i].astype(np.float64)
        assert np.array_equal(thetas(features, weights), expected)


def test_theta_of_a_row_does_not_depend_on_the_batch() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(700, 23))
    weights = rng.normal(size=(40, 23))
    together = thetas(features, weights)
    alone = np.vstack([thetas(features[[i]], weights[[7]])[0] for i in range(700)])[:, 0]
    assert np.array_equal(together[7], alone)


@pytest.mark.parametrize("shape", [(2,), (1, 3), (2, 2, 2)])
def test_weights_of_the_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"weights of shape .*, expected rows of 2 numbers"):
        thetas(np.ones((4, 2)), np.ones(shape))


X = np.array([[4.0, 0.0], [2.0, 8.0], [3.0, 1.0], [9.0, 2.0]])


@pytest.mark.parametrize(("most", "firsts"), [(1 << 25, [0]), (8, [0, 2, 4]), (1, [0, 1, 2, 3, 4])])
def test_theta_by_parts_is_theta_all_at_once(most: int, firsts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """As many rows of four numbers as memory allows, at least one."""
    monkeypatch.setattr(import_module("colayer.models.thetas"), "_MOST_NUMBERS", most)
    weights = np.random.default_rng(0).normal(size=(5, 2))
    blocks = list(theta_blocks(X, weights))
    assert [first for first, _ in blocks] == firsts
    assert np.array_equal(np.vstack([block for _, block in blocks]), thetas(X, weights))


def test_a_correction_is_added_to_every_theta() -> None:
    ((_, block),) = theta_blocks(X, np.ones((3, 2)), np.arange(4.0))
    assert np.array_equal(block, thetas(X, np.ones((3, 2))) + np.arange(4.0))


def test_theta_may_be_large_but_is_finite() -> None:
    """Also where the sum of its squares is not."""
    ((_, block),) = theta_blocks(X, np.full((1, 2), 1e200))
    assert np.isfinite(block).all()
    for weight in (1e308, np.inf, np.nan):
        with pytest.raises(InputError, match="θ is not finite"):
            list(theta_blocks(X, np.full((1, 2), weight)))
