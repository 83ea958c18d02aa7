"""The Fenchel-Young loss: gradients against finite differences, signs, and exact expectations on tiny layers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from colayer.errors import OptionError
from colayer.layers import sorting
from colayer.learning.imitation.fenchel_young import FenchelYoung, fenchel_young, multiplicative_fenchel_young
from support.choosing import LAYERS, PAIRS, SORTING, Choose, differences, example, mean_target
from support.errors import rejects


def antithetic(rng, samples, d):
    half = rng.normal(size=(samples // 2, d))
    return np.concatenate([half, -half])


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("form", [fenchel_young, multiplicative_fenchel_young])
@pytest.mark.parametrize("name", LAYERS)
def test_gradient_against_finite_differences(name, form, epsilon):
    """Of the same sample average; the kinks of its pieces are far from a random point."""
    layer, rng = LAYERS[name], np.random.default_rng(1)
    theta, target, Z = rng.normal(size=4), mean_target(layer, rng), rng.normal(size=(9, 4))
    _, gradient = form(theta, target, layer, Z, epsilon)
    assert_allclose(gradient, differences(lambda t: form(t, target, layer, Z, epsilon)[0], theta), atol=1e-7)


@pytest.mark.parametrize("name", LAYERS)
def test_is_not_negative_with_antithetic_draws(name):
    """The mean of the minima is at most the minimum at the mean; without opposites a draw can break it."""
    layer, rng = LAYERS[name], np.random.default_rng(2)
    for _ in range(200):
        theta, target = rng.normal(size=4), mean_target(layer, rng)
        assert fenchel_young(theta, target, layer, antithetic(rng, 6, 4))[0] >= -1e-12
    theta = np.array([0.0, 1.0, 2.0, 3.0])
    assert fenchel_young(theta, layer(theta), layer, np.ones((1, 4)))[0] < 0.0


@pytest.mark.parametrize("form", [fenchel_young, multiplicative_fenchel_young])
def test_is_stationary_at_its_own_expectation(form):
    """ȳ = the mean of the perturbed solutions at θ_0: the gradient at θ_0 is zero, and no other θ is better."""
    rng = np.random.default_rng(3)
    theta, Z = rng.normal(size=4), antithetic(rng, 40, 4)
    target = -form(theta, np.zeros(4), SORTING, Z, 0.7)[1]
    value, gradient = form(theta, target, SORTING, Z, 0.7)
    assert_allclose(gradient, np.zeros(4), atol=1e-14)
    for _ in range(100):
        assert form(theta + rng.normal(size=4), target, SORTING, Z, 0.7)[0] >= value - 1e-12


def test_perturbed_sorting_against_the_exact_expectation():
    """E embed_i = 1 + Σ_j P(j after i) and E min = Σ_i θ_i + Σ_{i<j} E min of two Gaussians: both in closed form."""
    theta, epsilon = np.array([0.3, -0.4, 1.1, 0.2]), 0.8
    spread = epsilon * np.sqrt(2.0)
    gaps = theta[None, :] - theta[:, None]  # θ_j − θ_i
    after = norm.cdf(gaps / spread)
    np.fill_diagonal(after, 0.0)
    expected = 1.0 + after.sum(axis=1)
    least = theta.sum()
    for i in range(4):
        for j in range(i + 1, 4):
            g = gaps[i, j] / spread
            least += theta[i] * norm.cdf(g) + theta[j] * norm.cdf(-g) - spread * norm.pdf(g)
    Z = antithetic(np.random.default_rng(4), 40000, 4)
    value, gradient = fenchel_young(theta, np.zeros(4), lambda t: sorting.embed(sorting.sort(t)), Z, epsilon)
    assert_allclose(-gradient, expected, atol=5 * 1.2 / np.sqrt(len(Z)))
    assert value == pytest.approx(-least, abs=5 * 3.0 / np.sqrt(len(Z)))


def test_perturbed_choice_against_integration():
    """One of three: P(i is least) by integration over the Gaussian of i."""
    theta, epsilon = np.array([0.0, 0.5, -0.3]), 1.0
    z = np.linspace(-8.0, 8.0, 20001)
    exact = []
    for i in range(3):
        others = [norm.sf((theta[i] + epsilon * z - theta[j]) / epsilon) for j in range(3) if j != i]
        exact.append(np.trapezoid(norm.pdf(z) * others[0] * others[1], z))
    assert sum(exact) == pytest.approx(1.0, abs=1e-9)
    Z = antithetic(np.random.default_rng(5), 20000, 3)
    _, gradient = fenchel_young(theta, np.zeros(3), Choose(np.eye(3)), Z, epsilon)
    assert_allclose(-gradient, exact, atol=5 * 0.5 / np.sqrt(len(Z)))


def test_the_multiplicative_perturbation_keeps_signs_and_scales():
    """The layer only ever sees θ > 0, and the loss of 3θ is three times that of θ."""
    rng = np.random.default_rng(6)
    theta, target, Z = rng.random(4) + 0.1, mean_target(PAIRS, rng), rng.normal(size=(10, 4))

    def positive(t):
        assert (t > 0).all()
        return PAIRS(t)

    value, gradient = multiplicative_fenchel_young(theta, target, positive, Z, 0.5)
    thrice, same = multiplicative_fenchel_young(3 * theta, target, positive, Z, 0.5)
    assert thrice == pytest.approx(3 * value, rel=1e-12)
    assert_allclose(same, gradient, atol=1e-12)


@pytest.mark.parametrize(
    "method",
    [
        FenchelYoung(),
        FenchelYoung(antithetic=False, samples=7),
        FenchelYoung(perturbation="multiplicative", epsilon=0.3),
    ],
)
def test_on_a_problem_it_has_the_gradient_of_its_value(method):
    """Through the problem's layer and embed; draws are the same for every θ."""
    shown = example()
    theta = np.random.default_rng(9).normal(size=6)
    value, gradient = method.loss(theta, shown)
    assert method.loss(theta, shown)[0] == value
    assert_allclose(gradient, differences(lambda t: method.loss(t, shown)[0], theta), atol=1e-6)


def test_draws_come_with_their_opposites_if_antithetic():
    """2 antithetic samples are one draw and its opposite; the form says whether the norm must be held."""
    shown = example()
    theta = np.random.default_rng(1).normal(size=6)
    (draw,) = shown.draws(1)
    by_hand = fenchel_young(theta, shown.target, shown.solve, np.array([draw, -draw]), 0.5)
    found = FenchelYoung(samples=2, epsilon=0.5).loss(theta, shown)
    assert found[0] == by_hand[0]
    assert np.array_equal(found[1], by_hand[1])
    assert not FenchelYoung().homogeneous
    assert FenchelYoung(perturbation="multiplicative").homogeneous


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": 0.0},
        {"samples": 7},
        {"samples": 0, "antithetic": False},
        {"perturbation": "none"},
        {"perturbation": "multiplicative", "optimizer": "l-bfgs"},
    ],
)
def test_options_are_checked(options):
    with rejects(OptionError, next(iter(options)), where="--method"):
        FenchelYoung(**options)
