"""The conditional random field: maximum likelihood of the targets under P(y) ∝ e^{−⟨θ, y⟩}.

Lafferty, McCallum and Pereira (2001), Conditional random fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from colayer._runtime.arrays import Floats
from colayer.learning.imitation.example import Example
from colayer.learning.imitation.fit import Demonstration
from colayer.problem import guard
from colayer.problem.protocol import X, Y, Z


@dataclass(frozen=True, kw_only=True)
class Crf(Demonstration):
    """The problem's `likelihood`, exact or a surrogate (see `colayer.layers.likelihood`): smooth, hence L-BFGS."""

    optimizer: str = "l-bfgs"

    name: ClassVar[str] = "crf"

    def loss(self, theta: Floats, example: Example[X, Y, Z]) -> tuple[float, Floats]:
        """See `Demonstration.loss`."""
        likelihood = example.problem.need("likelihood", why="crf cannot learn it")
        answer = likelihood(theta, example.target, example.instance)
        what = f"likelihood of {example.problem.name}"
        value, gradient = guard.parts(answer, 2, what, "(negative log-likelihood, gradient)")
        return guard.finite(value, what), guard.vector(gradient, len(theta), what)
