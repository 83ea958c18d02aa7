"""Layers that do not minimise ⟨θ, embed(y)⟩, one mistake at a time: the check of its kind finds each, alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.planted import assert_found
from support.selection_problem import Selection
from support.whole_problem import Whole


class EmbedOfAnotherLength(Selection):
    def embed(self, y, instance):
        return np.asarray(y, dtype=float)


class EmbedNotFinite(Selection):
    def embed(self, y, instance):
        return super().embed(y, instance) / 0.0


class EmbedIgnoresY(Selection):
    def embed(self, y, instance):
        return np.ones(len(instance.price))


class MaximisingLayer(Selection):
    def layer(self, theta, instance):
        return super().layer(-theta, instance)


class GreedyLayer(Selection):
    """Takes the least θ, then whatever comes first."""

    def layer(self, theta, instance):
        least = int(np.argmin(theta))
        others = [i for i in range(len(theta)) if i != least]
        return np.sort(np.array([least, *others[: instance.choose - 1]]))


class NotHomogeneous(Selection):
    """θ is held against a number of money."""

    def layer(self, theta, instance):
        return super().layer(np.minimum(theta, 1.0), instance)

    embed = None
    target = None


class TargetBeyondTheHull(Selection):
    def target(self, solution, instance):
        return 2.0 * self.embed(solution, instance)


class AugmentedWithAnotherSign(Whole):
    def augmented(self, theta, target, instance):
        return theta + (1.0 - 2.0 * target), float(-target.sum())


class AugmentedWithoutConstant(Whole):
    def augmented(self, theta, target, instance):
        return super().augmented(theta, target, instance)[0], 0.0


class AugmentedByTheta(Whole):
    """The margin grows with θ."""

    def augmented(self, theta, target, instance):
        size = float(np.abs(theta).sum())
        return theta - size * (1.0 - 2.0 * target), size * float(target.sum())


class AugmentedByNothing(Whole):
    def augmented(self, theta, target, instance):
        return theta, 0.0


class AugmentedVectorAlone(Whole):
    def augmented(self, theta, target, instance):
        return super().augmented(theta, target, instance)[0]


class AugmentedConstantOfWords(Whole):
    def augmented(self, theta, target, instance):
        return super().augmented(theta, target, instance)[0], "3"


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    EmbedOfAnotherLength: ("embed", "one number for each of the 6 rows"),
    EmbedNotFinite: ("embed", "embed returned nan in entry"),
    EmbedIgnoresY: ("embed", "the same vector for different y"),
    MaximisingLayer: ("sign", "LARGEST"),
    GreedyLayer: ("optimal", "the layer is not optimal"),
    NotHomogeneous: ("homogeneous", "set homogeneous = False"),
    TargetBeyondTheHull: ("target", "no mean of embedded y"),
    AugmentedWithAnotherSign: ("augmented", "less than 0: Δ is taken off"),
    AugmentedWithoutConstant: ("augmented", "from itself: return (θ′, a)"),
    AugmentedByTheta: ("augmented", "for one θ and"),
    AugmentedByNothing: ("augmented", "the distance 0 from every ȳ"),
    AugmentedVectorAlone: ("augmented", "augmented returned an array of float64 of shape (6,): return (θ′, a)"),
    AugmentedConstantOfWords: ("augmented", "augmented: a that it returned '3': return one finite number"),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    assert_found(mistake(), *PLANTED[mistake])
