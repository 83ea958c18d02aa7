"""Stacks of jobs: what they hold, and a gradient that lowers the cost."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from colayer.problems import SingleMachine
from colayer_paper.network_jobs import JobBatches, Smoothing, Stack, completion, gradient
from colayer_paper.network_source import Source
from support.packed import item


def make(number: int) -> Stack:
    problem = SingleMachine("27")
    return Stack.of([item(problem, problem.generate(10 * number + k, jobs=30, rho=1.0)) for k in range(10)])


@pytest.fixture(name="batches")
def _batches() -> JobBatches:
    with Source(make, 1, 1, processes=False, placed=lambda stack: stack.to("cpu")) as source:
        source.refresh()
        return JobBatches(source, Smoothing(pull=0.0), "cpu")


def test_a_batch_is_a_stack(batches: JobBatches) -> None:
    batch = batches.batch(np.random.default_rng(0))
    stack = batches.source.items[0]
    assert batch.rows.inputs.shape == (300, stack.inputs.shape[2])
    assert batch.rows.place.tolist() == list(range(30)) * 10
    assert set(batch.rows.length.tolist()) == {30}
    assert torch.allclose(stack.p.mean(dim=1), torch.ones(10))
    assert batch.rows.offsets.shape == (300, 3)
    assert torch.allclose(batch.start + batch.rows.offsets[:, 0], stack.r.reshape(-1), atol=1e-4)


def test_a_step_along_the_slope_lowers_the_cost(batches: JobBatches) -> None:
    theta = batches.batch(np.random.default_rng(0)).start
    behind = []
    for step in range(12):
        slope, distance = batches.batch(np.random.default_rng(step)).gradient(theta, 0.8)
        behind.append(float(distance))
        theta = theta - 10.0 * slope
    assert behind[-1] < 0.9 * behind[0]


def test_scale_and_place_mean_nothing(batches: JobBatches) -> None:
    batch = batches.batch(np.random.default_rng(0))
    slope, _ = batch.gradient(batch.start, 0.0)
    again, _ = batch.gradient(4.0 * batch.start + 3.0, 0.0)
    assert torch.allclose(slope, 4.0 * again, atol=1e-5)
    centred = batch.start.reshape(10, 30) - batch.start.reshape(10, 30).mean(dim=1, keepdim=True)
    assert torch.allclose((slope.reshape(10, 30) * centred).sum(dim=1), torch.zeros(10), atol=1e-4)
    assert torch.allclose(slope.reshape(10, 30).sum(dim=1), torch.zeros(10), atol=1e-5)


def test_theta_is_held_to_its_start(batches: JobBatches) -> None:
    moved = torch.zeros(300)
    moved[0] = 1.0
    batch = batches.batch(np.random.default_rng(0))
    free, _ = batch.gradient(batch.start + moved, 0.0)
    batches.smoothing = Smoothing(pull=3.0)
    held, _ = batch.gradient(batch.start + moved, 0.0)
    assert int((held - free).argmax()) == 0


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
