"""The gradient by moves of single jobs: against sampling, and against the plain step function."""

from __future__ import annotations

import math

import numpy as np
import torch

from colayer.learning.network.insertions import Smoothing, completion, gradient


def jobs(n: int, count: int = 1) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    random = np.random.default_rng(n)
    r = np.sort(random.uniform(0, n, size=(count, n)), axis=1)
    p = random.exponential(size=(count, n))
    theta = r + 0.5 * p + random.normal(size=(count, n))
    return torch.from_numpy(theta), torch.from_numpy(r), torch.from_numpy(p)


def cost(theta: np.ndarray, r: np.ndarray, p: np.ndarray) -> float:
    now = total = 0.0
    for job in np.argsort(theta, kind="stable"):
        now = max(now, float(r[job])) + float(p[job])
        total += now
    return total


def test_completion_times_are_those_of_a_machine() -> None:
    _, r, p = jobs(7, 3)
    for k in range(3):
        assert math.isclose(float(completion(r, p)[k].sum()), cost(np.arange(7.0), r[k].numpy(), p[k].numpy()))


def test_jumps_are_those_of_the_step_function() -> None:
    """At one drawn Z, job by job: cost differences on both sides of every other job, weighted."""
    theta, r, p = jobs(8)
    sigma, window = 0.7, 7
    found, _ = gradient(theta, r, p, sigma, Smoothing(window=window), torch.Generator().manual_seed(3))
    noise = sigma * torch.randn(theta.shape, generator=torch.Generator().manual_seed(3))
    expected = np.zeros(8)
    for sign in (1.0, -1.0):
        drawn = (theta + sign * noise).numpy()[0]
        for i in range(8):
            for j in range(8):
                if i != j:
                    sides = []
                    for side in (-1e-9, 1e-9):
                        moved = drawn.copy()
                        moved[i] = drawn[j] + side
                        sides.append(cost(moved, r.numpy()[0], p.numpy()[0]))
                    distance = (drawn[j] - float(theta[0, i])) / sigma
                    density = math.exp(-0.5 * distance**2) / (sigma * math.sqrt(2 * math.pi))
                    expected[i] += 0.5 * (sides[1] - sides[0]) * density
    assert np.allclose(found.numpy()[0], expected)


def test_it_is_the_gradient_of_the_smoothed_cost() -> None:
    theta, r, p = jobs(6)
    sigma = 1.0
    exact, _ = gradient(theta, r, p, sigma, Smoothing(pairs=3000, window=5), torch.Generator().manual_seed(0))
    z = torch.randn((100_000, 6), generator=torch.Generator().manual_seed(1), dtype=theta.dtype)
    order = (theta + sigma * z).argsort(dim=1)
    costs = completion(r[0][order], p[0][order]).sum(dim=1)
    sampled = ((costs - costs.mean())[:, None] * z).mean(dim=0) / sigma
    assert torch.allclose(exact[0], sampled, atol=0.1)


def test_sigma_falls() -> None:
    smoothing = Smoothing(2.0, 0.5)
    assert [smoothing.sigma(share) for share in (0.0, 0.5, 1.0)] == [2.0, 1.0, 0.5]


def test_one_job_has_no_slope() -> None:
    theta, r, p = jobs(1, 2)
    found, costs = gradient(theta, r, p, 0.5, Smoothing(), torch.Generator().manual_seed(0))
    assert not found.any()
    assert torch.allclose(costs, (r + p)[:, 0])
