"""A timetable as an instance: empty trips by great circle, delays by the stated model, blocks as the published plan."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, Pipeline
from colayer.io.gtfs import read_day
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.delays import DelayModel
from colayer.problems.vehicle_scheduling.gtfs import instance_of, kilometres, published, recorded
from support.errors import rejects
from support.feed import FILES, feed

PROBLEM = VehicleScheduling()
TUESDAY = "2026-01-06"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return feed(tmp_path / "feed.zip")


def test_great_circles() -> None:
    """A degree of latitude is 111.2 km; a degree of longitude at 60° north is half of that."""
    found = kilometres(np.array([[60.0, 10.0]]), np.array([[61.0, 10.0], [60.0, 11.0], [60.0, 10.0]]))
    assert found == pytest.approx(np.array([[111.195, 55.597, 0.0]]), rel=1e-4)


def test_the_instance_of_a_day(path: Path) -> None:
    """r1 ends in the south at 7:30, b1 in the north at 7:40; north and south are 10.0 km apart."""
    instance = PROBLEM.from_gtfs(path, date=TUESDAY, speed=26, detour=1.3, scenarios=3)
    assert instance.names == ("r1", "b1", "r2", "n1")
    assert instance.begin.tolist() == [420.5, 430.0, 480.0, 1430.0]
    assert instance.origin == datetime(2026, 1, 6)
    assert (instance.scenarios, instance.vehicle_cost, instance.delay_cost) == (3, 400.0, 2.0)
    travel = instance.places.scheduled()
    assert travel[0, 2] == 0.0  # within a stop
    assert travel[1, 2] == pytest.approx(60 * 1.3 / 26 * 10.0075, rel=1e-3)
    assert instance.to_columns()["end"][3] == datetime(2026, 1, 7, 0, 25)


def test_scenarios_are_those_of_the_model(path: Path) -> None:
    model = DelayModel(late=0.2)
    instance = PROBLEM.from_gtfs(path, date=TUESDAY, delays=model, scenarios=5, seed=3)
    late, factor = model.draw(instance.begin, instance.end, 5, 3)
    assert np.array_equal(instance.scenario_end, instance.end + late)
    assert np.array_equal(instance.places.factor, factor)


def test_a_depot_makes_vehicles_dearer_by_the_mean_trip_out_and_back(path: Path) -> None:
    """At the north stop: two trips begin and two end there, the others in the south (10 km) and at the mill (5 km)."""
    free = PROBLEM.from_gtfs(path, date=TUESDAY, scenarios=1)
    instance = PROBLEM.from_gtfs(path, date=TUESDAY, scenarios=1, depot=(60.0, 10.0), speed=60, detour=1, drive_cost=2)
    assert instance.vehicle_cost - free.vehicle_cost == pytest.approx(2 * (10.0075 + 5.0038) / 2, rel=1e-3)
    plan = PROBLEM.table(
        np.array([2, 3, -1, -1]), instance
    )  # r1 and r2 from north to north, b1 and n1 from mill to mill
    assert plan["pull_out"] == pytest.approx([0.0, 0.0, 5.0038, 0.0], rel=1e-3)
    assert plan["pull_in"] == pytest.approx([0.0, 0.0, 0.0, 5.0038], rel=1e-3)
    assert "pull_out" not in PROBLEM.table(np.array([2, 3, -1, -1]), free)
    for depot in ((91.0, 0.0), (0.0, 181.0), (10.0, 60.0)):
        with rejects(InputError, where="depot"):
            PROBLEM.from_gtfs(path, date=TUESDAY, depot=depot)


def test_the_blocks_are_the_published_plan(path: Path) -> None:
    """Block B1 is r1, r2; block B2 is b1, n1."""
    day = read_day(path, TUESDAY)
    instance = instance_of(day, DelayModel())
    plan = published(day, instance)
    assert plan is not None
    assert (plan.successor.tolist(), plan.blocks, plan.connections, plan.infeasible) == ([2, 3, -1, -1], 2, 2, ())
    best = Pipeline(PROBLEM).solve(instance)
    assert best.cost <= PROBLEM.cost(plan.successor, instance)


def test_an_infeasible_connection_is_named_and_another_vehicle_goes_on(tmp_path: Path) -> None:
    """b1 ends in the north at 7:40, r2 begins in the south at 8:00, 31 minutes away."""
    path = feed(tmp_path / "feed.zip", trips=FILES["trips.txt"].replace("blue,week,b1,B2", "blue,week,b1,B1"))
    day = read_day(path, TUESDAY)
    plan = published(day, instance_of(day, DelayModel()))
    assert plan is not None
    assert plan.successor.tolist() == [-1, -1, -1, -1]
    assert plan.infeasible[1] == "block B1: b1 ends at 7:40, r2 begins at 8:00, 31 min away"


def test_a_layover_is_none_of_the_published_plan(path: Path) -> None:
    """r1 ends 30 minutes before r2 begins there; the plan is costed as published, and shorter rests are counted."""
    day = read_day(path, TUESDAY)
    free = instance_of(day, DelayModel())
    for layover, short in ((30, 0), (31, 1)):
        rested = instance_of(day, DelayModel(), layover=layover)
        plan = published(day, rested)
        assert plan is not None
        assert (plan.infeasible, plan.short, plan.vehicles) == ((), short, 2)
        assert PROBLEM.cost(plan.successor, replace(rested, layover=0.0)) == PROBLEM.cost(plan.successor, free)


def test_trips_without_blocks_give_no_published_plan(tmp_path: Path) -> None:
    day = read_day(feed(tmp_path / "feed.zip", trips=FILES["trips.txt"].replace("n1,B2", "n1,")), TUESDAY)
    assert published(day, instance_of(day, DelayModel())) is None


def test_recorded_delays_are_fitted(path: Path, tmp_path: Path) -> None:
    """Shares of lateness 0.1 and 0.2 (and early: 0); trips of other days are left out."""
    table = tmp_path / "late.csv"
    table.write_text("date,trip,delay\n2026-01-06,b1,3\n2026-01-06,r2,6\n2026-01-07,b1,-2\n2026-01-03,s1,30\n")
    day = read_day(path, TUESDAY)
    assert recorded(table, day).late == pytest.approx(0.1)
    fitted = PROBLEM.from_gtfs(path, date=TUESDAY, delays=table, scenarios=2)
    assert np.array_equal(fitted.scenario_end, instance_of(day, recorded(table, day), scenarios=2).scenario_end)
    table.write_text("date,trip,delay\n2026-01-03,s1,30\n")
    with rejects(InputError, "2026-01-06", where="late.csv: column trip"):
        recorded(table, day)
    table.write_text("date,trip,delay\n2026-01-06,r1,180\n2026-01-07,r1,240\n")
    with rejects(InputError, "not seconds", where=f"{table.name}: column delay"):
        PROBLEM.from_gtfs(path, date=TUESDAY, delays=table)


@pytest.mark.parametrize("option", ["speed", "detour", "layover", "drive_cost", "delay_cost", "scenarios", "seed"])
def test_options_are_checked(option: str, path: Path) -> None:
    wrong: dict[str, Any] = {option: -1, "depot": (60.0, 10.0)}
    with rejects(InputError, where=option):
        PROBLEM.from_gtfs(path, date=TUESDAY, **wrong)
