"""Answers counted one by one on tiny samples are at most as many as the bound says, ties included."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from colayer._runtime.arrays import Floats
from colayer.analysis.cells import counted_error, log_comparisons, log_outcomes
from colayer.analysis.guarantees import excess_risk
from colayer.layers.layer import log_pairs
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.problems.vehicle_scheduling.layer import embed


def compared(problem: Any, theta: Floats, instance: Any) -> list[float]:
    """What the layer compares, in the order in which ties go: the entries of θ, or the values of all path covers."""
    if isinstance(problem, VehicleScheduling):
        return [float(theta @ embed(np.array(cover), instance)) for cover in covers(instance)]
    if isinstance(problem, SpanningTree):  # by edge, then by stage
        return [float(value) for value in theta.reshape(2, -1).T.ravel()]
    return [float(value) for value in theta]


def covers(instance: Any) -> list[tuple[int, ...]]:
    """All path covers."""
    indptr, heads = instance.arcs
    choices = [[-1, *heads[indptr[u] : indptr[u + 1]].tolist()] for u in range(instance.tasks)]
    found = itertools.product(*choices)
    return [cover for cover in found if len({v for v in cover if v >= 0}) == sum(v >= 0 for v in cover)]


def faces(differences: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """A whole vector on every face, ties included, of the arrangement of lines {⟨a, w⟩ = 0} in the plane."""
    rays = set()
    for a in differences - {(0, 0)}:
        divisor = math.gcd(*a)
        rays |= {(a[1] // divisor, -a[0] // divisor), (-a[1] // divisor, a[0] // divisor)}
    around = sorted(rays, key=lambda ray: math.atan2(ray[1], ray[0])) or [(1, 0)]
    between = [(u[0] + v[0], u[1] + v[1]) for u, v in itertools.pairwise([*around, around[0]])]
    turned = [(-u[1], u[0]) if m == (0, 0) else m for u, m in zip(around, between, strict=True)]
    return [(0, 0), *around, *turned]


@pytest.mark.parametrize(
    ("problem", "sizes"),
    [
        (SingleMachine("27"), {"jobs": 4, "rho": 1.0}),
        (SpanningTree("cost"), {"width": 2, "scenarios": 2}),
        (VehicleScheduling("23"), {"tasks": 4, "scenarios": 2}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_comparisons_decide_the_answers_and_there_are_no_more_than_counted(problem: Any, sizes: dict[str, Any]) -> None:
    """All faces of the plane for small whole features, where most comparisons tie somewhere, and some everywhere."""
    bound, rng, most = bind(problem), np.random.default_rng(0), 0
    for trial in range(8):
        instances = [problem.generate(2 * trial + i, **sizes) for i in range(2)]
        features = [rng.integers(-2, 3, (len(bound.features(x)), 2)).astype(float) for x in instances]
        values = [
            np.array([compared(problem, column, x) for column in phi.T])
            for phi, x in zip(features, instances, strict=True)
        ]
        apart = {(int(a[0] - b[0]), int(a[1] - b[1])) for each in values for a, b in itertools.combinations(each.T, 2)}
        answers: dict[tuple[bool, ...], tuple[bytes, ...]] = {}
        for w in faces(apart):
            outcome: list[bool] = []
            for each in values:
                at = np.array(w) @ each
                outcome += [x > y for x, y in itertools.combinations(at, 2)]
                if isinstance(problem, VehicleScheduling):  # no fixed order of ties: which are equal counts too
                    outcome += [x < y for x, y in itertools.combinations(at, 2)]
            answer = tuple(
                np.asarray(bound.layer(phi @ np.array(w, float), x)).tobytes()
                for phi, x in zip(features, instances, strict=True)
            )
            assert answers.setdefault(tuple(outcome), answer) == answer
        found = len(set(answers.values()))
        log_count = log_comparisons(bound, instances)
        assert log_count is not None
        assert found <= math.exp(log_outcomes(log_count, 2))
        most = max(most, found)
    assert most > 5


def test_on_the_line_the_bound_is_attained() -> None:
    """Two rows, φ = 1 and 0: the sign of w + z_k for each of K draws, that is K thresholds and K + 1 outcomes."""
    draws = np.array([-0.7, 0.1, 0.4, 2.0])
    outcomes = {tuple(w + draws > 0) for w in np.linspace(-5, 5, 1001)}
    assert len(outcomes) == 5 == round(math.exp(log_outcomes(log_pairs(math.log(2)) + math.log(4), 1)))


@pytest.mark.parametrize(("count", "d"), [(1, 1), (3, 5), (10, 2), (40, 7)])
def test_outcomes_are_a_sum_of_binomials(count: int, d: int) -> None:
    assert math.exp(log_outcomes(math.log(count), d)) == pytest.approx(sum(math.comb(count, k) for k in range(d + 1)))


def test_outcomes_of_very_many_comparisons() -> None:
    """Also where H itself overflows; never above d·log(e·H/d)."""
    for log_count in (20.0, 690.0, 5000.0):
        assert log_outcomes(log_count, 23) <= 23 * (1 + log_count - math.log(23))
        assert log_outcomes(log_count, 23) == pytest.approx(23 * (1 + log_count - math.log(23)), rel=0.02)
    assert log_outcomes(-math.inf, 5) == 0.0


def test_pairs() -> None:
    assert [round(math.exp(log_pairs(math.log(n)))) for n in (2, 5, 50)] == [1, 10, 1225]
    assert log_pairs(0.0) == -math.inf


#: The paper's training sets: (n, number of jobs of each size), and 4·R_n as docs/guarantees.md has it.
SIZES = [(100, {50: 100}, 6.69), (600, {50: 300, 200: 300}, 3.31), (2400, None, 1.99)]
PAPER_JOBS = (50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000)


@pytest.mark.parametrize(("n", "jobs", "expected"), SIZES)
def test_it_is_far_below_the_perturbed_bound(n: int, jobs: dict[int, int] | None, expected: float) -> None:
    """66 features, in units of R; the perturbed bound at σ = M."""
    counts = jobs or dict.fromkeys(PAPER_JOBS, n // len(PAPER_JOBS))
    pairs = math.log(sum(count * math.comb(size, 2) for size, count in counts.items()))
    found = counted_error(n, 66, pairs)
    assert found == pytest.approx(expected, abs=0.005)
    perturbed = excess_risk(n, 66, math.sqrt(66), 1.0) - math.sqrt(2 * math.log(40) / n)
    assert 13 < perturbed / found < 30
    # without the centring, and without ties: what a first derivation gives
    rough = 4 * math.sqrt(2 * (math.log(2) + 65 * math.log(math.e * math.exp(pairs) / 65)) / n)
    assert found < rough < 2.02 * found
