"""The squash of inputs: arsinh, of large and of small numbers."""

from __future__ import annotations

import numpy as np

from colayer.models.kernels.inputs import squash_all


def test_it_is_arsinh() -> None:
    """To what float32 can tell, for numbers of any size; beyond 1e18 it does not grow any more."""
    random = np.random.default_rng(0)
    drawn = random.normal(size=(3, 700)) * np.exp(random.uniform(-20, 40, size=(3, 700)))
    values = np.concatenate([drawn, [[0.0, -1e-30, 1.0, -1.0, 2.5] * 140]]).astype(np.float32)
    found = values.copy()
    squash_all(found)
    assert np.allclose(found, np.arcsinh(values.astype(np.float64)), rtol=3e-7, atol=3e-7)
    ends = np.array([[3e38, -3e38]], np.float32)
    squash_all(ends)
    assert np.allclose(ends, [[np.arcsinh(1e18), -np.arcsinh(1e18)]])
