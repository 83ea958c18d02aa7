"""What moving a job does: against the cost of every sequence, and against differences of smoothed costs."""

from __future__ import annotations

import math

import numpy as np

from colayer.problems.single_machine.kernels.moves import slopes_into
from colayer.problems.single_machine.kernels.schedule import sequence_cost


def drawn_jobs(n: int, seed: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(seed)
    return random.uniform(0, n, size=n), random.exponential(size=n), random.uniform(0, n, size=n), random.normal(size=n)


def plain(theta: np.ndarray, drawn: np.ndarray, r: np.ndarray, p: np.ndarray, sigma: float) -> np.ndarray:
    """Each job at every place, the cost of the whole sequence computed anew."""
    order = np.argsort(drawn)
    found = np.zeros(len(theta))
    for i in range(len(theta)):
        others = [int(j) for j in order if j != i]
        costs = [sequence_cost(np.array([*others[:k], i, *others[k:]]), r, p) for k in range(len(theta))]
        for k, j in enumerate(others):
            distance = (drawn[j] - theta[i]) / sigma
            weight = math.exp(-0.5 * distance**2) / (sigma * math.sqrt(2 * math.pi))
            found[i] += (costs[k + 1] - costs[k]) * weight
    return found


def test_slopes_are_those_of_all_insertions() -> None:
    for n, seed in ((1, 0), (2, 1), (9, 2), (14, 3)):
        r, p, theta, noise = drawn_jobs(n, seed)
        drawn = theta + 0.7 * noise
        out = np.empty(n)
        slopes_into(np.argsort(drawn), theta, drawn, r, p, 0.7, n, out)
        assert np.allclose(out, plain(theta, drawn, r, p, 0.7), atol=1e-9)


def test_a_window_leaves_out_what_is_far() -> None:
    """Places that are many σ away do not matter."""
    r, p, _, noise = drawn_jobs(40, 4)
    theta = np.arange(40.0)
    drawn = theta + 0.5 * noise
    near, all_of_them = np.empty(40), np.empty(40)
    for window, out in ((12, near), (40, all_of_them)):
        slopes_into(np.argsort(drawn), theta, drawn, r, p, 0.5, window, out)
    assert near.any()
    assert np.allclose(near, all_of_them, atol=1e-6)
