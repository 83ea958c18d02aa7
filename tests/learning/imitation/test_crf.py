"""Maximum likelihood of the targets."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from colayer.errors import InputError
from colayer.learning.imitation.crf import Crf
from colayer.learning.imitation.example import Example
from colayer.problem.bind import bind
from support.choosing import differences, example
from support.errors import rejects
from support.pick_problem import Embedded


def test_on_a_problem_it_has_the_gradient_of_its_value():
    """Through the problem's likelihood."""
    shown = example()
    theta = np.random.default_rng(9).normal(size=6)
    value, gradient = Crf().loss(theta, shown)
    assert Crf().loss(theta, shown)[0] == value
    assert_allclose(gradient, differences(lambda t: Crf().loss(t, shown)[0], theta), atol=1e-6)


class Likely(Embedded):
    """P(y) ∝ e^{−θ_y}: −log P(target) and its gradient, or one of the wrong length."""

    def __init__(self, entries=3):
        self.entries = entries

    def likelihood(self, theta, target, instance):
        weights = np.exp(-theta)
        shares = weights / weights.sum()
        return float(theta @ target + np.log(weights.sum())), (target - shares)[: self.entries]


def test_is_the_likelihood_of_the_problem():
    """At θ = 0 three items are equally likely: log 3, and the gradient ȳ − 1/3."""
    shown = Example(bind(Likely()), np.zeros((3, 2)), np.eye(3)[1], None, np.random.SeedSequence(0))
    value, gradient = Crf().loss(np.zeros(3), shown)
    assert value == pytest.approx(np.log(3.0))
    assert gradient == pytest.approx([-1 / 3, 2 / 3, -1 / 3])


def test_what_is_missing_or_wrong_is_named():
    target = np.eye(3)[1]
    without = Example(bind(Embedded()), np.zeros((3, 2)), target, None, np.random.SeedSequence(0))
    with rejects(InputError, "pick", "likelihood"):
        Crf().loss(np.zeros(3), without)
    short = Example(bind(Likely(2)), np.zeros((3, 2)), target, None, np.random.SeedSequence(0))
    with rejects(InputError, "likelihood", "pick"):
        Crf().loss(np.zeros(3), short)


def test_is_smooth_hence_l_bfgs():
    assert (Crf().optimizer, Crf(optimizer="adam").optimizer) == ("l-bfgs", "adam")
