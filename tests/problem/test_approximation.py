"""The lemma on objectives that are near the cost, against brute force, and what is no guarantee."""

from __future__ import annotations

import math

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problem.approximation import Approximation
from support.errors import rejects


@pytest.mark.parametrize("beta", [1.0, 2.0, math.inf])
def test_an_objective_near_the_cost_gives_a_ratio(beta: float) -> None:
    """Five solutions y, costs within α·u of ⟨θ, y⟩: whatever p is added to θ, the answer is within 2αu + 2κ‖p‖_β."""
    rng = np.random.default_rng(0)
    dual = {1.0: math.inf, 2.0: 2.0, math.inf: 1.0}[beta]
    tight = 0.0
    for _ in range(2000):
        y, theta, scale, alpha = rng.integers(-1, 2, (5, 3)), rng.normal(size=3), rng.uniform(0.5, 2.0), 0.1
        costs = y @ theta + alpha * scale * rng.choice([-1.0, 1.0], 5)
        proof = Approximation.of_objective(alpha, float(np.linalg.norm(y, dual, axis=1).max()), beta)
        assert proof.of_scale
        p = rng.normal(size=3) * rng.choice([0.01, 0.3])
        lost = costs[np.argmin(y @ (theta + p))] - costs.min()
        promised = proof.a * scale + proof.b * float(np.linalg.norm(p, beta))
        assert lost <= promised + 1e-12
        tight = max(tight, lost / promised)
    assert tight > 0.8


@pytest.mark.parametrize("given", [(0.5, 1.0, 3.0), (-0.1, 1.0, 1.0), (0.5, 0.0, 1.0), (0.5, math.inf, 1.0)])
def test_what_is_no_guarantee_is_refused(given: tuple[float, float, float]) -> None:
    with rejects(InputError, "Approximation"):
        Approximation(*given)
    assert Approximation(0.0, 1.0).a == 0.0  # a ratio of 0 is one
