"""What goes with learned weights: σ and a portfolio; neither where the time is over."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from colayer import Pipeline
from support.selection_problem import Selection

DATA = [Selection().generate(seed) for seed in range(10)]


def test_both_are_written_with_the_model_and_read_again(tmp_path: Path) -> None:
    pipeline = Pipeline(Selection()).fit(DATA, evaluations=100)
    assert pipeline.model.sigma is not None
    pipeline.save(tmp_path / "m.json")
    again = Pipeline.load(tmp_path / "m.json", Selection()).model
    assert again.sigma == pipeline.model.sigma
    assert np.array_equal(again.portfolio, pipeline.model.portfolio)
    assert len(again.portfolio) > 1


def test_neither_where_the_time_is_over() -> None:
    model = Pipeline(Selection()).fit(DATA, time_limit=0.0).model
    assert model.sigma is None
    assert len(model.portfolio) == 0
