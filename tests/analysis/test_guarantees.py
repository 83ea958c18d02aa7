"""The bounds: constants against quadrature, closed forms against values worked out by hand, and how they move."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from colayer import BaseProblem
from colayer.analysis.guarantees import (
    COVERING_CONSTANT,
    FORMS,
    LIPSCHITZ,
    PAPER_CONSTANT,
    deviation,
    excess_risk,
    feature_norms,
    guarantees,
    loss_range,
    probes,
    ratio_bound,
    sigma_n,
    sigma_theory,
)
from colayer.errors import InputError, OptionError
from colayer.layers.layer import log_pairs
from colayer.problem.approximation import Approximation
from colayer.problem.bind import bind
from support.errors import rejects

POSITIVE = st.floats(0.01, 100.0)


class Pick(BaseProblem):
    """Pick the row of least cost; an instance is the list of costs. The layer at cost + p is off by 2·‖p‖_∞ at most."""

    name = "pick"
    feature_names = ("cost", "twice")
    homogeneous = True

    def __init__(self, safe: tuple[float, float] | None = (1.0, 0.0), proof: Approximation | None = None) -> None:
        self.safe_weights = None if safe is None else np.array(safe)
        self.proof = proof

    def features(self, instance: Any) -> Any:
        return np.array([[v, 2.0 * v] for v in instance])

    def layer(self, theta: Any, instance: Any) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: Any) -> float:
        return float(instance[solution])

    def scale(self, instance: Any) -> float:
        return float(len(instance))

    def bound(self, instance: Any) -> float:
        return min(instance) - 1.0

    def approximation(self, instance: Any) -> Approximation | None:
        return self.proof


def test_constants_are_their_integrals() -> None:
    """C of the paper's theorem 1, and the same with a covering number that can be proved."""
    assert pytest.approx(48.0 * quad(lambda x: math.sqrt(-math.log(x)), 0.0, 1.0)[0], rel=1e-7) == PAPER_CONSTANT
    assert pytest.approx(48.0 * quad(lambda x: math.sqrt(math.log(3.0 / x)), 0, 1)[0], rel=1e-7) == COVERING_CONSTANT
    assert round(PAPER_CONSTANT, 2) == 42.54
    assert round(COVERING_CONSTANT, 2) == 67.96


def test_lipschitz_constant_is_the_mean_of_the_positive_part() -> None:
    """E[max(Z, 0)] for a standard Gaussian Z."""
    mean = quad(lambda z: z * math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi), 0.0, 40.0)[0]
    assert pytest.approx(mean, rel=1e-9) == LIPSCHITZ


def test_covering_numbers_on_the_line() -> None:
    """[−1, 1] takes ⌈1/r⌉ intervals of radius r: more than the printed M/r, no more than 3M/r."""
    needed = {r: math.ceil(1.0 / r) for r in (0.95, 0.7, 0.4, 0.3, 0.07)}
    assert all(count > 1.0 / r for r, count in needed.items())
    assert all(count <= 3.0 / r for r, count in needed.items())


def test_excess_risk_by_hand() -> None:
    """n = 100, d = 4, M = 1, σ = 2, δ = 0.05: the sampling term is √(2 log 40 / 100) = 0.271620."""
    risk = {form: excess_risk(100, 4, 1.0, 2.0, form=form) for form in FORMS}
    assert risk["paper"] == pytest.approx(42.5388924 * 4 / 20 + 0.2716203, rel=1e-6)
    assert risk["corrected"] == pytest.approx(67.9552744 * 4 / 20 + 0.2716203, rel=1e-6)
    assert risk["sharper"] == pytest.approx(67.9552744 / 2.5066283 * 2 / 20 + 0.2716203, rel=1e-6)


def test_ratio_bound_and_sigma_by_hand() -> None:
    """n = 10000, d = 9, M = 2, a = 1/2, b = 1, κ = 3, E[d(x)^{1/β}/u(x)] = 4: B = 36."""
    setting = {"b": 1.0, "kappa": 3.0, "growth": 4.0, "form": "paper"}
    assert sigma_n(10_000, 9, 2.0, **setting) == pytest.approx(math.sqrt(42.5388924 * 2 * 9 / 100 / 36))
    bound = ratio_bound(10_000, 9, 2.0, 0.25, a=0.5, delta=0.1, **setting)
    assert bound == pytest.approx(4 * 42.5388924 * 0.18 + math.sqrt(2 * math.log(20) / 1e4) + 0.5 + 9.0)


def test_sharper_is_the_corrected_one_without_a_root_of_d() -> None:
    """By the factor √(2πd), whatever the other numbers are; it beats the printed one from d = 1 on."""
    for d in (1, 23, 66):
        corrected, sharper = (
            excess_risk(50, d, 3.0, 0.7, form=form) - deviation(50, 0.05) for form in ("corrected", "sharper")
        )
        assert corrected / sharper == pytest.approx(math.sqrt(2 * math.pi * d))
        assert sharper < excess_risk(50, d, 3.0, 0.7, form="paper")


@given(POSITIVE, POSITIVE, POSITIVE, POSITIVE, st.integers(1, 500), st.integers(1, 80), st.sampled_from(sorted(FORMS)))
def test_sigma_n_is_the_minimum(
    radius: float, b: float, kappa: float, growth: float, n: int, d: int, form: str
) -> None:
    setting: dict[str, Any] = {"b": b, "kappa": kappa, "growth": growth, "form": form}
    best = sigma_n(n, d, radius, **setting)
    least = ratio_bound(n, d, radius, best, a=0.5, **setting)
    for factor in (0.5, 0.99, 1.01, 2.0):
        assert ratio_bound(n, d, radius, factor * best, a=0.5, **setting) >= least


@given(POSITIVE, POSITIVE, st.integers(1, 500), st.integers(1, 80), st.sampled_from(sorted(FORMS)))
def test_how_excess_risk_moves(radius: float, sigma: float, n: int, d: int, form: str) -> None:
    """Down with n and σ, up with d, M, the confidence; in proportion to the range of the loss."""
    risk = excess_risk(n, d, radius, sigma, form=form)
    assert excess_risk(n + 1, d, radius, sigma, form=form) < risk
    assert excess_risk(n, d, radius, 1.1 * sigma, form=form) < risk
    assert excess_risk(n, d + 1, radius, sigma, form=form) > risk
    assert excess_risk(n, d, 1.1 * radius, sigma, form=form) > risk
    assert excess_risk(n, d, radius, sigma, delta=0.01, form=form) > risk
    assert excess_risk(n, d, radius, sigma, loss_range=7.0, form=form) == pytest.approx(7.0 * risk)
    assert excess_risk(4 * n, d, radius, sigma, form=form) == pytest.approx(risk / 2)


def test_loss_range_is_that_of_one_instance() -> None:
    """How far apart the losses of two instances are does not matter: m(x) can be taken off both sides."""
    assert loss_range(np.array([[0.0, 100.0], [1.0, 103.0], [0.5, 101.0]])) == 3.0


def test_probes_fill_the_ball_and_repeat() -> None:
    found = probes(5, 2.0, seed=3)
    assert np.abs(found).max() <= 2.0
    assert np.abs(found).max() > 1.8
    assert np.array_equal(found, probes(5, 2.0, seed=3))
    assert not np.array_equal(found, probes(5, 2.0, seed=4))


def test_feature_norms_are_in_model_units() -> None:
    """(3, 6) over the scale (1, 1.5) has norm 5."""
    assert feature_norms(bind(Pick()), [3.0, 0.0], np.array([1.0, 1.5])).tolist() == [5.0, 0.0]


@pytest.mark.parametrize(("beta", "exact"), [(1.0, True), (2.0, False), (math.inf, False)])
def test_perturbation_term_against_draws(beta: float, exact: bool) -> None:
    """E‖p‖_β of p_i = ⟨Z, φ_i⟩: equal to the mean over draws for β = 1, an upper bound else, below κ√d·n^{1/β}."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    problem = Pick(proof=Approximation(0.0, 1.0, beta))
    found = guarantees(bind(problem), [x], np.ones(2), 1.0, 1.0, np.array([[0.0], [1.0]]))
    p = problem.features(x) @ rng.normal(size=(2, 200_000))
    mean = float(np.linalg.norm(p, ord=beta, axis=0).mean()) / 40
    assert found.sharp_perturbation is not None
    assert found.perturbation is not None
    if exact:
        assert found.sharp_perturbation == pytest.approx(mean, rel=0.01)
    assert mean < 1.01 * found.sharp_perturbation
    assert found.sharp_perturbation <= found.perturbation


def test_guarantees_by_hand() -> None:
    """Two instances; κ = √5·4, E[d/u] = 1; w̃ = (1, 0) fills the ball of radius 2 twice, which halves b."""
    problem = Pick(proof=Approximation(0.5, 2.0, 1.0))
    instances = [[3.0, 4.0], [1.0, 2.0, 4.0, 1.0]]
    losses = np.array([[1.5, 0.25], [2.0, 1.0]])
    found = guarantees(bind(problem), instances, np.ones(2), 0.5, 2.0, losses)
    assert (found.instances, found.dimension, found.loss_range) == (2, 2, 0.75)
    assert found.kappa == pytest.approx(4 * math.sqrt(5))
    assert found.growth == pytest.approx(1.0)
    assert found.perturbation == pytest.approx(4 * math.sqrt(5) * math.sqrt(2) * (2.0 / 2))
    sums = [7 * math.sqrt(5) / 2, 8 * math.sqrt(5) / 4]
    assert found.sharp_perturbation == pytest.approx(math.sqrt(2 / math.pi) * (2.0 / 2) * np.mean(sums))
    # bounds 2 and 0, so |c*|/u is at most 3/2 and 1/4
    assert found.approximation == pytest.approx(0.5 * (1.5 + 0.25) / 2)
    assert found.measured == pytest.approx(((3 - 2) / 2 + (1 - 0) / 4) / 2)
    paper, corrected, sharper = found.bounds
    assert paper.excess == pytest.approx(excess_risk(2, 2, 2.0, 0.5, loss_range=0.75, form="paper"))
    for bound in (corrected, sharper):  # an L∞ ball lies in a Euclidean one that is √d times as large
        expected = excess_risk(2, 2, 2.0 * math.sqrt(2), 0.5, loss_range=0.75, form=bound.form)
        assert bound.excess == pytest.approx(expected)
    assert paper.ratio == pytest.approx(
        ratio_bound(
            2, 2, 2.0, 0.5, a=found.approximation, b=1.0, kappa=found.kappa, growth=1.0, loss_range=0.75, form="paper"
        )
    )
    assert paper.sigma_n == pytest.approx(
        sigma_n(2, 2, 2.0, b=1.0, kappa=found.kappa, growth=1.0, loss_range=0.75, form="paper")
    )
    assert sharper.sigma_n == pytest.approx(sigma_theory(bind(problem), instances, np.ones(2), 2.0, 0.75))
    for bound in found.bounds:
        again = guarantees(bind(problem), instances, np.ones(2), bound.sigma_n or 0.0, 2.0, losses)
        same = next(b for b in again.bounds if b.form == bound.form)
        assert same.ratio == pytest.approx(bound.ratio_n)


class Compared(Pick):
    """The same, and says that it compares pairs of rows."""

    def log_comparisons(self, instance: Any) -> float:
        return log_pairs(math.log(len(instance)))


@pytest.mark.parametrize(("sigma", "draws"), [(0.0, 1), (0.5, 20)])
def test_answers_are_counted_first(sigma: float, draws: int) -> None:
    """3 + 6 comparisons in R², under every draw; with σ = 0 and a proof, the gap needs no ball and no perturbation."""
    problem = bind(Compared(proof=Approximation(0.5, 2.0, 1.0)))
    instances, losses = [[3.0, 4.0, 5.0], [1.0, 2.0, 4.0, 1.0]], np.array([[1.5, 0.25], [2.0, 1.0]])
    found = guarantees(problem, instances, np.ones(2), sigma, 2.0, losses, draws=draws, reach=3.0)
    count = 9 * draws
    outcomes = 1 + count + count * (count - 1) / 2
    cells, sharper = found.bounds[0], found.bounds[-1]
    assert found.rows()[0][0] == cells.form == "cells"
    assert found.log_comparisons == pytest.approx(math.log(count))
    assert cells.excess == pytest.approx(2 * 0.75 * math.sqrt(2 * math.log(outcomes) / 2) + deviation(2, 0.05, 0.75))
    assert found.approximation is not None
    assert found.sharp_perturbation is not None
    assert cells.ratio == pytest.approx(cells.excess + found.approximation + sigma * found.sharp_perturbation)
    of_scale = Compared(proof=Approximation.of_objective(0.25, 1.0))
    assert guarantees(bind(of_scale), instances, np.ones(2), sigma, 2.0, losses).approximation == 0.5
    assert (found.reach, sharper.excess is None) == (3.0, sigma == 0)
    assert guarantees(problem, instances, np.ones(2), sigma, 2.0, losses, draws=None).bounds[0].form == "paper"


def test_radius_is_a_free_direction() -> None:
    """The layer does not see a positive factor: σ_n grows with the ball, the bound at σ_n stays."""
    problem, losses = Pick(proof=Approximation(0.5, 1.0, 2.0)), np.array([[1.0], [2.0]])
    small, large = (guarantees(bind(problem), [[1.0, 3.0]], np.ones(2), 0.1, r, losses).bounds for r in (1.0, 8.0))
    for one, other in zip(small, large, strict=True):
        assert one.sigma_n is not None
        assert other.sigma_n == pytest.approx(8.0 * one.sigma_n)
        assert other.ratio_n == pytest.approx(one.ratio_n)


@pytest.mark.parametrize(
    "problem", [Pick(), Pick(safe=None, proof=Approximation(0.0, 1.0))], ids=["nothing proved", "no safe weights"]
)
def test_without_a_ratio_the_excess_risk_remains(problem: Pick) -> None:
    found = guarantees(bind(problem), [[1.0, 3.0]], np.ones(2), 0.1, 1.0, np.array([[1.0], [2.0]]))
    for bound in found.bounds:
        assert bound.excess is not None
        assert bound.ratio is bound.sigma_n is bound.ratio_n is None
    assert found.growth is found.perturbation is None
    assert found.measured == 1.0 - 0.0
    with rejects(OptionError, where="--sigma"):
        sigma_theory(bind(problem), [[1.0, 3.0]], np.ones(2), 1.0)


def test_safe_weights_must_lie_in_the_ball_of_a_layer_that_is_not_homogeneous() -> None:
    """Theorem 2 compares with w̃, so w̃ has to be one of the weights that are searched."""
    problem, losses = Pick(proof=Approximation(0.0, 1.0)), np.array([[1.0], [2.0]])
    problem.homogeneous = False
    inside, outside = (guarantees(bind(problem), [[1.0, 3.0]], np.ones(2), 0.1, r, losses) for r in (1.0, 0.9))
    assert inside.bounds[2].ratio is not None
    assert outside.bounds[2].ratio is None


def test_without_perturbation_nothing_is_bounded() -> None:
    """σ = 0: the loss is not smooth; σ_n and what it would give are still told."""
    problem = Pick(proof=Approximation(0.0, 1.0))
    found = guarantees(bind(problem), [[1.0, 3.0]], np.ones(2), 0.0, 1.0, np.array([[1.0], [2.0]]))
    assert all(b.excess is None and b.ratio is None and b.ratio_n is not None for b in found.bounds)


def test_document_and_rows_agree() -> None:
    problem = Pick(proof=Approximation(0.0, 1.0))
    found = guarantees(bind(problem), [[1.0, 3.0]], np.ones(2), 0.3, 1.0, np.array([[1.0], [2.0]]))
    document, rows = found.document(), found.rows()
    assert [row[0] for row in rows] == [*FORMS, "measured"]
    assert all(len(row) == len(found.HEADERS) for row in rows)
    for entry, row in zip(document["bounds"], rows, strict=False):
        assert tuple(entry.values()) == row
    assert rows[-1][2] == document["measured"] == 1.0
    assert "HEADERS" not in document


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: excess_risk(10, 2, 1.0, 0.0), ("sigma",)),
        (lambda: excess_risk(0, 2, 1.0, 1.0), ("n",)),
        (lambda: excess_risk(10, 2, -1.0, 1.0), ("radius",)),
        (lambda: excess_risk(10, 2, 1.0, 1.0, form="best"), ("form",)),
        (lambda: deviation(10, 1.0), ("delta",)),
        (lambda: sigma_n(10, 2, 1.0, b=0.0, kappa=1.0, growth=1.0), ("b",)),
        (lambda: guarantees(bind(Pick()), [[1.0]], np.ones(2), 0.1, 1.0, np.ones((1, 1))), ("losses",)),
        (lambda: guarantees(bind(Pick()), [[1.0]], np.ones(2), 0.1, 1.0, np.ones((2, 2))), ("losses",)),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any, names: tuple[str, ...]) -> None:
    with rejects((InputError, OptionError), *names):
        call()
