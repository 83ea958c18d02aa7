"""Kernels side by side with what they replace: `make bench`. Each group prints its times relative to the fastest."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.layers.sorting import sort
from colayer.problems import SingleMachine
from colayer.problems.single_machine.kernels.descent import descend, descend_plain

PROBLEM = SingleMachine()
INSTANCE = PROBLEM.generate(seed=0, jobs=3000, rho=0.6)
THETAS = [np.random.default_rng(seed).random(3000) for seed in range(64)]


def through(function):  # type: ignore[no-untyped-def]
    """Over many θ: one alone would teach the branch predictor its order."""
    return lambda: [function(theta) for theta in THETAS]


@pytest.mark.benchmark(group="sort 64 x 3000")
def test_sort(benchmark) -> None:  # type: ignore[no-untyped-def]
    benchmark(through(sort))


@pytest.mark.benchmark(group="sort 64 x 3000")
def test_numpy_stable_argsort(benchmark) -> None:  # type: ignore[no-untyped-def]
    benchmark(through(lambda theta: np.argsort(theta, kind="stable")))


@pytest.mark.benchmark(group="LS from release order, n = 3000, rho = 0.6")
@pytest.mark.parametrize("kind", ["fast", "plain"])
def test_descent(benchmark, kind: str) -> None:  # type: ignore[no-untyped-def]
    start = PROBLEM.baseline("release", INSTANCE)
    r, p = INSTANCE.arrays
    if kind == "fast":
        benchmark(lambda: descend(start.copy(), r, p, True))
    else:
        benchmark(lambda: descend_plain(start.copy(), r, p))


@pytest.mark.benchmark(group="one instance, n = 3000, rho = 0.6")
@pytest.mark.parametrize("step", ["features 27", "features 66", "bound", "decode ls", "decode rdi"])
def test_step(benchmark, step: str) -> None:  # type: ignore[no-untyped-def]
    if step == "bound":
        benchmark(lambda: PROBLEM.bound(INSTANCE))
    elif step.startswith("features"):
        problem = SingleMachine(features=step.split()[1])
        benchmark(lambda: problem.features(INSTANCE))
    else:
        problem = SingleMachine(decoder=step.split()[1])
        y = PROBLEM.baseline("release", INSTANCE)
        benchmark(lambda: problem.decode(y, INSTANCE))
