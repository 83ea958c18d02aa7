"""Mistakes in what the five methods return, one at a time: the check of its kind finds each, alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.problem.check.values import above
from support.planted import assert_found
from support.selection_problem import Selection


class UnnamedFeature(Selection):
    feature_names = ("price", "risk")


class InfiniteFeature(Selection):
    def features(self, instance):
        values = super().features(instance)
        values[:, 1] = np.log(instance.risk - instance.risk.min())
        return values


class IntegerFeatures(Selection):
    def features(self, instance):
        return np.rint(super().features(instance)).astype(int)


class FlatFeatures(Selection):
    def features(self, instance):
        return super().features(instance).ravel()


class NoRows(Selection):
    def features(self, instance):
        return super().features(instance)[:0]


class ScaleOfWords(Selection):
    def scale(self, instance):
        return "large"


class NegativeScale(Selection):
    def scale(self, instance):
        return -float(instance.price.sum())


class LayerOfAnotherSize(Selection):
    """One θ more than there are rows of features."""

    def layer(self, theta, instance):
        return np.array([i for i in range(len(theta) + 1) if theta[i] <= np.median(theta)])


class LayerForgetsToReturn(Selection):
    def layer(self, theta, instance):
        super().layer(theta, instance)


class DecodeRaises(Selection):
    """Fails where two θ are equal."""

    def layer(self, theta, instance):
        return np.flatnonzero(theta <= np.sort(theta)[instance.choose - 1])

    def decode(self, y, instance):
        if len(y) != instance.choose:
            raise ValueError("a tie")
        return y


class DecodeForgetsToReturn(Selection):
    def decode(self, y, instance):
        super().decode(y, instance)


class InfiniteCost(Selection):
    """A penalty that cannot be averaged."""

    def cost(self, solution, instance):
        return super().cost(solution, instance) if 0 in solution else np.inf


class CostByProject(Selection):
    def cost(self, solution, instance):
        return instance.price[solution]


class ThetaIgnored(Selection):
    def layer(self, theta, instance):
        return super().layer(instance.price, instance)


class InfeasibleDecode(Selection):
    """It drops the riskiest project, and then costs less than any solution."""

    def decode(self, y, instance):
        return np.delete(y, np.argmax(instance.risk[y]))


class CostForgetsToReturn(Selection):
    def cost(self, solution, instance):
        super().cost(solution, instance)


class BoundOfWords(Selection):
    def bound(self, instance):
        return "12"


class BoundAboveTheOptimumAlone(Selection):
    """Below all that is decoded without a search, above what the exact solver finds."""

    decoders = ()

    def bound(self, instance):
        least = self.exact(instance)[1]
        found = [self.cost(self.layer(theta, instance), instance) for theta in np.eye(len(instance.price))]
        return least + 1e-4 * (min(found) - least)

    def layer(self, theta, instance):
        """One project too dear for the optimum is always taken."""
        worst = int(np.argmax(instance.price + 9 * instance.risk))
        return super().layer(np.where(np.arange(len(theta)) == worst, -1e9, theta), instance)

    embed = target = homogeneous = shuffled = None
    baselines = ()
    safe_weights = None


class BoundTooHigh(Selection):
    """The greedy solution's cost is no bound."""

    def bound(self, instance):
        return self.cost(self.layer(instance.price, instance), instance)


class CostToMaximise(Selection):
    def cost(self, solution, instance):
        return -super().cost(solution, instance)

    def decode(self, y, instance):
        return y


class BoundRaises(Selection):
    def bound(self, instance):
        raise ZeroDivisionError("no projects")


class LayerEndsTheProgram(Selection):
    def layer(self, theta, instance):
        raise SystemExit(3)


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    UnnamedFeature: ("features", "3 columns, feature_names has 2 names"),
    InfiniteFeature: ("features", "instance 0: feature 'risk' is -inf in row"),
    IntegerFeatures: ("features", "return float64"),
    FlatFeatures: ("features", "one row for each entry of θ"),
    NoRows: ("features", "features has no rows"),
    ScaleOfWords: ("scale", "instance 0: scale returned 'large': return one finite number"),
    NegativeScale: ("scale", "> 0 also where costs are negative"),
    LayerOfAnotherSize: ("layer", "test_values.py, line"),
    LayerForgetsToReturn: ("layer", "layer returned None"),
    DecodeRaises: ("decode", "decode raised ValueError: a tie"),
    DecodeForgetsToReturn: ("decode", "decode returned None: return a solution"),
    InfiniteCost: ("cost", "cost returned inf for a decoded solution: return a finite number"),
    CostByProject: ("cost", "return one number"),
    CostForgetsToReturn: ("cost", "instance 0: cost returned None for a decoded solution: return one finite number"),
    ThetaIgnored: ("theta matters", "does it use theta?"),
    InfeasibleDecode: ("feasible", "violation says: 2 projects, expected 3"),
    BoundTooHigh: ("bound", "a bound is at most every cost"),
    CostToMaximise: ("bound", "has the wrong sign"),
    BoundOfWords: ("bound", "instance 0: bound returned '12': return one finite number"),
    BoundAboveTheOptimumAlone: ("bound", "but the solution of exact costs"),
    BoundRaises: ("bound", "bound raised ZeroDivisionError: no projects"),
    LayerEndsTheProgram: ("layer", "layer raised SystemExit: 3 (test_values.py, line"),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    assert_found(mistake(), *PLANTED[mistake])


def test_a_bound_that_rounding_puts_above_a_cost_is_no_mistake() -> None:
    assert not above(1.0 + 1e-7, 1.0)
    assert above(1.0 + 1e-5, 1.0)
    assert not above(-1.0 + 1e-7, -1.0)
    assert above(-1.0 + 1e-5, -1.0)
