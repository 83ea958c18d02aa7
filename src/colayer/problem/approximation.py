"""What is proved of the safe weights on one instance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from colayer.errors import InputError


@dataclass(frozen=True)
class Approximation:
    """A proven guarantee of the safe weights on one instance, whatever p is added to their θ (paper, theorem 2):

    cost − c* ≤ a·|c*| + b·‖p‖_β, for every solution of the layer at f_w̃(x) + p, decoded; with `of_scale`, a·u(x) in
    the place of a·|c*|.
    """

    a: float
    b: float
    beta: float = 1.0
    of_scale: bool = False

    def __post_init__(self) -> None:
        if not (self.a >= 0 and 0 < self.b < math.inf and self.beta in (1.0, 2.0, math.inf)):
            raise InputError(f"{self} is not a guarantee, expected a >= 0, b > 0 and a norm of 1, 2 or infinity")

    @classmethod
    def of_objective(cls, alpha: float, kappa: float, beta: float = 1.0) -> Approximation:
        """Return what follows where the layer's objective is near the cost (paper, section 4, last lemma).

        If |cost(decode(y)) − g(y, f_w̃(x))| ≤ alpha·u(x) for every y, g(y, ·) is kappa-Lipschitz in ‖·‖_β, and some y is
        decoded to an optimal solution, then a = 2·alpha, of the scale, and b = 2·kappa. For g = ⟨θ, y⟩, kappa is the
        largest dual norm of y: for β = 1 its largest entry, for β = ∞ the largest sum.
        """
        return cls(2.0 * alpha, 2.0 * kappa, beta, of_scale=True)
