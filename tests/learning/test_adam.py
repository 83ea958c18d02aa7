"""Adam, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.learning.adam import Adam


def test_the_first_step_is_the_rate_in_the_direction_of_the_gradient() -> None:
    step = Adam(3).step(np.array([4.0, -0.5, 0.0]), 0.1)
    assert step == pytest.approx([0.1, -0.1, 0.0])


def test_two_steps_by_hand() -> None:
    """Gradients 1 and 2: the unbiased mean is 0.29/0.19, the unbiased square 0.0499/0.0199."""
    adam = Adam(1)
    adam.step(np.array([1.0]), 1.0)
    step = adam.step(np.array([2.0]), 1.0)
    assert step == pytest.approx([(0.29 / 0.19) / np.sqrt(0.0499 / 0.0199)])
    assert adam.steps == 2
