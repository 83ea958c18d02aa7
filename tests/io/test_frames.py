"""DataFrames of columns; instances have one, and it makes the same instance again."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from colayer import MissingExtraError
from colayer.io.frames import HasFrame, frame_of
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling


def test_whole_numbers_stay_whole_beside_what_is_missing() -> None:
    frame = frame_of({"a": [1, None], "b": ["x", "y"]})
    assert frame["a"].dtype == "Int64"
    assert frame["a"].isna().tolist() == [False, True]


def test_without_pandas_the_columns_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="to_columns"):
        frame_of({"a": [1]})


def test_what_has_columns_has_a_frame() -> None:
    class One(HasFrame):
        def to_columns(self) -> dict[str, list[int]]:
            return {"a": [1]}

    assert One().to_frame().equals(pd.DataFrame({"a": [1]}))
    with pytest.raises(NotImplementedError):
        HasFrame().to_columns()


def test_the_frame_of_an_instance_makes_it_again() -> None:
    jobs = SingleMachine()
    instance = jobs.generate(seed=1, jobs=5)
    assert jobs.content(jobs.instance(instance.to_frame())) == jobs.content(instance)
    tree = SpanningTree()
    edges = tree.generate(seed=1, width=3, scenarios=2)
    assert tree.content(tree.instance(edges.to_frame())) == tree.content(edges)
    vehicles = VehicleScheduling()
    tasks = vehicles.generate(seed=1, tasks=4, scenarios=2)
    again = vehicles.instance(tasks.to_frame(), scenarios=1)
    assert np.array_equal(again.begin, tasks.begin)
    assert np.allclose(again.travel[0, 1], np.hypot(*(tasks.city.start[1] - tasks.city.finish[0])))


def test_an_instance_is_one_line() -> None:
    assert repr(SingleMachine().instance(release=[4, 2.5], processing=[1, 5])) == (
        "Instance(single-machine: 2 jobs, 6 of work, released 2.5 to 4)"
    )
    assert repr(SpanningTree().generate(seed=1, width=3, scenarios=1)) == (
        "Instance(spanning-tree: 9 nodes, 12 edges, 1 scenario)"
    )
    days = VehicleScheduling().instance(begin=["2026-01-05 22:00"], end=["2026-01-06 06:00"], travel=[[0]], scenarios=3)
    assert repr(days) == "Instance(vehicle-scheduling: 1 task, 3 scenarios, 2026-01-05 22:00 to 2026-01-06 06:00)"
    assert "6:" in repr(VehicleScheduling().generate(seed=1, tasks=40, scenarios=2))
