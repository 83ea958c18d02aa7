"""Mistakes in what a problem may have beside the five methods: the check of its kind finds each, alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.problem.structure import Groups
from support.planted import assert_found
from support.selection_problem import Selection


class BestForgetsTheFirst(Selection):
    def best(self, thetas, instance, seed):
        row, solution, cost = super().best(thetas[1:] * 0.0, instance, seed)
        return row + 1, solution, cost


class BestOfTwoParts(Selection):
    def best(self, thetas, instance, seed):
        return super().best(thetas, instance, seed)[1:]


class BestWithAnotherCost(Selection):
    def best(self, thetas, instance, seed):
        row, solution, cost = super().best(thetas, instance, seed)
        return row, solution, cost / self.scale(instance)


class BaselineInfeasible(Selection):
    def baseline(self, rule, instance):
        return super().baseline(rule, instance)[:-1]


class BaselineRaises(Selection):
    def baseline(self, rule, instance):
        raise KeyError(rule)


class BaselinesWithoutMethod(Selection):
    baseline = None


class ExactIsNot(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        solution = np.argsort(-instance.price)[: instance.choose]
        return solution, self.cost(solution, instance), True


class ExactWithoutProof(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        return super().exact(instance)[:2]


class ExactBoundAboveCost(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        solution, bound, _ = super().exact(instance)
        return solution, bound + 1.0, False


class FeatureOfThePlace(Selection):
    """A rank that comes from the order of the data."""

    def features(self, instance):
        values = super().features(instance)
        values[:, 2] = np.arange(len(values))
        return values


class OrderThatIsNone(Selection):
    def shuffled(self, instance, seed):
        return instance, np.zeros(len(instance.price), dtype=int)


class StructureOfOtherRows(Selection):
    def structure(self, instance):
        return Groups(np.zeros(len(instance.price) + 1, dtype=int))


class StructureThatForgets(Selection):
    calls = 0

    def structure(self, instance, y=None):
        self.calls += y is not None
        return Groups(np.full(len(instance.price), self.calls % 2))


class StructureInOneBuffer(Selection):
    labels = np.zeros(1000, dtype=np.int64)

    def structure(self, instance):
        self.labels[:] = 1 - self.labels
        return Groups(self.labels[: len(instance.price)])


class StructureThatSortsTheAnswer(Selection):
    def structure(self, instance, y=None):
        if y is not None:
            y[:] = y[::-1].copy()
        return Groups(np.zeros(len(instance.price), dtype=int))


class StructureOfAnAnswerThatIsNone(Selection):
    def structure(self, instance, y=None):
        return Groups(np.zeros(len(instance.price), dtype=int)) if y is None else y


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    BestForgetsTheFirst: ("best of many", "include every row"),
    BestOfTwoParts: ("best of many", ": return (row, solution, cost)"),
    BestWithAnotherCost: ("best of many", "return the true cost"),
    BaselineInfeasible: ("baselines", "baseline 'cheapest' returned an infeasible solution"),
    BaselineRaises: ("baselines", "baseline raised KeyError: 'cheapest' (test_optional.py, line"),
    BaselinesWithoutMethod: ("baselines", "there is no method baseline"),
    ExactIsNot: ("exact", "is optimal, but a decoded solution costs"),
    ExactWithoutProof: ("exact", "exact returned a tuple of 2, "),
    ExactBoundAboveCost: ("exact", "is above its cost"),
    StructureOfOtherRows: ("structure", "is about 7 rows, expected 6"),
    StructureThatForgets: ("structure", "structure(instance, y) is not the same at a second call"),
    StructureInOneBuffer: ("structure", "structure is not the same at a second call"),
    StructureThatSortsTheAnswer: ("structure", "structure(instance, y) changes its arguments"),
    StructureOfAnAnswerThatIsNone: ("structure", "structure(instance, y): structure of selection"),
    FeatureOfThePlace: ("shuffled", "'price_times_risk' depends on the order"),
    OrderThatIsNone: ("shuffled", "no permutation of the 6 rows of features"),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    assert_found(mistake(), *PLANTED[mistake])
