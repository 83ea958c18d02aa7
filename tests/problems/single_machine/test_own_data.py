"""Jobs of a user's: lists, arrays, Series and tables give the same instance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from colayer import InputError, Pipeline
from colayer.problems import SingleMachine
from support.errors import rejects

PROBLEM = SingleMachine()
JOBS = pd.DataFrame({"job": ["x", "y", "z"], "release": [0, 3, 1], "processing": [4, 1, 2.5]})
OTHER = JOBS.rename(columns={"release": "r", "processing": "p", "job": "order"})


@pytest.mark.parametrize(
    ("arguments", "options", "names"),
    [
        ((), {"release": [0, 3, 1], "processing": (4, 1, 2.5)}, None),
        ((), {"release": np.array([0, 3, 1]), "processing": JOBS["processing"]}, None),
        ((), {"release": JOBS.release, "processing": JOBS.processing, "name": JOBS.job}, ("x", "y", "z")),
        ((JOBS,), {}, ("x", "y", "z")),
        ((JOBS.set_index("job"),), {}, ("x", "y", "z")),
        ((JOBS.to_dict("list"),), {}, ("x", "y", "z")),
        ((JOBS.to_dict("records"),), {}, ("x", "y", "z")),
        ((OTHER,), {"release": "r", "processing": "p"}, None),
        ((OTHER,), {"release": "r", "processing": "p", "name": "order"}, ("x", "y", "z")),
        ((JOBS.convert_dtypes(),), {}, ("x", "y", "z")),
    ],
)
def test_the_same_instance_of_whatever_holds_it(arguments: Any, options: Any, names: Any) -> None:
    instance = PROBLEM.instance(*arguments, **options)
    assert instance.release.tolist() == [0, 3, 1]
    assert instance.processing.tolist() == [4, 1, 2.5]
    assert instance.names == names


@pytest.mark.parametrize(
    ("jobs", "options", "where"),
    [
        (
            OTHER,
            {"release": "r"},
            "column processing",
        ),
        (JOBS.assign(release=[0, -1, 2]), {}, "column release, row 2"),
        (OTHER.assign(p=[1, 2, 0]), {"release": "r", "processing": "p"}, "column p, row 3"),
        (JOBS.assign(job=["x", "y", "x"]), {}, "column job, row 3"),
        (JOBS.assign(job=["x", None, "z"]), {}, "column job, row 2"),
        (JOBS, {"processing": [1, 2]}, "processing"),
        (None, {"release": [0, -1], "processing": [1, 2]}, "release[1]"),
        (None, {"release": [], "processing": []}, "release"),
        (None, {}, "release"),
        (3, {}, "jobs"),
    ],
)
def test_a_mistake_is_named_by_column_and_row(jobs: Any, options: Any, where: str) -> None:
    with rejects(InputError, where=where):
        PROBLEM.instance(jobs, **options)


def test_dates_come_back_as_dates() -> None:
    release = pd.to_datetime(pd.Series(["2026-01-05 22:00", "2026-01-05 23:00", "2026-01-06 00:30"]))
    frame = Pipeline(PROBLEM).solve(PROBLEM.instance(JOBS.assign(release=release))).to_frame()
    assert frame.release.sort_values().tolist() == release.tolist()
    assert (frame.completion - frame.start == pd.to_timedelta(frame.processing, unit="min")).all()
    assert (frame.start >= frame.release).all()
