"""The problem as a whole."""

from __future__ import annotations

import numpy as np

from colayer.errors import OptionError
from colayer.problems.dynamic_vehicle_scheduling import DynamicVehicleScheduling
from support.dynamic_days import small
from support.errors import rejects


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


def test_days_are_grouped_by_size() -> None:
    assert DynamicVehicleScheduling().group(small(0)) == {"customers": 12, "per_epoch": 3}
