"""The sorting layer against numpy's stable sort, and its optimality against enumeration."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from colayer.errors import InputError
from colayer.layers.sorting import augmented, embed, likelihood, sort
from support.errors import rejects

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


def spread(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """θ of each shape that takes another path through the kernel."""
    if kind == "uniform":
        return rng.random(n)
    if kind == "ties":
        return rng.integers(0, 5, n).astype(float)
    if kind == "heavy tails":  # most values crowd in one bucket: merge sort
        return rng.standard_cauchy(n) ** 3
    if kind == "outlier":
        return np.concatenate([[1e18], np.sort(rng.random(n - 1))[::-1]])
    if kind == "subnormal":
        return rng.normal(size=n) * 1e-320
    return rng.choice([-1.7e308, 1.7e308, 0.0], n)  # the width overflows


@pytest.mark.parametrize("kind", ["uniform", "ties", "heavy tails", "outlier", "subnormal", "overflow"])
def test_equals_the_stable_sort(kind: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        theta = spread(kind, int(rng.integers(2, 500)), rng)
        assert sort(theta).tolist() == np.argsort(theta, kind="stable").tolist()


@given(arrays(np.float64, st.integers(1, 60), elements=FINITE))
def test_equals_the_stable_sort_on_any_floats(theta: np.ndarray) -> None:
    assert sort(theta).tolist() == np.argsort(theta, kind="stable").tolist()


def test_is_optimal_for_the_linear_objective() -> None:
    """g(y, θ) = ⟨θ, embed(y)⟩ is least at the sorted order, by enumeration, for either sign of θ."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        theta = rng.normal(size=5)
        values = [theta @ embed(np.array(y)) for y in permutations(range(5))]
        assert theta @ embed(sort(theta)) == pytest.approx(min(values))


def test_leaves_its_input_alone_and_takes_lists() -> None:
    theta = np.array([2.0, 1.0])
    assert sort(theta).tolist() == [1, 0]
    assert theta.tolist() == [2.0, 1.0]
    assert sort([3, 1, 2]).tolist() == [1, 2, 0]
    assert sort([]).tolist() == []


@pytest.mark.parametrize(("theta", "where"), [([1.0, np.nan], "theta[1]"), ([np.inf], "theta[0]"), ([[1.0]], "theta")])
def test_refuses_what_has_no_order(theta: list, where: str) -> None:
    with rejects(InputError, where=where):
        sort(theta)


def test_augmented_takes_half_the_squared_distance_off() -> None:
    """⟨θ, y⟩ − ½‖y − ȳ‖² = ⟨θ′, y⟩ − a for every y, by enumeration; fractional ȳ included."""
    rng = np.random.default_rng(3)
    theta, target = rng.normal(size=4), embed(np.array([2, 0, 1, 3])) / 2 + embed(np.array([0, 1, 2, 3])) / 2
    moved, constant = augmented(theta, target)
    for order in permutations(range(4)):
        y = embed(np.array(order))
        assert theta @ y - 0.5 * ((y - target) ** 2).sum() == pytest.approx(moved @ y - constant)


def test_likelihood_is_that_of_drawing_one_after_the_other() -> None:
    """Probabilities of all orders sum to 1, and the likeliest is the sorted one."""
    theta = np.array([0.4, -1.0, 0.1])
    chances = {y: np.exp(-likelihood(theta, embed(np.array(y)))[0]) for y in permutations(range(3))}
    assert sum(chances.values()) == pytest.approx(1.0)
    assert max(chances, key=lambda y: chances[y]) == tuple(sort(theta))


def test_a_problem_that_sorts_learns_from_examples() -> None:
    """`hinge` and `crf` on a problem of one's own, with the two functions of this module."""
    from colayer import BaseProblem, Pipeline

    class Ranked(BaseProblem):
        name = "ranked"
        feature_names = ("noise", "signal")

        def features(self, instance):
            return instance

        def layer(self, theta, instance):
            return sort(theta)

        def cost(self, solution, instance):
            return float(instance[solution, 1] @ np.arange(len(solution), 0, -1))

        def embed(self, y, instance):
            return embed(y)

        def target(self, solution, instance):
            return embed(solution)

        def augmented(self, theta, target, instance):
            return augmented(theta, target)

        def likelihood(self, theta, target, instance):
            return likelihood(theta, target)

        def content(self, instance):
            return instance.tobytes()

    instances = [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(8)]
    solutions = [sort(x[:, 1]) for x in instances]
    for method in ("hinge", "crf"):
        pipeline = Pipeline(Ranked(), weights=[1.0, 0.0], safe=False)
        pipeline.fit(instances, solutions=solutions, method=method, evaluations=20)
        noise, signal = pipeline.weights_
        assert signal > abs(noise)
