"""The problem as a whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from colayer.errors import OptionError
from colayer.problems.dynamic_vehicle_scheduling import DynamicVehicleScheduling
from support.dynamic_days import small
from support.errors import rejects
from support.routing_files import EXPLICIT


def test_options_make_the_problem_again() -> None:
    problem = DynamicVehicleScheduling(decoder="none")
    assert problem.options == {"decoder": "none"}
    assert repr(problem) == "DynamicVehicleScheduling(decoder='none')"
    assert problem.with_options(decoder="wait").decoder == "wait"
    with rejects(OptionError, "no decoder 'ls', expected one of wait, none"):
        DynamicVehicleScheduling(decoder="ls")


def test_safe_weights_are_the_prize_rule() -> None:
    for decoder in ("wait", "none"):
        problem = DynamicVehicleScheduling(decoder=decoder)
        assert np.flatnonzero(problem.safe_weights).tolist() == [problem.feature_names.index("trip")]


def test_a_day_of_a_file_is_a_function_of_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text(EXPLICIT)
    problem = DynamicVehicleScheduling()
    first, again, other = (problem.day(path, **seed) for seed in ({}, {"seed": 473}, {"seed": 1}))
    assert np.array_equal(first.start, again.start)
    assert not np.array_equal(first.start, other.start)
    assert len(problem.day(str(path), per_epoch=1).epoch) <= 5


def test_days_are_grouped_by_size() -> None:
    assert DynamicVehicleScheduling().group(small(0)) == {"customers": 12, "per_epoch": 3}
