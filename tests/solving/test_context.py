"""Decisions for contexts: tested through `Pipeline.decide` in tests/learning/context/test_fit.py, and here by hand."""

from __future__ import annotations

import numpy as np

from colayer import Pipeline
from colayer.errors import InputError
from colayer.models import AffineModel
from colayer.problem.context import Sample
from support.context_samples import SIZE, problem
from support.errors import rejects


def test_by_hand() -> None:
    """θ falls with the number of the row where the context is positive, and grows where it is negative."""
    matrix = -np.arange(float(SIZE))[:, None]
    model = AffineModel((), np.empty(0), np.empty(0), "pick", matrix=matrix, offset=np.zeros(SIZE))
    pipeline = Pipeline.from_model(problem(), model)
    assert pipeline.decide(np.array([1.0])).tolist() == [0, 0, 0, 0, 1, 1]
    assert pipeline.decide(np.array([[-1.0], [1.0]])).tolist() == [[1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1]]
    assert pipeline.decide(Sample(np.array([1.0]), np.ones((1, SIZE)))).tolist() == [0, 0, 0, 0, 1, 1]
    with rejects(InputError, where="context"):
        pipeline.decide(np.ones(2))
