"""Adam: steps along a running mean of gradients, over the root of a running mean of their squares.

Kingma and Ba (2015), Adam: a method for stochastic optimization.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from colayer._runtime.arrays import Floats

# decay of the mean gradient, and what keeps the quotient finite
_BETA_1, _TINY = 0.9, 1e-12


class Adam:
    """The state of one descent: `mean` and `square` of the gradients so far, `steps` of them.

    `decay` is that of the mean square.
    """

    def __init__(self, dimension: int, decay: float = 0.99) -> None:
        self.mean, self.square = np.zeros(dimension), np.zeros(dimension)
        self.decay, self.steps = decay, 0

    @classmethod
    def after(cls, steps: int, mean: Floats, square: Floats, decay: float) -> Self:
        """Return the state after so many steps."""
        found = cls(len(mean), decay)
        found.mean, found.square, found.steps = mean, square, steps
        return found

    def step(self, gradient: Floats, rate: float = 1.0) -> Floats:
        """Return what to subtract from the weights after one more gradient."""
        self.steps += 1
        self.mean = _BETA_1 * self.mean + (1.0 - _BETA_1) * gradient
        self.square = self.decay * self.square + (1.0 - self.decay) * gradient**2
        unbiased = self.mean / (1.0 - _BETA_1**self.steps), np.sqrt(self.square / (1.0 - self.decay**self.steps))
        return rate * unbiased[0] / (unbiased[1] + _TINY)
