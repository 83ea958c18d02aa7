"""The gradient by moves of single jobs: against sampling, and against the plain step function."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from colayer.learning.network.insertions import Smoothing, _by_place, _by_processor, completion, gradient, moved


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


def test_moves_cost_what_the_moved_sequence_costs() -> None:
    """Sparse and dense release dates: delays that die out, reach the end, and start with a job that comes sooner."""
    random = np.random.default_rng(0)
    n, window = 9, 4
    for spread in (0.0, 0.7, 1.5):
        r, p = spread * n * random.random((3, n)), random.exponential(size=(3, n))
        costs, change = moved(torch.from_numpy(r), torch.from_numpy(p), window)
        for k in range(3):
            assert math.isclose(float(costs[k]), cost(np.arange(float(n)), r[k], p[k]))
            for a in range(n):
                for d in range(-min(window, a), min(window, n - 1 - a) + 1):
                    order = np.insert(np.delete(np.arange(n), a), a + d, a)
                    expected = cost(np.arange(float(n)), r[k][order], p[k][order]) - float(costs[k])
                    assert math.isclose(float(change[k, a, window + d]), expected, abs_tol=1e-12)


@pytest.mark.parametrize("window", [1, 5, 12])
@pytest.mark.parametrize("n", [2, 5, 30, 60])
def test_compiled_slopes_are_those_by_place(n: int, window: int) -> None:
    theta, r, p = jobs(n, 3)
    noise = torch.randn(theta.shape, generator=torch.Generator().manual_seed(n), dtype=theta.dtype)
    at, order = (theta + noise).sort(dim=1)
    given = (at, *(one.gather(1, order) for one in (theta, r, p)), 0.8, Smoothing(window=window))
    (costs, slope), (plain_costs, plain_slope) = _by_processor(*given), _by_place(*given)
    assert slope.any()
    assert torch.allclose(slope, plain_slope)
    assert torch.equal(costs, plain_costs)


def test_one_job_has_no_slope() -> None:
    theta, r, p = jobs(1, 2)
    for temperature in (0.0, 5.0):
        smoothing = Smoothing(temperature=temperature)
        found, costs = gradient(theta, r, p, 0.5, smoothing, torch.Generator().manual_seed(0))
        assert not found.any()
        assert torch.allclose(costs, (r + p)[:, 0])


def test_a_width_moves_the_job_alone() -> None:
    """At σ so small that the other jobs stay: the slope at σ·width, and jobs are drawn with σ."""
    theta, r, p = jobs(8)
    at, order = theta.sort(dim=1)
    _, expected = _by_place(at, at, *(one.gather(1, order) for one in (r, p)), 0.7, Smoothing())
    smoothing = Smoothing(width=0.7e6)
    found, costs = gradient(theta, r, p, 1e-6, smoothing, torch.Generator().manual_seed(0))
    assert torch.allclose(found.gather(1, order), expected, atol=1e-4)
    assert math.isclose(float(costs), cost(theta.numpy()[0], r.numpy()[0], p.numpy()[0]))
    narrow, _ = gradient(theta, r, p, 1e-6, Smoothing(), torch.Generator().manual_seed(0))
    assert not torch.allclose(found, narrow, atol=1e-2)


@pytest.mark.parametrize("temperature", [5.0, 0.5])
def test_with_a_temperature_cheap_places_count_for_more(temperature: float) -> None:
    """−T·log E exp(−C_i/T) on a fine grid of priorities, differentiated by the score of the Gaussian."""
    theta, r, p = (one.numpy()[0] for one in jobs(6))
    order = np.argsort(theta)
    drawn, own, r, p = theta[order], theta[order] + 0.3 * np.cos(np.arange(6.0)), r[order], p[order]
    width, z = 0.8, np.linspace(-7.0, 7.0, 20_001)
    density = np.exp(-0.5 * z * z)
    expected = np.empty(6)
    for i in range(6):
        others = np.delete(np.arange(6), i)
        costs = np.array([cost(np.arange(6.0), *(one[np.insert(others, b, i)] for one in (r, p))) for b in range(6)])
        chance = np.exp(-costs / temperature)[np.searchsorted(drawn[others], own[i] + width * z)]
        expected[i] = -temperature * (chance * density * z).sum() / ((chance * density).sum() * width)
    given = (torch.from_numpy(one)[None] for one in (drawn, own, r, p))
    costs, found = _by_place(*given, width, Smoothing(window=5, temperature=temperature))
    assert np.allclose(found.numpy()[0], expected, rtol=1e-2, atol=1e-2)
    assert math.isclose(float(costs), cost(np.arange(6.0), r, p))


def test_a_gradient_with_a_temperature_is_the_mean_over_the_draws() -> None:
    theta, r, p = jobs(9, 2)
    sigma, smoothing = 0.6, Smoothing(temperature=2.0, width=1.5, window=4)
    found, _ = gradient(theta, r, p, sigma, smoothing, torch.Generator().manual_seed(5))
    noise = sigma * torch.randn(theta.shape, generator=torch.Generator().manual_seed(5))
    expected = torch.zeros_like(theta)
    for sign in (1.0, -1.0):
        at, order = (theta + sign * noise).sort(dim=1)
        _, slope = _by_place(at, *(one.gather(1, order) for one in (theta, r, p)), sigma * 1.5, smoothing)
        expected += 0.5 * torch.empty_like(slope).scatter_(1, order, slope)
    assert torch.allclose(found, expected)


def test_a_high_temperature_is_none() -> None:
    theta, r, p = jobs(20, 2)
    warm, none = (
        gradient(theta, r, p, 0.8, Smoothing(temperature=temperature), torch.Generator().manual_seed(1))[0]
        for temperature in (1e7, None)
    )
    assert torch.allclose(warm, none, rtol=1e-3, atol=1e-3)
