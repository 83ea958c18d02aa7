"""Gradients towards the best of many solutions, by the problem's own layer."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from colayer._runtime.threads import Threads
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, SpanningTree
from colayer_paper.network_imitation import Draws, ImitationBatches
from colayer_paper.network_source import Source
from support.packed import item


def test_a_known_solution_is_imitated_while_it_is_better() -> None:
    """Towards it: θ falls on what it uses and the own solutions do not."""
    problem = SpanningTree()
    instance = problem.generate(0, width=4, scenarios=3)
    solution = problem.exact(instance)[0]
    one = item(problem, instance, solution)
    theta = torch.from_numpy(np.random.default_rng(0).normal(size=len(one.start)).astype(np.float32))
    with Threads(2) as threads, Source(lambda number: one, 1, 1, processes=False) as source:
        source.refresh()
        batch = ImitationBatches(bind(problem), source, 2, Draws(5, sigma=0.01), threads, "cpu").batch(
            np.random.default_rng(0)
        )
        slope, behind = batch.gradient(torch.cat([theta, theta]), 0.0)
    assert len(batch.start) == 2 * len(theta)
    y = problem.embed(problem.layer(theta.numpy(), instance), instance)
    expected = (problem.target(solution, instance) - y) / (2 * len(y))
    found = slope.numpy()[: len(y)]
    assert np.corrcoef(found, expected)[0, 1] > 0.9
    assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(expected), rel=0.3)
    assert float(behind) > 0.0


def test_steps_along_the_slope_lower_the_cost() -> None:
    problem = SingleMachine("27")
    items = [item(problem, problem.generate(k, jobs=20, rho=1.0)) for k in range(4)]
    for one in items:  # rows as the features have them
        one.start[one.structure[0].permutation] = one.start.copy()
    with (
        Threads(1) as threads,
        Source(lambda number: items[number % 4], 1, 4, processes=False) as source,
    ):
        source.refresh(4)
        feed = ImitationBatches(bind(problem), source, 1, Draws(50, sigma=0.05), threads, "cpu")
        batch = feed.batch(np.random.default_rng(1))
        theta, behind = batch.start, []
        for _ in range(10):
            slope, distance = batch.gradient(theta, 0.0)
            behind.append(float(distance))
            theta = theta - 5.0 * slope
    assert min(behind[5:]) < behind[0]
