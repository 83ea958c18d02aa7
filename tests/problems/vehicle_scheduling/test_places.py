"""Minutes between places and factors by hour give the same instance as travel tables."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, read_instance, write_instance
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling import Instance, Places
from support.errors import rejects

PROBLEM = VehicleScheduling()
RNG = np.random.default_rng(5)
BEGIN = np.sort(RNG.uniform(300, 1600, size=12))
END = BEGIN + RNG.uniform(5, 90, size=12)
MINUTES = np.array([[0.0, 12.0, np.nan], [9.0, 0.0, 25.0], [14.0, 20.0, 0.0]])
START, FINISH = RNG.integers(0, 3, size=(2, 12))
FACTOR = RNG.uniform(1.0, 2.0, size=(4, 24))
HOME = np.array([4.0, 0.0, 7.0])
LATE = {"scenario_begin": np.tile(BEGIN, (4, 1)), "scenario_end": END + RNG.exponential(5, size=(4, 12))}
COMMON = {"vehicle_cost": 100.0, "delay_cost": 2.0, "begin": BEGIN, "end": END, **LATE}
WITH_PLACES = Instance(**COMMON, places=Places(START, FINISH, MINUTES, FACTOR, HOME), layover=3.0)


def test_travel_is_that_between_the_places_of_the_tasks() -> None:
    """A trip takes longer by the factor of the hour in which it leaves; 24:30 lies in the first hour."""
    travel = MINUTES[np.ix_(FINISH, START)]
    factor = FACTOR[:, (END // 60).astype(int) % 24]
    tables = Instance(**COMMON, travel=travel, scenario_travel=factor[:, :, None] * travel, layover=3.0)
    assert END.max() > 1440
    assert [a.tolist() for a in tables.arcs] == [a.tolist() for a in WITH_PLACES.arcs]
    for name in ("nominal", "table"):  # or kernels would be compiled anew
        assert getattr(WITH_PLACES.times, name).flags == getattr(tables.times, name).flags
    solution = PROBLEM.baseline("deterministic", tables)
    assert PROBLEM.cost(solution, WITH_PLACES) == PROBLEM.cost(solution, tables)
    assert np.array_equal(WITH_PLACES.mean_delay, tables.mean_delay)


def test_a_layover_is_scheduled_and_absorbs_delay() -> None:
    """begin[v] ≥ end[u] + layover + travel; a vehicle that is late leaves at once."""
    times = {"begin": [0, 15], "end": [10, 20], "travel": [[0, 3], [0, 0]], "scenarios": [[4, 0]]}
    plain = PROBLEM.instance(**times)
    for layover, arcs in ((0.0, 1), (2.0, 1), (2.5, 0)):
        common = {key: getattr(plain, key) for key in COMMON}
        rested = Instance(**common, travel=plain.travel, scenario_travel=plain.scenario_travel, layover=layover)
        assert len(rested.arcs[1]) == arcs
        if arcs:
            assert PROBLEM.cost(np.array([1, -1]), rested) == 1000 + 2 * 2  # arrives at 17, begins at 15


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_files_hold_them(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"day.{suffix}"
    write_instance(path, WITH_PLACES, PROBLEM)
    for again in (read_instance(path), pickle.loads(pickle.dumps(WITH_PLACES))):
        assert PROBLEM.content(again) == PROBLEM.content(WITH_PLACES)
        assert again.layover == 3.0
        assert again.to_columns()["from"] == START.tolist()
        assert again.places.home.tolist() == HOME.tolist()


def test_origin_is_kept_and_is_no_content(tmp_path: Path) -> None:
    dated = PROBLEM.instance(begin=["2026-01-05 07:00"], end=["2026-01-05 08:00"], travel=[[0]], scenarios=1, late=0)
    write_instance(tmp_path / "day.npz", dated, PROBLEM)
    assert read_instance(tmp_path / "day.npz").origin == dated.origin
    plain = PROBLEM.instance(begin=[420], end=[480], travel=[[0]], scenarios=1, late=0)
    assert PROBLEM.content(plain) == PROBLEM.content(dated)


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"minutes": MINUTES[:2]}, "places.minutes"),
        ({"minutes": -MINUTES}, "places.minutes[0][1]"),
        ({"factor": FACTOR[:, :23]}, "places.factor"),
        ({"factor": -FACTOR}, "places.factor[0][0]"),
        ({"factor": FACTOR[:3]}, "places.factor"),
        ({"start": START + 3}, "places.start[0]"),
        ({"finish": FINISH + 0.5}, "places.finish[0]"),
        ({"start": START[:3], "finish": FINISH[:3]}, "places.start"),
        ({"finish": FINISH[:3]}, "places.finish"),
        ({"home": HOME[:2]}, "places.home"),
        ({"home": -HOME}, "places.home[0]"),
        ({"more": 1}, "places.more"),
    ],
)
def test_a_mistake_is_named(changed: dict[str, Any], where: str) -> None:
    places = {"start": START, "finish": FINISH, "minutes": MINUTES, "factor": FACTOR, **changed}
    with rejects(InputError, where=where):
        PROBLEM.read({**COMMON, "places": places})


def test_places_are_no_second_form() -> None:
    for wrong in ("here", 3):
        with rejects(InputError, where="places"):
            PROBLEM.read({**COMMON, "places": wrong})
        with rejects(InputError, where="places"):
            Instance(**COMMON, places=wrong)
    with rejects(InputError, where="travel"):
        Instance(**COMMON, places=WITH_PLACES.places, travel=np.zeros((12, 12)), scenario_travel=np.zeros((4, 12, 12)))
    with rejects(InputError, where="layover"):
        Instance(**COMMON, places=WITH_PLACES.places, layover=-1.0)
