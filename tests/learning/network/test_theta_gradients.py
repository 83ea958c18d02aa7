"""Gradients in θ: of known losses, by what the problem allows, and across θ where its scale is not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.network.theta_gradients import _across, by_experience, instance_loss
from colayer.problem.bind import bind
from colayer.problem.protocol import BaseProblem
from colayer.problems import SingleMachine, SpanningTree
from support.errors import rejects


class Line(BaseProblem):
    """θ itself is the solution, its squared distance from the instance the cost."""

    name = "line"
    feature_names = ("one",)

    def features(self, instance: Any) -> Any:
        return np.ones((len(instance), 1))

    def layer(self, theta: Any, instance: Any) -> Any:
        return theta

    def cost(self, solution: Any, instance: Any) -> float:
        return float(((solution - instance) ** 2).sum())

    def scale(self, instance: Any) -> float:
        return 4.0


def test_by_costs_alone_it_is_the_gradient_of_a_known_loss() -> None:
    """ℓ(θ) = |θ − x|²/4 is smoothed to itself plus a constant: the estimate is unbiased for (θ − x)/2."""
    instance, theta = np.array([1.0, -2.0, 0.5]), np.array([2.0, 0.0, 0.0])
    gradient = by_experience(LocalEvaluator(bind(Line()), [instance]), 40_000, None)
    assert np.allclose(gradient(theta, 0, 0.0, np.random.default_rng(0)), (theta - instance) / 2, atol=0.04)


def test_differences_reach_as_far_as_theta_spreads() -> None:
    seen: list[np.ndarray] = []

    class Seen(Line):
        def layer(self, theta: Any, instance: Any) -> Any:
            seen.append(theta)
            return theta

    gradient, theta = by_experience(LocalEvaluator(bind(Seen()), [np.zeros(3)]), 2, None), np.array([2.0, 0.0, 1.0])
    for factor in (1.0, 10.0):
        gradient(factor * theta, 0, 0.0, np.random.default_rng(0))
    small, _, large, _ = seen
    assert np.allclose(large - 10.0 * theta, 10.0 * (small - theta))


def test_loss_of_an_instance_is_its_cost_over_its_scale() -> None:
    evaluator = LocalEvaluator(bind(Line()), [np.zeros(2), np.ones(2)])
    assert instance_loss(evaluator, np.array([3.0, 1.0]), 1) == (4.0 + 0.0) / 4.0


@pytest.mark.parametrize(
    ("problem", "sizes"),
    [
        (SingleMachine("27"), {"jobs": 15}),
        (SingleMachine("27", "ls"), {"jobs": 15}),  # no smoothed cost: draws
        (SpanningTree(), {"width": 4, "scenarios": 3}),
    ],
)
def test_descent_lowers_the_cost_and_keeps_the_norm(problem: Any, sizes: dict[str, int]) -> None:
    """From a bad start, over some steps; the part of a gradient along θ is left out."""
    instance = problem.generate(3, **sizes)
    data = LocalEvaluator(bind(problem), [instance])
    gradient = by_experience(data, 16, 0.3 if isinstance(problem, SpanningTree) else None)
    random = np.random.default_rng(0)
    theta = random.normal(size=len(data.features[0]))
    start, least = instance_loss(data, theta, 0), np.inf
    for _ in range(60):
        slope = gradient(theta, 0, 0.0, random)
        shift = theta.mean() if abs(slope.sum()) < 1e-9 * np.abs(slope).sum() else 0.0
        assert abs((slope * (theta - shift)).sum()) <= 1e-9 * np.abs(slope).sum() * np.abs(theta).sum()
        if slope.any():
            theta = theta - 0.05 * slope / np.abs(slope).mean()
        least = min(least, instance_loss(data, theta, 0))
    assert least < start


def test_nothing_is_left_out_of_a_gradient_across() -> None:
    theta = np.array([1.0, 1.0, 2.0])
    assert _across(np.array([1.0, -1.0, 0.0]), theta).tolist() == [1.0, -1.0, 0.0]
    assert np.allclose(_across(theta, theta), 0.0)
    assert _across(np.array([1.0, 0.0, 0.0]), np.zeros(3)).tolist() == [1.0, 0.0, 0.0]


class Wrong(Line):
    """A smoothed cost whose gradient has a row too many."""

    def smoothed(self, theta: Any, noise: Any, sigma: float, instance: Any) -> Any:
        return np.zeros(len(theta) + 1)


def test_a_gradient_of_another_length_is_refused() -> None:
    gradient = by_experience(LocalEvaluator(bind(Wrong()), [np.zeros(3)]), 4, None)
    with rejects(InputError, "smoothed", "line"):
        gradient(np.arange(3.0), 0, 0.0, np.random.default_rng(0))
