"""Adam: steps along a running mean of gradients, over the root of a running mean of their squares.

Kingma and Ba (2015), Adam: a method for stochastic optimization.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats

# decay of the mean gradient, of the mean square, and what keeps the quotient finite
_BETA_1, _BETA_2, _TINY = 0.9, 0.99, 1e-12


class Adam:
    """The state of one descent: `mean` and `square` of the gradients so far, `steps` of them."""

    def __init__(self, dimension: int) -> None:
        self.mean, self.square = np.zeros(dimension), np.zeros(dimension)
        self.steps = 0

    def step(self, gradient: Floats, rate: float) -> Floats:
        """What to subtract from the weights after one more gradient."""
        self.steps += 1
        self.mean = _BETA_1 * self.mean + (1.0 - _BETA_1) * gradient
        self.square = _BETA_2 * self.square + (1.0 - _BETA_2) * gradient**2
        unbiased = self.mean / (1.0 - _BETA_1**self.steps), np.sqrt(self.square / (1.0 - _BETA_2**self.steps))
        return rate * unbiased[0] / (unbiased[1] + _TINY)
