"""Methods that change, draw or remember something, one at a time: the check of its kind finds each, alone."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from support.planted import assert_found
from support.selection_problem import Selection

TICKS = itertools.count()


class LayerSortsTheta(Selection):
    def layer(self, theta, instance):
        chosen = super().layer(theta, instance)
        theta.sort()
        return chosen


class CostSpendsTheInstance(Selection):
    def cost(self, solution, instance):
        value = super().cost(solution, instance)
        instance.price[solution] = 0.0
        return value


class DecodeChangesY(Selection):
    def decode(self, y, instance):
        y[:] = np.sort(y)[::-1]
        return y.copy()


class GlobalNoise(Selection):
    def layer(self, theta, instance):
        return super().layer(theta + 0.1 * np.random.normal(size=len(theta)), instance)  # noqa: NPY002


class GlobalSeed(Selection):
    """Always the same noise, but the caller's generator is lost."""

    def features(self, instance):
        random.seed(0)
        return super().features(instance) + random.random()


class Clock(Selection):
    """Another answer every time, whatever is asked."""

    def layer(self, theta, instance):
        return np.sort((super().layer(theta, instance) + next(TICKS)) % len(theta))


class ReusedBuffer(Selection):
    def __init__(self, decoder="none"):
        super().__init__(decoder)
        self._buffer = np.zeros(100, dtype=np.int64)

    def layer(self, theta, instance):
        self._buffer[: instance.choose] = super().layer(theta, instance)
        return self._buffer[: instance.choose]


class CacheWithTooSmallAKey(Selection):
    """Instances of one size share the features of the first."""

    def features(self, instance):
        if not hasattr(self, "_kept"):
            self._kept = {}
        return self._kept.setdefault(instance.choose, super().features(instance)[: len(instance.price)]).copy()


class WarmStart(Selection):
    """At ties it stays at its last answer."""

    _last = None

    def layer(self, theta, instance):
        last = self._last
        chosen = super().layer(theta, instance)
        if last is not None and len(last) == len(chosen) and last.max() < len(theta):
            chosen = last if theta[last].sum() <= theta[chosen].sum() else chosen
        self._last = chosen
        return chosen.copy()


class TargetChangesTheSolution(Selection):
    def target(self, solution, instance):
        vector = super().target(solution, instance)
        solution[:] = 0
        return vector


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    LayerSortsTheta: ("inputs unchanged", "layer changes its input theta["),
    CostSpendsTheInstance: ("inputs unchanged", "cost changes its input instance.price["),
    DecodeChangesY: ("inputs unchanged", "decode changes its input y[0]"),
    TargetChangesTheSolution: ("inputs unchanged", "target changes its input solution["),
    GlobalNoise: ("repeatable", "layer uses the global generator of numpy"),
    GlobalSeed: ("repeatable", "features uses the global generator of random"),
    Clock: ("repeatable", "layer returned different answers"),
    ReusedBuffer: ("repeatable", "layer changes what it returned earlier"),
    CacheWithTooSmallAKey: ("repeatable", "a cache with too small a key"),
    WarmStart: ("repeatable", "a solver that starts from its last answer"),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    assert_found(mistake(), *PLANTED[mistake])
