"""Stacks of jobs: what they hold, and a gradient that lowers the cost."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from colayer.learning.network.insertions import Smoothing
from colayer.learning.network.resident import Resident, Stack
from colayer.learning.network.source import Source
from colayer.problems import SingleMachine
from support.packed import item


def make(number: int) -> list[Stack]:
    problem = SingleMachine("27")
    return [Stack.of([item(problem, problem.generate(10 * number + k, jobs=30, rho=1.0)) for k in range(10)])]


@pytest.fixture(name="resident")
def _resident() -> Resident:
    with Source(make, 1, 1, processes=False, placed=lambda stack: stack.to("cpu")) as source:
        source.refresh()
        return Resident(source, Smoothing(pull=0.0), "cpu")


def test_a_batch_is_a_stack(resident: Resident) -> None:
    batch = resident.batch(np.random.default_rng(0))
    stack = resident.source.items[0]
    assert batch.rows.inputs.shape == (300, stack.inputs.shape[2])
    assert batch.rows.place.tolist() == list(range(30)) * 10
    assert set(batch.rows.length.tolist()) == {30}
    assert torch.allclose(stack.p.mean(dim=1), torch.ones(10))
    assert batch.rows.offsets.shape == (300, 3)
    assert torch.allclose(batch.start + batch.rows.offsets[:, 0], stack.r.reshape(-1), atol=1e-4)


def test_a_step_along_the_slope_lowers_the_cost(resident: Resident) -> None:
    theta = resident.batch(np.random.default_rng(0)).start
    behind = []
    for step in range(12):
        slope, distance = resident.batch(np.random.default_rng(step)).slope(theta, 0.8)
        behind.append(float(distance))
        theta = theta - 10.0 * slope
    assert behind[-1] < 0.9 * behind[0]


def test_scale_and_place_mean_nothing(resident: Resident) -> None:
    batch = resident.batch(np.random.default_rng(0))
    slope, _ = batch.slope(batch.start, 0.0)
    again, _ = batch.slope(4.0 * batch.start + 3.0, 0.0)
    assert torch.allclose(slope, 4.0 * again, atol=1e-5)
    centred = batch.start.reshape(10, 30) - batch.start.reshape(10, 30).mean(dim=1, keepdim=True)
    assert torch.allclose((slope.reshape(10, 30) * centred).sum(dim=1), torch.zeros(10), atol=1e-4)
    assert torch.allclose(slope.reshape(10, 30).sum(dim=1), torch.zeros(10), atol=1e-5)


def test_theta_is_held_to_its_start(resident: Resident) -> None:
    moved = torch.zeros(300)
    moved[0] = 1.0
    batch = resident.batch(np.random.default_rng(0))
    free, _ = batch.slope(batch.start + moved, 0.0)
    resident.smoothing = Smoothing(pull=3.0)
    held, _ = batch.slope(batch.start + moved, 0.0)
    assert int((held - free).argmax()) == 0
