"""SPO+, the convex upper bound on the regret of deciding by θ where θ* is true.

Elmachtoub and Grigas (2022), Smart "predict, then optimize".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.learning.imitation.example import Example, Solve, inner
from colayer.learning.imitation.fit import Demonstration
from colayer.learning.learner import Needs
from colayer.problem.protocol import X, Y, Z


def spo_plus(theta: Floats, true_theta: Floats, target: Floats, solve: Solve) -> tuple[float, Floats]:
    """−min_y ⟨2θ − θ*, y⟩ + 2⟨θ, ȳ⟩ − ⟨θ*, ȳ⟩ for ȳ = y*(θ*), and the subgradient 2(ȳ − y*(2θ − θ*)).

    Convex in θ, ≥ 0, and at least the regret ⟨θ*, y*(θ) − ȳ⟩.
    """
    mirrored = 2.0 * theta - true_theta
    y = solve(mirrored)
    return inner(mirrored, target) - inner(mirrored, y), 2.0 * (target - y)


@dataclass(frozen=True, kw_only=True)
class SpoPlus(Demonstration):
    """For data sets that carry the true θ*: one layer call for each instance and pass."""

    name: ClassVar[str] = "spo+"
    needs: ClassVar[tuple[Needs, ...]] = ("thetas",)

    def loss(self, theta: Floats, example: Example[X, Y, Z]) -> tuple[float, Floats]:
        """See `Demonstration.loss`."""
        if example.true_theta is None:
            raise InputError("spo+ learns from the true theta of every instance, and there is none")
        return spo_plus(theta, example.true_theta, example.target, example.solve)
