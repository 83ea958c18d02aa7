"""The structured hinge loss: the largest violation, by one call of the layer."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from colayer.errors import InputError
from colayer.learning.imitation.example import Example
from colayer.learning.imitation.hinge import Hinge, hamming, hinge
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.choosing import LAYERS, PAIRS, differences, example, mean_target
from support.errors import rejects
from support.pick_problem import Embedded


@pytest.mark.parametrize("name", LAYERS)
def test_is_the_largest_violation(name):
    """Against the maximum over all y of ⟨θ, ȳ − y⟩ + Δ(y, ȳ), and finite differences; also for fractional ȳ."""
    layer, rng = LAYERS[name], np.random.default_rng(7)
    problem = SingleMachine()
    instance = problem.generate(0, jobs=4)
    for fractional in (False, True):
        theta = rng.normal(size=4)
        target = mean_target(layer, rng) if fractional else layer.rows[2]

        def value(t, target=target):
            if name == "sorting":
                return hinge(t, target, layer, *problem.augmented(t, target, instance))
            return hinge(t, target, layer, *hamming(t, target))

        distance = (
            0.5 * ((layer.rows - target) ** 2).sum(axis=1)
            if name == "sorting"
            else np.abs(layer.rows - target).sum(axis=1)
        )
        loss, gradient = value(theta)
        assert loss == pytest.approx(max(theta @ target - layer.rows @ theta + distance), rel=1e-12)
        assert loss >= 0.0
        assert_allclose(gradient, differences(lambda t, value=value: value(t)[0], theta), atol=1e-6)


def test_hamming_distance_of_binary_vectors():
    """⟨θ, y⟩ − Δ(y, ȳ) = ⟨θ′, y⟩ − a for every y of the layer."""
    theta, target = np.array([0.5, -1.0, 2.0, 0.0]), PAIRS.rows[1]
    augmented, constant = hamming(theta, target)
    for y in PAIRS.rows:
        assert y @ augmented - constant == pytest.approx(y @ theta - np.abs(y - target).sum())


def test_on_a_problem_it_has_the_gradient_of_its_value():
    """Through the problem's layer, embed and augmented."""
    shown = example()
    theta = np.random.default_rng(9).normal(size=6)
    value, gradient = Hinge().loss(theta, shown)
    assert Hinge().loss(theta, shown)[0] == value
    assert_allclose(gradient, differences(lambda t: Hinge().loss(t, shown)[0], theta), atol=1e-6)


def test_without_augmented_it_is_the_hamming_distance():
    """One item of three, the first is meant: it must win by a margin of 2."""
    shown = Example(bind(Embedded()), np.zeros((3, 2)), np.eye(3)[0], None, np.random.SeedSequence(0))
    assert Hinge().loss(np.array([0.0, 3.0, 5.0]), shown)[0] == 0.0
    value, gradient = Hinge().loss(np.array([0.0, 0.5, 5.0]), shown)
    assert (value, gradient.tolist()) == (1.5, [1.0, -1.0, 0.0])


def test_the_hamming_distance_is_refused_for_what_is_not_binary():
    """It is not linear in other vectors: a problem must say how to augment."""

    class Plain(SingleMachine):
        augmented = None

    shown = example()
    plain = Example(bind(Plain()), shown.instance, shown.target, None, shown.sequence)
    with rejects(InputError, "embed", "single-machine"):
        Hinge().loss(np.zeros(6), plain)


def test_an_augmented_of_the_wrong_length_is_named():
    class Short(Embedded):
        def augmented(self, theta, target, instance):
            return theta[:-1], 0.0

    shown = Example(bind(Short()), np.zeros((3, 2)), np.eye(3)[0], None, np.random.SeedSequence(0))
    with rejects(InputError, "augmented", "pick"):
        Hinge().loss(np.zeros(3), shown)
