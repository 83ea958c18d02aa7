"""SPO+."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from colayer.errors import InputError
from colayer.learning.imitation.spo import SpoPlus, spo_plus
from support.choosing import LAYERS, differences, example
from support.errors import rejects


@pytest.mark.parametrize("name", LAYERS)
def test_as_defined(name):
    """With the right gradient, at least the regret, and zero where θ is true."""
    layer, rng = LAYERS[name], np.random.default_rng(8)
    for _ in range(50):
        theta, true = rng.normal(size=(2, 4))
        target = layer(true)
        value, gradient = spo_plus(theta, true, target, layer)
        assert value == pytest.approx(
            -min(layer.rows @ (2 * theta - true)) + 2 * theta @ target - true @ target, rel=1e-10, abs=1e-12
        )
        assert value >= true @ (layer(theta) - target) - 1e-12
        assert_allclose(
            gradient, differences(lambda t, u=true, y=target: spo_plus(t, u, y, layer)[0], theta), atol=1e-6
        )
    assert spo_plus(true, true, target, layer)[0] == pytest.approx(0.0, abs=1e-12)


def test_needs_the_true_theta():
    true = np.arange(6.0)
    assert SpoPlus().loss(true, example(true=true))[0] == pytest.approx(0.0, abs=1e-12)
    with rejects(InputError, "spo+", "theta"):
        SpoPlus().loss(true, example())
