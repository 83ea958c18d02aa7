"""Learning from days by experience: the same bits for any number of workers, and after any break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline, explain
from support.parcel_days import Parcels, days

DAYS = days(8)


def learned(method: str, **options: Any) -> Pipeline[Any, Any, Any]:
    return Pipeline(Parcels()).fit(DAYS, **{"method": method, "evaluations": 40, **options})


@pytest.mark.parametrize("method", ["auto", "srl"])
def test_workers_do_not_matter(method: str) -> None:
    """`auto` asks for losses, as all searches do, and `srl` visits the days where they lie."""
    one, two = (learned(method, workers=workers) for workers in (1, 2))
    assert one.weights_.tobytes() == two.weights_.tobytes()
    assert one.history_ == two.history_


@pytest.mark.parametrize("method", ["auto", "cma-es", "srl"])
def test_a_run_cut_anywhere_ends_with_the_same_weights(method: str, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    unbroken = learned(method, journal=path)
    whole = path.read_bytes()
    for share in (0.6, 0.95):
        path.write_bytes(whole[: int(share * len(whole))])
        resumed = learned(method, journal=path)
        assert resumed.weights_.tobytes() == unbroken.weights_.tobytes()
        assert resumed.recalled_ > 0
        assert path.read_bytes() == whole


def test_the_loss_is_the_total_cost_of_the_day_over_its_scale() -> None:
    pipeline = learned("cma-es", validation=0.0)
    costs = [pipeline.solve(day).cost / Parcels().scale(day) for day in DAYS]
    assert pipeline.loss_ == pytest.approx(np.mean(costs))


def test_a_model_of_days_has_no_portfolio_and_can_be_saved_and_explained(tmp_path: Path) -> None:
    pipeline = learned("cma-es")
    assert len(pipeline.model.portfolio) == 0
    pipeline.save(tmp_path / "m.json")
    again = Pipeline.load(tmp_path / "m.json", Parcels())
    assert again.solve(DAYS[0]).cost == pipeline.solve(DAYS[0]).cost
    explained = explain(pipeline.model, Parcels(), DAYS)
    assert explained.loss is not None
    assert {row.feature for row in explained.features} == set(Parcels.feature_names)
