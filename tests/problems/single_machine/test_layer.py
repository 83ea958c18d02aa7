"""The layer: sorting by θ, and what the losses of demonstration ask of it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.layers.likelihood import plackett_luce
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.layer import augmented, embed, layer, likelihood
from support.errors import rejects

X = Instance([0, 1, 5, 9], [4, 1, 2, 3])


def test_sorts_by_theta_with_ties_by_job() -> None:
    assert layer([0.3, 0.1, 0.3, 0.2], X).tolist() == [1, 3, 0, 2]


def test_embeds_the_places_from_the_end() -> None:
    """⟨θ, y⟩ is the sum of completion times of jobs that last θ: the first job counts n times."""
    assert embed(np.array([1, 3, 0, 2]), X).tolist() == [2.0, 4.0, 1.0, 3.0]


def test_is_optimal_for_the_linear_objective() -> None:
    for theta in np.random.default_rng(0).normal(size=(20, 4)):
        least = min(float(theta @ embed(np.array(order), X)) for order in permutations(range(4)))
        assert theta @ embed(layer(theta, X), X) == pytest.approx(least)


@pytest.mark.parametrize("theta", [np.zeros(3), np.zeros((4, 1)), 1.0])
def test_refuses_another_shape(theta: object) -> None:
    with rejects(InputError, where="theta"):
        layer(theta, X)  # type: ignore[arg-type]


def test_augmented_is_half_the_squared_distance() -> None:
    """Over all sequences: ⟨θ, y⟩ − Δ(y, ȳ) = ⟨θ', y⟩ − constant, with θ' and the constant that it gives."""
    theta = np.array([0.5, -1.0, 2.0, 0.25])
    target = embed(np.array([2, 0, 3, 1]), X)
    other, constant = augmented(theta, target, X)
    for order in permutations(range(4)):
        y = embed(np.array(order), X)
        distance = 0.5 * float(((y - target) ** 2).sum())
        assert other @ y - constant == pytest.approx(theta @ y - distance)


def test_likelihood_is_that_of_the_sequence_by_falling_target() -> None:
    theta = np.array([0.5, -1.0, 2.0, 0.25])
    order = np.array([2, 0, 3, 1])
    value, gradient = likelihood(theta, embed(order, X), X)
    expected, slope = plackett_luce(theta, order)
    assert value == expected
    assert gradient.tolist() == slope.tolist()
