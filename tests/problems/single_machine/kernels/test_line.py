"""The cost along a line against the layer itself, between all crossings."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems import SingleMachine
from colayer.problems.single_machine.instance import Instance

PROBLEM = SingleMachine("27")


def between(a: np.ndarray, b: np.ndarray, low: float, high: float) -> np.ndarray:
    """A t between any two crossings of lines a + t·b that are not as good as one."""
    rise, fall = np.subtract.outer(a, a), np.subtract.outer(b, b)
    met = -rise[fall > 0] / fall[fall > 0]
    edges = np.concatenate([[low], np.unique(met[(met > low) & (met < high)]), [high]])
    return ((edges[1:] + edges[:-1]) / 2)[np.diff(edges) > 1e-9]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("whole", [True, False])
def test_costs_between_crossings_are_those_of_the_layer(seed: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    a, b = rng.integers(-4, 5, size=(2, n)).astype(float) if whole else rng.normal(size=(2, n))
    dates = rng.integers(0, 30, size=n) if whole else rng.random(n)
    instance = Instance(dates, rng.integers(1, 9, size=n) if whole else 0.1 + rng.random(n))
    low, high = -1.5, 2.5
    found = PROBLEM.along(a, b, instance, low, high)
    assert found is not None
    t, costs = found
    assert len(costs) == len(t) + 1
    assert (np.diff(np.concatenate([[low], t])) > 0).all()
    at = between(a, b, low, high)
    expected = [PROBLEM.cost(PROBLEM.layer(a + s * b, instance), instance) for s in at]
    assert costs[np.searchsorted(t, at)] == pytest.approx(expected, rel=1e-12)
    if whole:  # no rounding
        assert costs[np.searchsorted(t, at)].tolist() == expected


def test_many_jobs_need_more_room() -> None:
    """More steps than the first arrays hold."""
    rng = np.random.default_rng(0)
    instance = PROBLEM.generate(0, jobs=60)
    a, b = rng.normal(size=(2, 60))
    found = PROBLEM.along(a, b, instance, -5.0, 5.0)
    assert found is not None
    t, costs = found
    assert len(t) > 600
    for s in rng.uniform(-5, 5, 20):
        cost = PROBLEM.cost(PROBLEM.layer(a + s * b, instance), instance)
        assert costs[np.searchsorted(t, s)] == pytest.approx(cost, rel=1e-12)


@pytest.mark.parametrize("decoder", ["ls", "rdi"])
def test_after_a_decoder_nothing_is_foretold(decoder: str) -> None:
    instance = PROBLEM.generate(0, jobs=5)
    assert SingleMachine(decoder=decoder).along(np.zeros(5), np.arange(5.0), instance, -1.0, 1.0) is None
