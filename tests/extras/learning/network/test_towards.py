"""Gradients towards the best of many solutions: in torch alone, and by the problem's own layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from colayer.learning.network.source import Item
from colayer.learning.network.towards import Draws, Layered, Sorted
from colayer.problems import SingleMachine, SpanningTree
from colayer.problems.single_machine.instance import Instance
from colayer.threads import Threads
from support.packed import item


def jobs(*sizes: int) -> list[Item[Instance]]:
    problem = SingleMachine("27")
    return [item(problem, problem.generate(k, jobs=n, rho=1.0)) for k, n in enumerate(sizes)]


def theta_of(items: list[Item[Instance]]) -> torch.Tensor:
    return torch.from_numpy(np.concatenate([one.start for one in items]).astype(np.float32))


def by_rows(one: Item[Instance]) -> Item[Instance]:
    """The item with its rows as the features have them."""
    start = np.empty(len(one.start))
    start[one.structure[0].permutation] = one.start
    return replace(one, start=start)


def test_costs_in_torch_are_those_of_the_problem() -> None:
    items = jobs(5, 30, 12)
    gradient = Sorted(Draws(3))
    gradient(theta_of(items), items, np.random.default_rng(0))
    problem = SingleMachine("27")
    for one, behind in zip(items, gradient.costs, strict=True):
        cost = problem.cost(problem.baseline("srpt-midpoint", one.instance), one.instance)
        assert behind == pytest.approx(cost / problem.bound(one.instance) - 1.0, abs=1e-9)


@pytest.mark.parametrize("absolute", [False, True])
def test_torch_and_layer_agree_on_average(absolute: bool) -> None:
    """With many draws, both estimate the same direction."""
    items = jobs(15)
    draws = Draws(3000, sigma=1.0 if absolute else 0.1, absolute=absolute)
    torchs = Sorted(draws)(theta_of(items), items, np.random.default_rng(0)).numpy()
    rows = [by_rows(one) for one in items]
    with Threads(1) as threads:
        layers = Layered(SingleMachine("27"), draws, threads)(theta_of(rows), rows, np.random.default_rng(1)).numpy()
    assert np.corrcoef(torchs, layers[items[0].structure[0].permutation])[0, 1] > 0.95


@pytest.mark.parametrize(("window", "share"), [(0, 0.8), (6, 0.95)])
def test_a_step_along_the_gradient_lowers_the_cost(window: int, share: float) -> None:
    items = jobs(*[40] * 10)
    theta, random = theta_of(items), np.random.default_rng(0)
    gradient = Sorted(Draws(100, sigma=0.7, absolute=True), window)
    before = []
    for _ in range(8):
        slope = gradient(theta, items, random)
        before.append(float(np.mean(gradient.costs)))
        theta = theta - 8.0 * slope
    assert before[-1] < share * before[0]


def test_the_window_of_a_job_holds_all_that_it_changes() -> None:
    """A window as long as the instance is the whole sum of completion times, up to what no draw changes."""
    items = jobs(9)
    draws = Draws(50, sigma=0.7, absolute=True)
    wide, whole = (Sorted(draws, window)(theta_of(items), items, np.random.default_rng(0)) for window in (9, 0))
    assert torch.allclose(wide, whole, atol=1e-6)


def test_a_known_solution_is_imitated_while_it_is_better() -> None:
    """Towards it: θ falls on what it uses and the own solutions do not."""
    problem = SpanningTree()
    instance = problem.generate(0, width=4, scenarios=3)
    solution = problem.exact(instance)[0]
    one = item(problem, instance, solution)
    theta = torch.from_numpy(np.random.default_rng(0).normal(size=len(one.start)).astype(np.float32))
    with Threads(2) as threads:
        gradient = Layered(problem, Draws(10, sigma=0.01), threads)
        slope = gradient(torch.cat([theta, theta]), [one, one], np.random.default_rng(0)).numpy()
    y = problem.embed(problem.layer(theta.numpy(), instance), instance)
    expected = (problem.target(solution, instance) - y) / len(y)
    assert np.corrcoef(slope[: len(y)], expected)[0, 1] > 0.9
    assert gradient.costs[0] > 0.0
