"""An instance with its features, as evaluators keep it."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.evaluators.local import LocalEvaluator
from colayer.problem.bind import bind
from support.pick_problem import Pick

DATA = [np.random.default_rng(seed).normal(size=(4 + seed, 2)) for seed in range(3)]


@pytest.mark.parametrize("x", range(3))
def test_keeps_the_instance_its_features_as_rows_and_its_scale(x: int) -> None:
    loaded = LocalEvaluator(bind(Pick()), DATA).loaded(x, 7)
    assert (loaded.number, loaded.instance is DATA[x], loaded.scale) == (7, True, 4.0 + x)
    assert np.array_equal(loaded.matrix, DATA[x].T)
