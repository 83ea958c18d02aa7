"""What is guaranteed for learned weights: excess risk, distance to the optimum, and the σ that balances them.

With probability 1 − δ over n independent training instances, for the exact minimiser ŵ of the loss as it is learned,

    L(ŵ) − min L ≤ 2R·√(2 log N/n) + R·√(2 log(2/δ)/n),           N outcomes of the layer's comparisons (`cells`)

and for that of the perturbed loss, with an expectation over the perturbation,

    L(ŵ) − min L ≤ A/σ + R·√(2 log(2/δ)/n),                       A = K·R·M·d^q/√n
    L(ŵ) − E[c*/u] ≤ the same + E[a·|c*|/u] + B·σ,                 σ_n = √(A/B)

(paper, theorems 1 and 2). The constant K and the power q come in three forms: as the paper prints them, with a
covering number that can be proved, and with the sharper Lipschitz constant 1/(σ√(2π)) of a smoothed function, which
takes the extra √d away. Each is derived in paper/docs/proofs.md. Expectations are means over the instances given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.analysis.cells import counted_error, log_comparisons
from colayer.errors import InputError, OptionError
from colayer.problem.approximation import Approximation
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

#: C = 48 ∫₀¹ √(−log x) dx = 24√π, as the paper prints it.
PAPER_CONSTANT = 24.0 * math.sqrt(math.pi)
#: 48 ∫₀¹ √(log(3/x)) dx: the same with (3M/r)^d for the covering number of a ball; by x = 3·exp(−t²).
COVERING_CONSTANT = 48.0 * (math.sqrt(math.log(3.0)) + 1.5 * math.sqrt(math.pi) * math.erfc(math.sqrt(math.log(3.0))))
#: The Lipschitz constant, times σ, of the Gaussian smoothing of a function with values in [0, 1].
LIPSCHITZ = 1.0 / math.sqrt(2.0 * math.pi)
#: The form that counts the layer's answers.
CELLS = "cells"
#: form → (K, q): A = K·R·M·d^q/√n.
FORMS = {
    "paper": (PAPER_CONSTANT, 1.0),
    "corrected": (COVERING_CONSTANT, 1.0),
    "sharper": (COVERING_CONSTANT * LIPSCHITZ, 0.5),
}


def excess_risk(
    n: int, d: int, radius: float, sigma: float, *, delta: float = 0.05, loss_range: float = 1.0, form: str = "sharper"
) -> float:
    """Return the bound on L(ŵ) − min L for n instances and d weights in the Euclidean ball of `radius` (theorem 1)."""
    _positive(sigma=sigma)
    return _training(n, d, radius, loss_range, form) / sigma + deviation(n, delta, loss_range)


def ratio_bound(
    n: int, d: int, radius: float, sigma: float, *, a: float, b: float, kappa: float, growth: float,
    delta: float = 0.05, loss_range: float = 1.0, form: str = "sharper",
) -> float:  # fmt: skip
    """Return the bound on L(ŵ) − E[c*/u] (theorem 2); κ_φ ≥ ‖φ(i, x)‖₂ for all rows, `growth` = E[d(x)^{1/β}/u(x)]."""
    risk = excess_risk(n, d, radius, sigma, delta=delta, loss_range=loss_range, form=form)
    return risk + a + b * sigma * kappa * math.sqrt(d) * growth


def sigma_n(
    n: int, d: int, radius: float, *, b: float, kappa: float, growth: float, loss_range: float = 1.0,
    form: str = "sharper",
) -> float:  # fmt: skip
    """Return the σ at which `ratio_bound` is least."""
    _positive(b=b, kappa=kappa, growth=growth)
    return math.sqrt(_training(n, d, radius, loss_range, form) / (b * kappa * math.sqrt(d) * growth))


def deviation(n: int, delta: float, loss_range: float = 1.0) -> float:
    """Return R·√(2 log(2/δ)/n): the error of sampling the instances, with probability 1 − δ."""
    if not 0 < delta < 1:
        raise OptionError(f"{delta} is out of range, expected a probability between 0 and 1", where="delta")
    _positive(n=n)
    return loss_range * math.sqrt(2.0 * math.log(2.0 / delta) / n)


def _training(n: int, d: int, radius: float, loss_range: float, form: str) -> float:
    """Return A, the training set error at σ = 1."""
    if form not in FORMS:
        raise OptionError(f"no form {form!r}, expected one of {', '.join(FORMS)}", where="form")
    _positive(n=n, d=d, radius=radius)
    constant, power = FORMS[form]
    return constant * loss_range * radius * math.pow(d, power) / math.sqrt(n)


@dataclass(frozen=True)
class Bound:
    """One form of the bounds: at the σ of the training run, and at the σ that makes the second one least."""

    form: str
    excess: float | None
    ratio: float | None
    sigma_n: float | None
    ratio_n: float | None


@dataclass(frozen=True)
class Guarantees:
    """The bounds and what they were computed from; None if no ratio is proved, or, of the perturbed ones, σ is 0.

    `loss_range` is the largest range seen of the loss of one instance; `kappa` is κ_φ in model units; `growth` is
    E[d(x)^{1/β}/u(x)]; `approximation` is (an upper bound on) E[a·|c*|/u]; `perturbation` is the B of the paper and
    `sharp_perturbation` the smaller one, both for the multiple of the safe weights that fills the ball; `measured` is
    the mean of (cost − bound)/u under the learned weights. `log_comparisons` is log H of the form `cells`, None where
    the layer does not compare; `reach` is the largest learned weight: above `radius` only `cells` speaks of it.
    """

    instances: int
    dimension: int
    radius: float
    sigma: float
    delta: float
    loss_range: float
    kappa: float
    growth: float | None
    approximation: float | None
    perturbation: float | None
    sharp_perturbation: float | None
    measured: float | None
    log_comparisons: float | None
    reach: float
    bounds: tuple[Bound, ...]

    #: The columns of `rows`.
    HEADERS = ("form", "excess risk", "gap at σ", "σ_n", "gap at σ_n")

    def document(self) -> dict[str, Any]:
        """Return the JSON object."""
        return asdict(self)

    def rows(self) -> list[tuple[str, float | None, float | None, float | None, float | None]]:
        """Return a line for each form, with the measured gap below those it can be compared with."""
        lines = [(b.form, b.excess, b.ratio, b.sigma_n, b.ratio_n) for b in self.bounds]
        return [*lines, ("measured", None, self.measured, None, None)]


def guarantees(
    problem: BoundProblem[X, Y, Z],
    instances: Sequence[X],
    feature_scale: Floats,
    sigma: float,
    radius: float,
    losses: Floats,
    delta: float = 0.05,
    *,
    draws: int | None = 1,
    reach: float = 0.0,
) -> Guarantees:
    """Return the bounds for weights in the L∞ ball of `radius`, in model units, learned from `instances` with `sigma`.

    `losses` (k, m) are the losses of the m instances under k weight vectors, the learned ones first; their largest
    range over the weights, of any instance, stands for R. The more vectors (`probes`), the nearer it comes. `draws` are
    those of a perturbed loss; None: answers cannot be counted, as in several rounds.
    """
    values = np.asarray(losses, dtype=np.float64)
    if len(instances) == 0 or values.ndim != 2 or values.shape[1] != len(instances) or len(values) < 2:
        raise InputError(f"losses of shape {values.shape}, expected 2 or more rows of {len(instances)}", where="losses")
    n, d = len(instances), problem.dimension
    spread = loss_range(values)
    study = _study(problem, instances, feature_scale, radius)
    bounded = [problem.lower_bound(instance) for instance in instances]
    floors = None if any(b is None for b in bounded) else np.array(bounded, dtype=np.float64) / study.scales
    ratio = None
    if study.proved is not None and floors is not None:
        # bound ≤ c* ≤ the best cost seen, so |c*| is at most the larger of the two
        largest = np.maximum(np.abs(floors), np.abs(values.min(axis=0)))
        of = np.where([entry.of_scale for entry in study.proved], 1.0, largest)
        ratio = float(np.mean([entry.a for entry in study.proved] * of))
    shift = deviation(n, delta, spread)

    def one(form: str) -> Bound:
        training = _training(n, d, _radius(radius, d, form), spread, form)
        noise = study.sharp if form == "sharper" else study.plain
        excess = training / sigma + shift if sigma > 0 else None
        if ratio is None or noise is None:
            return Bound(form, excess, None, None, None)
        at_sigma = None if excess is None else excess + ratio + noise * sigma
        best = math.sqrt(training / noise)
        return Bound(form, excess, at_sigma, best, shift + ratio + 2.0 * math.sqrt(training * noise))

    bounds = [one(form) for form in FORMS]
    compared = None if draws is None else log_comparisons(problem, instances, draws)
    if compared is not None:
        excess = counted_error(n, d, compared, spread) + shift
        noise = 0.0 if sigma == 0 else None if study.sharp is None else study.sharp * sigma
        gap = None if ratio is None or noise is None else excess + ratio + noise
        bounds.insert(0, Bound(CELLS, excess, gap, None, None))
    measured = None if floors is None else float(np.mean(values[0] - floors))
    return Guarantees(
        n, d, float(radius), float(sigma), float(delta), spread, study.kappa, study.growth, ratio, study.plain,
        study.sharp, measured, compared, float(reach), tuple(bounds),
    )  # fmt: skip


def sigma_theory(
    problem: BoundProblem[X, Y, Z],
    instances: Sequence[X],
    feature_scale: Floats,
    radius: float,
    loss_range: float = 1.0,
) -> float:
    """Return σ_n of the sharper form for weights in the L∞ ball of `radius`, in model units."""
    study = _study(problem, instances, feature_scale, radius)
    if study.sharp is None:
        said = f"no ratio is proved for {problem.name} on these instances, expected a number"
        raise OptionError(said, where="--sigma")
    d = problem.dimension
    training = _training(len(instances), d, _radius(radius, d, "sharper"), loss_range, "sharper")
    return math.sqrt(training / study.sharp)


def loss_range(losses: Floats) -> float:
    """Return R, the largest range, over the weight vectors (rows), of the loss of one instance (column)."""
    return float(np.max(losses.max(axis=0) - losses.min(axis=0)))


def probes(dimension: int, radius: float, seed: int = 0, count: int = 32) -> Floats:
    """Return weight vectors, uniform in the L∞ ball, under which the range of the loss is measured."""
    return seeds.generator(seed, seeds.PROBES).uniform(-radius, radius, (count, dimension))


def feature_norms(problem: BoundProblem[X, Y, Z], instance: X, feature_scale: Floats) -> Floats:
    """Return ‖φ(i, x)‖₂ of every row, in model units."""
    squares = np.zeros(1)
    for column, scale in zip(problem.features(instance).T, feature_scale, strict=True):
        squares = squares + (np.asarray(column, dtype=np.float64) / scale) ** 2
    return np.asarray(np.sqrt(squares))


@dataclass(frozen=True)
class _Study:
    """The constants of a data set: κ_φ, the scales and, if a ratio is proved, its constants and both B."""

    kappa: float
    scales: Floats
    proved: list[Approximation] | None = None
    growth: float | None = None
    plain: float | None = None
    sharp: float | None = None


def _study(problem: BoundProblem[X, Y, Z], instances: Sequence[X], feature_scale: Floats, radius: float) -> _Study:
    norms = [feature_norms(problem, instance, feature_scale) for instance in instances]
    kappa = max(float(lengths.max()) for lengths in norms)
    scales = np.array([problem.scale(instance) for instance in instances])
    ratio_of = problem.approximation
    proved = [entry for x in instances if ratio_of is not None and (entry := ratio_of(x)) is not None]
    multiple = _multiple(problem, feature_scale, radius)
    if len(proved) < len(instances) or multiple is None:
        return _Study(kappa, scales, proved if len(proved) == len(instances) else None)
    rows = np.array([len(lengths) for lengths in norms], dtype=np.float64)
    powers = rows ** np.array([1.0 / entry.beta for entry in proved])
    b, d = np.array([entry.b for entry in proved]) / multiple, problem.dimension
    noise = [_noise(lengths, entry.beta, d) for lengths, entry in zip(norms, proved, strict=True)]
    return _Study(
        kappa, scales, proved,
        growth=float(np.mean(powers / scales)),
        plain=kappa * math.sqrt(d) * float(np.mean(b * powers / scales)),
        sharp=float(np.mean(b * noise / scales)),
    )  # fmt: skip


def _noise(norms: Floats, beta: float, d: int) -> float:
    """Return E‖p‖_β for p_i = ⟨Z, φ_i⟩, Gaussian of deviation ‖φ_i‖: exact for β = 1, else bounded (Jensen, union)."""
    if beta == 1.0:
        return math.sqrt(2.0 / math.pi) * float(norms.sum())
    if beta == 2.0:
        return float(np.sqrt((norms**2).sum()))
    return float(norms.max()) * min(math.sqrt(d), math.sqrt(2.0 * math.log(2.0 * len(norms))))


def _multiple(problem: BoundProblem[X, Y, Z], feature_scale: Floats, radius: float) -> float | None:
    """Return λ such that λ·w̃ lies in the ball, as theorem 2 needs; None where there is none.

    A homogeneous layer at λ·w̃ with perturbation p does what it does at w̃ with p/λ, so b becomes b/λ.
    """
    if problem.safe_weights is None:
        return None
    largest = float(np.max(np.abs(problem.safe_weights * feature_scale)))
    if problem.homogeneous and largest > 0:
        return radius / largest
    return 1.0 if largest <= radius else None


def _radius(radius: float, d: int, form: str) -> float:
    """Return the Euclidean radius of the L∞ ball; the paper's theorem is printed with M itself."""
    return radius if form == "paper" else radius * math.sqrt(d)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise OptionError(f"{value} is out of range, expected a number > 0", where=name)
