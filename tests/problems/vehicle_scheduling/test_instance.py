"""Instances: what is accepted, what is refused by name, files, arcs."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.io.dataset import read_instance, write_instance
from colayer.problems.vehicle_scheduling import VehicleScheduling
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance, content, read, write
from support import plain_vehicles as plain
from support.errors import rejects
from support.vehicle_documents import CITY, GOOD, assert_refused, changed, city, with_entry

DELAYS = CITY["district_delay"]


#: what is wrong → document, start of the error
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": (changed(colour=1), "colour"),
    "missing cost": (changed(vehicle_cost="DROP"), "vehicle_cost"),
    "missing begin": (changed(begin="DROP"), "begin"),
    "no travel": (changed(travel="DROP"), "travel"),
    "no scenario travel": (changed(scenario_travel="DROP"), "scenario_travel"),
    "city and travel": ({**GOOD, **city()}, "travel"),
    "negative vehicle cost": (changed(vehicle_cost=-1), "vehicle_cost"),
    "negative delay cost": (changed(delay_cost=-0.5), "delay_cost"),
    "cost is text": (changed(delay_cost="2"), "delay_cost"),
    "cost is true": (changed(delay_cost=True), "delay_cost"),
    "cost is infinite": (changed(delay_cost=math.inf), "delay_cost"),
    "cost is not a number": (changed(vehicle_cost=math.nan), "vehicle_cost"),
    "huge cost": (changed(vehicle_cost=10**400), "vehicle_cost"),
    "no task": (changed(begin=[]), "begin"),
    "begin is a number": (changed(begin=3), "begin"),
    "begin holds text": (changed(begin=[0, "x"]), "begin[1]"),
    "begin holds null": (changed(begin=[0, None]), "begin[1]"),
    "begin holds true": (changed(begin=[0, True]), "begin[1]"),
    "begin infinite": (changed(begin=[0, math.inf]), "begin[1]"),
    "begin huge": (changed(begin=[0, 1e300]), "begin[1]"),
    "end too short": (changed(end=[10]), "end"),
    "end at begin": (changed(end=[10, 30]), "end[1]"),
    "no scenario": (changed(scenario_begin=[]), "scenario_begin"),
    "scenario too short": (changed(scenario_begin=[[0, 30], [5]]), "scenario_begin[1]"),
    "scenario is flat": (changed(scenario_begin=[0, 30]), "scenario_begin[0]"),
    "fewer scenario ends": (changed(scenario_end=[[10, 40]]), "scenario_end"),
    "scenario end not a number": (
        changed(scenario_end=[[10, 40], [40, math.nan]]), "scenario_end[1][1]"),
    "travel not square": (changed(travel=[[None, 5]]), "travel"),
    "travel negative": (changed(travel=[[None, -5], [None, None]]), "travel[0][1]"),
    "travel infinite": (changed(travel=[[None, math.inf], [None, None]]), "travel[0][1]"),
    "scenario travel missing": (
        changed(scenario_travel=with_entry(GOOD["scenario_travel"], (1, 0, 1), None)),
        "scenario_travel[1][0][1]"),
    "scenario travel negative": (
        changed(scenario_travel=with_entry(GOOD["scenario_travel"], (0, 0, 1), -1)),
        "scenario_travel[0][0][1]"),
    "city other scenarios": (
        city(district_delay=DELAYS[:1], inter_delay=CITY["inter_delay"][:1]),
        "city.inter_delay"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_refused_by_name(what: str) -> None:
    assert_refused(*BAD[what])


def test_arrays_are_refused_by_name_too() -> None:
    with rejects(InputError, where="scenario_begin"):
        read(changed(scenario_begin=np.zeros((2, 3))))
    with rejects(InputError, where="begin"):
        read(changed(begin=np.array([True, False])))
    with rejects(InputError, where="end[1]"):
        read(changed(end=np.array([10, np.nan])))
    with rejects(InputError, where="travel"):
        Instance(**{**read(city()).__dict__, "travel": [[1]]})


@pytest.mark.parametrize("form", ["explicit", "city"])
@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_files_bring_the_instance_back(form: str, suffix: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    problem = VehicleScheduling()
    x = generate(3, tasks=9, scenarios=4)
    x = plain.explicit(x) if form == "explicit" else x
    write_instance(tmp_path / f"x.{suffix}", x, problem)
    again = read_instance(tmp_path / f"x.{suffix}")
    assert problem.content(again) == problem.content(x)
    assert [a.tolist() for a in again.arcs] == [a.tolist() for a in x.arcs]


def test_null_travel_and_null_scenario_travel_mean_no_arc() -> None:
    x = read(GOOD)
    assert x.arcs[0].tolist() == [0, 1, 1]
    assert x.arcs[1].tolist() == [1]
    assert read(write(x)).arcs[1].tolist() == [1]


def test_an_arc_needs_the_travel_time_and_not_more() -> None:
    """begin[v] ≥ end[u] + travel[u, v]: both sides of the boundary."""
    assert len(read(changed(travel=[[None, 20], [None, None]])).arcs[1]) == 1
    assert len(read(changed(travel=[[None, 20.001], [None, None]])).arcs[1]) == 0


def test_tasks_may_come_in_any_order() -> None:
    x = generate(1, tasks=12, scenarios=3)
    order = np.random.default_rng(0).permutation(12)
    y = plain.permuted(x, order)
    indptr, heads = y.arcs
    tails = np.repeat(np.arange(12), np.diff(indptr))
    there = {(int(order[u]), int(order[v])) for u, v in zip(tails, heads, strict=True)}
    assert there == set(plain.arcs(x))
    assert list(order[y.latest_first]) == list(range(11, -1, -1))


@pytest.mark.parametrize("seed", range(3))
def test_arcs_against_the_definition(seed: int) -> None:
    x = generate(seed, tasks=40, scenarios=2)
    indptr, heads = x.arcs
    tails = np.repeat(np.arange(40), np.diff(indptr)).tolist()
    assert list(zip(tails, heads.tolist(), strict=True)) == plain.arcs(x)
    assert heads.dtype == np.int32
    assert indptr.dtype == np.int64


def test_instances_are_read_only_and_travel_between_processes() -> None:
    x = generate(0, tasks=5, scenarios=2)
    again = pickle.loads(pickle.dumps(x))
    for instance in (x, again):
        with pytest.raises(ValueError, match="read-only"):
            instance.begin[0] = 0
        with pytest.raises(ValueError, match="read-only"):
            instance.city.start[0, 0] = 0
    assert np.array_equal(again.scenario_end, x.scenario_end)


def test_mean_delay_is_computed_once_or_noted() -> None:
    """Another pass over the scenarios may leave it behind; what is known already stays."""
    x = plain.by_hand()
    assert x.mean_delay.tolist() == [12.0, 0.0, 0.0]
    x.note_slacks(*np.zeros((3, 3)))
    assert x.mean_delay.tolist() == [12.0, 0.0, 0.0]
    noted = plain.by_hand()
    noted.note_slacks(*np.ones((3, 3)))
    assert noted.mean_delay.tolist() == [1.0, 1.0, 1.0]


def test_content_is_all_numbers_of_both_forms() -> None:
    x = generate(3, tasks=5, scenarios=2)
    late = Instance(x.vehicle_cost, x.delay_cost, x.begin, x.end, x.scenario_begin + 1, x.scenario_end, city=x.city)
    dear = Instance(x.delay_cost, x.vehicle_cost, x.begin, x.end, x.scenario_begin, x.scenario_end, city=x.city)
    others = [x, plain.explicit(x), late, dear, plain.permuted(x, [1, 0, 2, 3, 4])]
    assert len({content(other) for other in others}) == 5
    assert content(read(write(x))) == content(x)
