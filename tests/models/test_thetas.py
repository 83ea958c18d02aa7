"""θ in a fixed order of sums."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models.thetas import thetas
from support.errors import rejects


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
    with rejects(InputError, "weights", "shape"):
        thetas(np.ones((4, 2)), np.ones(shape))
