"""Tasks of a user's: travel times from coordinates, places or tables, scenarios given or drawn by a stated model."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from colayer import InputError, Pipeline
from colayer.problems import VehicleScheduling
from support.errors import rejects

PROBLEM = VehicleScheduling()
BARE = pd.DataFrame({"task": ["a", "b"], "begin": ["6:00", "7:00"], "end": ["6:40", "7:30"]})
POINTS = BARE.assign(from_x=[0, 3], from_y=[0, 5], to_x=[0, 3], to_y=[1, 5])
PLACES = BARE.assign(**{"from": ["Depot", "Mill"], "to": ["Farm", "Depot"]})
TRIPS = pd.DataFrame({"from": ["Farm", "Depot", "Farm"], "to": ["Mill", "Mill", "Depot"], "minutes": [12, 9, None]})
LATE = pd.DataFrame({"scenario": ["dry", "wet"], "b": [0, 5], "a": [0, 30], "travel": [1, 1.5]})


def test_travel_times_as_the_crow_flies() -> None:
    instance = PROBLEM.instance(POINTS, speed=0.5, scenarios=3)
    assert instance.begin.tolist() == [360, 420]
    assert instance.travel.tolist() == [[2.0, 10.0], [2 * np.hypot(3, 5), 0.0]]
    assert instance.names == ("a", "b")
    assert instance.scenarios == 3


def test_travel_times_between_places() -> None:
    """From where a task ends to where another one begins; one direction where both take as long; empty: no way."""
    travel = PROBLEM.instance(PLACES, travel=TRIPS).travel
    assert np.array_equal(travel, [[np.nan, 12.0], [0.0, 9.0]], equal_nan=True)


@pytest.mark.parametrize(
    "travel", [[[0, 8], [None, 0]], np.array([[0, 8], [np.nan, 0]]), pd.DataFrame({"b": [8, 0], "a": [0, None]})]
)
def test_travel_times_between_tasks(travel: Any) -> None:
    found = PROBLEM.instance(BARE, travel=travel).travel
    assert np.array_equal(found, [[0.0, 8.0], [np.nan, 0.0]], equal_nan=True)


def test_scenarios_of_a_table() -> None:
    """A column per task, by name: minutes by which it ends late; `travel` multiplies all travel times."""
    instance = PROBLEM.instance(PLACES, travel=TRIPS, scenarios=LATE)
    assert instance.scenario_begin.tolist() == [[360, 420]] * 2
    assert instance.scenario_end.tolist() == [[400, 450], [430, 455]]
    assert instance.scenario_travel[:, 0, 1].tolist() == [12.0, 18.0]
    plain = PROBLEM.instance(PLACES, travel=TRIPS, scenarios=[[0, 0], [30, 5]])
    assert plain.scenario_end.tolist() == instance.scenario_end.tolist()
    assert plain.scenario_travel[:, 0, 1].tolist() == [12.0, 12.0]


def test_scenarios_of_the_stated_model() -> None:
    """Exponential shares with the mean asked for, the same for the same seed; none with `late=0`."""
    drawn = PROBLEM.instance(POINTS, scenarios=4000, late=0.5, seed=1)
    share = (drawn.scenario_end - drawn.end) / (drawn.end - drawn.begin)
    assert share.mean() == pytest.approx(0.5, rel=0.05)
    assert share.std() == pytest.approx(0.5, rel=0.1)
    factor = drawn.scenario_travel[:, 0, 1] / drawn.travel[0, 1]
    assert factor.mean() == pytest.approx(1.5, rel=0.05)
    again = PROBLEM.instance(POINTS, scenarios=4000, late=0.5, seed=1)
    assert np.array_equal(again.scenario_end, drawn.scenario_end)
    assert not np.array_equal(PROBLEM.instance(POINTS, scenarios=4000, seed=2).scenario_end, drawn.scenario_end)
    calm = PROBLEM.instance(POINTS, scenarios=1, late=0)
    assert calm.scenario_end.tolist() == [calm.end.tolist()]


def test_lists_and_costs() -> None:
    instance = PROBLEM.instance(begin=[1, 5], end=[2, 6], travel=[[0, 1], [1, 0]], vehicle_cost=7, delay_cost=3)
    assert (instance.vehicle_cost, instance.delay_cost, instance.names) == (7.0, 3.0, None)


@pytest.mark.parametrize(
    ("tasks", "options", "where"),
    [
        (BARE, {}, "travel"),
        (BARE, {"travel": TRIPS}, "column to"),
        (PLACES, {"travel": TRIPS[1:]}, "travel"),
        (PLACES, {"travel": TRIPS.assign(minutes=[1, -3, 1])}, "travel: column minutes, row 2"),
        (PLACES, {"travel": TRIPS.assign(minutes=[1, "x", 1])}, "travel: column minutes, row 2"),
        (BARE, {"travel": [[0, 1]]}, "travel"),
        (BARE, {"travel": pd.DataFrame({"a": [0], "b": [1]})}, "travel"),
        (BARE, {"travel": "fast"}, "travel"),
        (POINTS, {"scenarios": 0}, "scenarios"),
        (POINTS, {"scenarios": 10**9}, "scenarios"),
        (POINTS, {"scenarios": None}, "scenarios"),
        (POINTS, {"scenarios": [[1]]}, "scenarios[0]"),
        (POINTS, {"scenarios": LATE.drop(columns="b")}, "scenarios: column b"),
        (POINTS, {"scenarios": LATE.assign(b=[1, None])}, "scenarios: column b, row 2"),
        (POINTS, {"scenarios": LATE.assign(travel=[1, "x"])}, "scenarios: column travel, row 2"),
        (POINTS.assign(end=["5:00", "8:00"]), {}, "column end, row 1"),
        (POINTS.assign(end=["6:40", "noon"]), {}, "column end, row 2"),
        (POINTS, {"speed": 0}, "speed"),
        (PLACES, {"travel": TRIPS.rename(columns=str.title)}, "travel: column minutes"),
        (PLACES, {"travel": TRIPS.rename(columns={"from": "From"})}, "travel: column from"),
        (POINTS, {"scenarios": LATE.assign(b=[1, -1000])}, "scenarios[1][1]"),
        (POINTS, {"late": -1}, "late"),
        (POINTS, {"late": 1e308}, "late"),
        (POINTS, {"late": "much"}, "late"),
        (POINTS, {"seed": -1}, "seed"),
        (POINTS, {"delay_cost": -1}, "delay_cost"),
    ],
)
def test_a_mistake_is_named_by_table_column_and_row(tasks: Any, options: Any, where: str) -> None:
    with rejects(InputError, where=where):
        PROBLEM.instance(tasks, **options)


def test_columns_of_unnamed_tasks_are_taken_in_order() -> None:
    tasks = POINTS.drop(columns="task")
    late = pd.DataFrame({"first": [1], "second": [2]})
    assert PROBLEM.instance(tasks, scenarios=late).scenario_end.tolist() == [[401, 452]]
    with rejects(InputError, where="scenarios"):
        PROBLEM.instance(tasks, scenarios=late[["first"]])


def test_night_shifts_with_dates_were_refused() -> None:
    """The ends of all tasks lie on the next day: their midnight was another one."""
    begin, end = pd.to_datetime(["2026-01-05 22:00", "2026-01-05 23:00"]), pd.to_datetime(["2026-01-06 06:00"] * 2)
    instance = PROBLEM.instance(POINTS.assign(begin=begin, end=end), scenarios=2)
    assert instance.begin.tolist() == [1320, 1380]
    assert instance.end.tolist() == [1800, 1800]
    assert instance.origin == datetime(2026, 1, 5)


def test_night_shifts_with_times_of_day_are_told_how_to_write_them() -> None:
    night = POINTS.assign(begin=["22:00", "23:00"], end=["6:00", "23:30"])
    with rejects(InputError, "30:00", where="column end, row 1"):
        PROBLEM.instance(night)
    assert PROBLEM.instance(night.assign(end=["30:00", "23:30"]), scenarios=1).end.tolist() == [1800, 1410]


def test_dates_come_back_as_dates() -> None:
    dates = {"begin": pd.to_datetime(["2026-01-05 22:00", "2026-01-06 07:00"]),
             "end": pd.to_datetime(["2026-01-06 03:00", "2026-01-06 07:30"])}  # fmt: skip
    tasks = POINTS.assign(**dates)
    frame = Pipeline(PROBLEM).solve(PROBLEM.instance(tasks, scenarios=2)).to_frame()
    assert frame[["task", "begin", "end"]].equals(
        tasks[["task", "begin", "end"]].astype(frame.dtypes[["begin", "end"]])
    )


def test_row_labels_of_a_travel_frame_were_ignored() -> None:
    """Rows were taken by position; they are matched by label, from an index or a column, or refused."""
    expected = [[0.0, 8.0], [3.0, 0.0]]
    travel = pd.DataFrame({"b": [0, 8], "a": [3, 0]}, index=["b", "a"])
    assert PROBLEM.instance(BARE, travel=travel).travel.tolist() == expected
    labelled = travel.rename_axis("task").reset_index()
    assert PROBLEM.instance(BARE, travel=labelled).travel.tolist() == expected
    assert PROBLEM.instance(BARE.drop(columns="task"), travel=travel[["a", "b"]]).travel.tolist() == expected
    with rejects(InputError, "'c'", where="travel"):
        PROBLEM.instance(BARE, travel=travel.rename(index={"b": "c"}))
    with rejects(InputError, "two rows", where="travel"):
        PROBLEM.instance(BARE, travel=travel.rename(index={"b": "a"}))


def test_tables_may_be_lists_of_rows() -> None:
    trips, late = TRIPS.to_dict("records"), LATE.to_dict("records")
    instance = PROBLEM.instance(PLACES.to_dict("records"), travel=trips, scenarios=late)
    assert PROBLEM.content(instance) == PROBLEM.content(PROBLEM.instance(PLACES, travel=TRIPS, scenarios=LATE))


def test_contradictory_rows_of_a_travel_table_took_the_last() -> None:
    twice = pd.concat([TRIPS, TRIPS[:1]], ignore_index=True)
    assert PROBLEM.instance(PLACES, travel=twice).travel[0, 1] == 12.0
    for other in (15, None):
        with rejects(InputError, "12", where="travel: column minutes, row 4"):
            PROBLEM.instance(PLACES, travel=twice.assign(minutes=[12, 9, None, other]))


def test_names_of_the_columns_of_coordinates_were_a_bare_type_error() -> None:
    renamed = POINTS.rename(columns={"from_x": "px", "to_y": "qy"})
    expected = PROBLEM.instance(POINTS, scenarios=1).travel
    assert np.array_equal(PROBLEM.instance(renamed, from_x="px", to_y="qy", scenarios=1).travel, expected)
    given = PROBLEM.instance(renamed, from_x=[0, 3], to_y="qy", scenarios=1).travel
    assert np.array_equal(given, expected)
    with rejects(InputError, where="column py"):
        PROBLEM.instance(renamed, from_x="px", from_y="py", to_y="qy")


def test_a_capitalised_column_of_scenarios_was_ignored() -> None:
    with rejects(InputError, "did you mean travel?", where="scenarios: column Travel"):
        PROBLEM.instance(POINTS, scenarios=LATE.rename(columns={"travel": "Travel"}))
