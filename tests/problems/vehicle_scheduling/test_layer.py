"""The layer against an assignment solver, and what it is told to learn from."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.layers.likelihood import path_cover
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.layer import embed, layer, likelihood, safe_theta, target
from support.errors import rejects
from support.plain_vehicles import by_hand, least_value


@pytest.mark.parametrize("seed", range(20))
def test_layer_is_optimal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = generate(seed, tasks=int(rng.integers(1, 30)), scenarios=2)
    for theta in (
        rng.normal(size=len(x.arcs[1]) + 2 * x.tasks),
        rng.integers(-3, 3, size=len(x.arcs[1]) + 2 * x.tasks).astype(float),
        safe_theta(x),
        np.zeros(len(x.arcs[1]) + 2 * x.tasks),
    ):
        y = layer(theta, x)
        assert np.isclose(theta @ embed(y, x), least_value(theta, x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2))])
def test_layer_refuses_another_length(wrong: np.ndarray) -> None:
    with rejects(InputError, where="theta"):
        layer(wrong, generate(0, tasks=5, scenarios=1))


def test_layer_refuses_what_is_not_finite() -> None:
    x = generate(0, tasks=5, scenarios=1)
    theta = safe_theta(x)
    theta[-1] = np.nan
    with rejects(InputError, where="theta"):
        layer(theta, x)


def test_vectors_by_hand() -> None:
    """Arcs (0, 1), (0, 2), (1, 2), then origin arcs, then destination arcs."""
    x = by_hand()
    assert safe_theta(x).tolist() == [24.0, 0.0, 0.0, 1000.0, 1000.0, 1000.0, 0.0, 0.0, 0.0]
    assert embed(np.array([2, -1, -1]), x).tolist() == [0, 1, 0, 1, 1, 0, 0, 1, 1]
    assert target([1, 2, -1], x).tolist() == [1, 0, 1, 1, 0, 0, 0, 0, 1]
    with rejects(InputError, where="successor[1]"):
        target([-1, 0, -1], x)


def test_likelihood_is_that_of_the_exchanges() -> None:
    x = generate(0, tasks=12, scenarios=2)
    theta = np.random.default_rng(0).normal(size=len(x.arcs[1]) + 24)
    y = embed(layer(theta, x), x)
    value, gradient = likelihood(theta, y, x)
    expected, slope = path_cover(*x.arcs, theta, y)
    assert value == expected
    assert gradient.tolist() == slope.tolist()
