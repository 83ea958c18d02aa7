"""Demonstration losses: gradients against finite differences, signs, and exact expectations on tiny layers."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from colayer.learning.losses import demonstration_named, demonstration_names
from numpy.testing import assert_allclose
from scipy.stats import norm

from colayer.errors import InputError, OptionError
from colayer.layers import sorting
from colayer.learning.demonstration.crf import Crf
from colayer.learning.demonstration.example import Example
from colayer.learning.demonstration.fenchel_young import FenchelYoung, fenchel_young, multiplicative_fenchel_young
from colayer.learning.demonstration.hinge import Hinge, hinge
from colayer.learning.demonstration.spo import SpoPlus, spo_plus
from colayer.problems import SingleMachine


class Choose:
    """A layer whose solutions are the rows of a table."""

    def __init__(self, rows):
        self.rows = np.array(rows, dtype=np.float64)

    def __call__(self, theta):
        return self.rows[int(np.argmin(self.rows @ theta))]


SORTING = Choose([sorting.embed(np.array(order)) for order in permutations(range(4))])
PAIRS = Choose([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1]])  # 0/1, two of four
LAYERS = {"sorting": SORTING, "pairs": PAIRS}


def differences(value, theta, step=1e-6):
    units = step * np.eye(len(theta))
    return np.array([(value(theta + unit) - value(theta - unit)) / (2 * step) for unit in units])


def antithetic(rng, samples, d):
    half = rng.normal(size=(samples // 2, d))
    return np.concatenate([half, -half])


def mean_target(layer, rng):
    """A mean of solutions, with fractions."""
    return rng.dirichlet(np.ones(len(layer.rows))) @ layer.rows


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("form", [fenchel_young, multiplicative_fenchel_young])
@pytest.mark.parametrize("name", LAYERS)
def test_fenchel_young_gradient_against_finite_differences(name, form, epsilon):
    """Of the same sample average; the kinks of its pieces are far from a random point."""
    layer, rng = LAYERS[name], np.random.default_rng(1)
    theta, target, Z = rng.normal(size=4), mean_target(layer, rng), rng.normal(size=(9, 4))
    _, gradient = form(theta, target, layer, Z, epsilon)
    assert_allclose(gradient, differences(lambda t: form(t, target, layer, Z, epsilon)[0], theta), atol=1e-7)


@pytest.mark.parametrize("name", LAYERS)
def test_fenchel_young_is_not_negative_with_antithetic_draws(name):
    """The mean of the minima is at most the minimum at the mean; without opposites a draw can break it."""
    layer, rng = LAYERS[name], np.random.default_rng(2)
    for _ in range(200):
        theta, target = rng.normal(size=4), mean_target(layer, rng)
        assert fenchel_young(theta, target, layer, antithetic(rng, 6, 4))[0] >= -1e-12
    theta = np.array([0.0, 1.0, 2.0, 3.0])
    assert fenchel_young(theta, layer(theta), layer, np.ones((1, 4)))[0] < 0.0


@pytest.mark.parametrize("form", [fenchel_young, multiplicative_fenchel_young])
def test_fenchel_young_is_stationary_at_its_own_expectation(form):
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


@pytest.mark.parametrize("name", LAYERS)
def test_hinge_is_the_largest_violation(name):
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
            return hinge(t, target, layer, *super(SingleMachine, problem).augmented(t, target, instance))

        distance = (
            0.5 * ((layer.rows - target) ** 2).sum(axis=1)
            if name == "sorting"
            else np.abs(layer.rows - target).sum(axis=1)
        )
        loss, gradient = value(theta)
        assert loss == pytest.approx(max(theta @ target - layer.rows @ theta + distance), rel=1e-12)
        assert loss >= 0.0
        assert_allclose(gradient, differences(lambda t, value=value: value(t)[0], theta), atol=1e-6)


@pytest.mark.parametrize("name", LAYERS)
def test_spo_plus(name):
    """As defined, with the right gradient, at least the regret, and zero where θ is true."""
    layer, rng = LAYERS[name], np.random.default_rng(8)
    for _ in range(50):
        theta, true = rng.normal(size=(2, 4))
        target = layer(true)
        value, gradient = spo_plus(theta, true, target, layer)
        assert value == pytest.approx(
            -min(layer.rows @ (2 * theta - true)) + 2 * theta @ target - true @ target, rel=1e-10, abs=1e-12
        )
        assert value >= true @ (layer(theta) - target) - 1e-12
        assert_allclose(
            gradient, differences(lambda t, u=true, y=target: spo_plus(t, u, y, layer)[0], theta), atol=1e-6
        )
    assert spo_plus(true, true, target, layer)[0] == pytest.approx(0.0, abs=1e-12)


def example(jobs=6, *, true=None):
    problem = SingleMachine()
    instance = problem.generate(3, jobs=jobs)
    target = problem.target(np.arange(jobs), instance)
    return Example(problem, instance, target, true, np.random.SeedSequence(5))


@pytest.mark.parametrize("method", [FenchelYoung(), FenchelYoung(antithetic=False, samples=7), Hinge(), Crf()])
def test_methods_on_a_problem_have_the_gradients_of_their_values(method):
    """Through the problem's layer, embed, augmented and likelihood; draws are the same for every θ."""
    shown = example()
    theta = np.random.default_rng(9).normal(size=6)
    value, gradient = method.loss(theta, shown)
    assert method.loss(theta, shown)[0] == value
    assert_allclose(gradient, differences(lambda t: method.loss(t, shown)[0], theta), atol=1e-6)


def test_spo_plus_needs_the_true_theta():
    true = np.arange(6.0)
    assert SpoPlus().loss(true, example(true=true))[0] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(InputError, match="true theta"):
        SpoPlus().loss(true, example())


def test_the_default_hinge_refuses_what_is_not_binary():
    """Hamming is not linear in other vectors: a problem must say how to augment."""

    class Plain(SingleMachine):
        augmented = SingleMachine.__mro__[1].augmented

    shown = example()
    plain = Example(Plain(), shown.instance, shown.target, None, shown.sequence)
    with pytest.raises(InputError, match="augmented"):
        Hinge().loss(np.zeros(6), plain)


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        (FenchelYoung, {"epsilon": 0.0}, "epsilon"),
        (FenchelYoung, {"samples": 7}, "even"),
        (FenchelYoung, {"samples": 0, "antithetic": False}, "at least 1"),
        (FenchelYoung, {"perturbation": "none"}, "additive"),
        (FenchelYoung, {"perturbation": "multiplicative", "optimizer": "l-bfgs"}, "adam"),
        (Hinge, {"optimizer": "sgd"}, "l-bfgs"),
        (Hinge, {"rate": 0.0}, "rate"),
        (Hinge, {"batch": 0}, "batch"),
    ],
)
def test_options_are_checked(kind, options, says):
    with pytest.raises(OptionError, match=says):
        kind(**options)


def test_names():
    assert demonstration_names()[0] == "fenchel-young"
    assert {demonstration_named(name).name for name in demonstration_names()} == set(demonstration_names())
    with pytest.raises(OptionError, match="fenchel-young"):
        demonstration_named("fenchel")
