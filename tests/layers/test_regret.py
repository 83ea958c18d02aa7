"""Regret, by hand, and of what PyEPO's users pass."""

from __future__ import annotations

import numpy as np

from colayer import regret
from colayer.errors import InputError
from colayer.layers import TopK
from support.errors import rejects


def test_by_hand() -> None:
    """The first row takes 3 where 1 was best, the second is right: (3 − 1) / (1 + 2)."""
    true = np.array([[1.0, 3.0], [4.0, 2.0]])
    predicted = np.array([[9.0, 0.0], [1.0, 0.0]])
    assert regret(predicted, true, TopK(1)) == 2 / 3
    assert regret(true, true, TopK(1)) == 0.0


def test_negative_costs_count_by_their_size() -> None:
    assert regret([[0.0, 1.0]], [[-1.0, -4.0]], TopK(1)) == 3 / 4


def test_names_what_is_wrong() -> None:
    with rejects(InputError, where="predicted"):
        regret(np.ones((2, 3)), np.ones((2, 2)), TopK(1))
    with rejects(InputError, where="true"):
        regret(np.ones((1, 2)), [[1.0, np.nan]], TopK(1))
