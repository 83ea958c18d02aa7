"""Instances: what is accepted, what is refused by name, files, the generator."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
from support import plain_vehicles as plain
import pytest

from colayer.dataset import read_instance, write_instance
from colayer.errors import InputError
from colayer.problems.vehicle_scheduling import VehicleScheduling
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance, read, write

#: Two tasks, 0 then 1, and two scenarios.
GOOD: dict[str, Any] = {
    "vehicle_cost": 1000.0,
    "delay_cost": 2.0,
    "begin": [0, 30],
    "end": [10, 40],
    "travel": [[None, 5], [None, None]],
    "scenario_begin": [[0, 30], [5, 31]],
    "scenario_end": [[10, 40], [40, 45]],
    "scenario_travel": [[[None, 6], [None, None]], [[0, 7], [0, 0]]],
}
CITY: dict[str, Any] = {
    "width": 20,
    "district_width": 10,
    "start": [[0, 0], [3, 4]],
    "finish": [[0, 0], [20, 20]],
    "district_delay": np.ones((2, 24, 2, 2)).tolist(),
    "inter_delay": np.zeros((2, 24)).tolist(),
}


def city(**changes: Any) -> dict[str, Any]:
    common = {k: v for k, v in GOOD.items() if k not in ("travel", "scenario_travel")}
    return {**common, "city": {k: v for k, v in {**CITY, **changes}.items() if v != "DROP"}}


def changed(**changes: Any) -> dict[str, Any]:
    return {k: v for k, v in {**GOOD, **changes}.items() if not (isinstance(v, str) and v == "DROP")}


def with_entry(values: Any, index: tuple[int, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(values))
    row = copy
    for i in index[:-1]:
        row = row[i]
    row[index[-1]] = value
    return copy


DELAYS = CITY["district_delay"]

#: what is wrong → document, start of the error
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": (changed(colour=1), "colour: unknown key, expected vehicle_cost"),
    "missing cost": (changed(vehicle_cost="DROP"), "vehicle_cost: missing"),
    "missing begin": (changed(begin="DROP"), "begin: missing"),
    "no travel": (changed(travel="DROP"), "travel: missing, expected travel and scenario_travel, or city"),
    "no scenario travel": (changed(scenario_travel="DROP"), "scenario_travel: missing"),
    "city and travel": ({**GOOD, **city()}, "travel: unknown key"),
    "negative vehicle cost": (changed(vehicle_cost=-1), "vehicle_cost: -1 is negative"),
    "negative delay cost": (changed(delay_cost=-0.5), "delay_cost: -0.5 is negative"),
    "cost is text": (changed(delay_cost="2"), "delay_cost: '2' is not a number"),
    "cost is true": (changed(delay_cost=True), "delay_cost: True is not a number"),
    "cost is infinite": (changed(delay_cost=math.inf), "delay_cost: inf is out of range"),
    "cost is not a number": (changed(vehicle_cost=math.nan), "vehicle_cost: nan is out of range"),
    "huge cost": (changed(vehicle_cost=10**400), "vehicle_cost: a number too large"),
    "no task": (changed(begin=[]), "begin: empty"),
    "begin is a number": (changed(begin=3), "begin: 3 is not a list of numbers"),
    "begin holds text": (changed(begin=[0, "x"]), "begin[1]: 'x' is not a number"),
    "begin holds null": (changed(begin=[0, None]), "begin[1]: None is not a number"),
    "begin holds true": (changed(begin=[0, True]), "begin[1]: True is not a number"),
    "begin infinite": (changed(begin=[0, math.inf]), "begin[1]: inf is not finite"),
    "begin huge": (changed(begin=[0, 1e300]), "begin[1]: 1e+300 is out of range"),
    "end too short": (changed(end=[10]), "end: 1 entries, expected 2"),
    "end at begin": (changed(end=[10, 30]), "end[1]: 30 is not after begin"),
    "no scenario": (changed(scenario_begin=[]), "scenario_begin: empty"),
    "scenario too short": (changed(scenario_begin=[[0, 30], [5]]), "scenario_begin[1]: 1 entries, expected 2"),
    "scenario is flat": (changed(scenario_begin=[0, 30]), "scenario_begin[0]: 0 is not a list of numbers"),
    "fewer scenario ends": (changed(scenario_end=[[10, 40]]), "scenario_end: 1 entries, expected 2"),
    "scenario end not a number": (
        changed(scenario_end=[[10, 40], [40, math.nan]]), "scenario_end[1][1]: nan is not finite"),
    "travel not square": (changed(travel=[[None, 5]]), "travel: 1 entries, expected 2"),
    "travel negative": (changed(travel=[[None, -5], [None, None]]), "travel[0][1]: -5 is negative"),
    "travel infinite": (changed(travel=[[None, math.inf], [None, None]]), "travel[0][1]: inf is not finite"),
    "scenario travel missing": (
        changed(scenario_travel=with_entry(GOOD["scenario_travel"], (1, 0, 1), None)),
        "scenario_travel[1][0][1]: nan where travel is given"),
    "scenario travel negative": (
        changed(scenario_travel=with_entry(GOOD["scenario_travel"], (0, 0, 1), -1)),
        "scenario_travel[0][0][1]: -1 is negative"),
    "city is a list": ({**city(), "city": [1]}, "city: expected an object"),
    "city unknown key": (city(name="Paris"), "city.name: unknown key, expected width"),
    "city missing key": (city(start="DROP"), "city.start: missing"),
    "city no width": (city(width=0), "city.width: 0 is not positive"),
    "city tiny districts": (city(district_width=1e-6), "city.district_width: 1e-06 is out of range"),
    "city point outside": (city(start=[[0, 0], [3, 20.5]]), "city.start[1][1]: 20.5 is outside the city"),
    "city point short": (city(finish=[[0, 0], [3]]), "city.finish[1]: 1 entries, expected 2"),
    "city too few points": (city(start=[[0, 0]], finish=[[0, 0]]), "city.start: 1 entries, expected 2"),
    "city 23 hours": (city(inter_delay=np.zeros((2, 23)).tolist()), "city.inter_delay[0]: 23 entries, expected 24"),
    "city other districts": (
        city(district_width=5), "city.district_delay[0][0]: 2 entries, expected 4"),
    "city negative delay": (
        city(district_delay=with_entry(DELAYS, (1, 3, 0, 1), -1)), "city.district_delay[1][3][0][1]: -1 is negative"),
    "city other scenarios": (
        city(district_delay=DELAYS[:1], inter_delay=CITY["inter_delay"][:1]),
        "city.inter_delay: 1 entries, expected 2"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_refused_by_name(what: str) -> None:
    document, message = BAD[what]
    with pytest.raises(InputError) as caught:
        read(document)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_arrays_are_refused_by_name_too() -> None:
    with pytest.raises(InputError, match=r"^scenario_begin: an array of shape \(2, 3\), expected \(any, 2\)"):
        read(changed(scenario_begin=np.zeros((2, 3))))
    with pytest.raises(InputError, match=r"^begin: an array of bool, expected numbers"):
        read(changed(begin=np.array([True, False])))
    with pytest.raises(InputError, match=r"^end\[1\]: nan is not finite"):
        read(changed(end=np.array([10, np.nan])))
    with pytest.raises(InputError, match=r"^travel: given beside a city"):
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


def test_the_generator_draws_what_it_says() -> None:
    x = generate(0, tasks=2000, scenarios=30)
    c = x.city
    assert c is not None
    assert (c.width, c.district_width, c.districts) == (50.0, 10.0, 5)
    assert np.all(np.diff(x.begin) >= 0)
    assert x.begin.min() >= 360
    assert x.begin.max() <= 1200
    ratio = (x.end - x.begin) / np.sqrt(((c.finish - c.start) ** 2).sum(axis=1))
    assert 1.2 <= ratio.min() < 1.21
    assert 1.59 < ratio.max() <= 1.6
    late = np.log(x.scenario_begin - x.begin)  # normal with mean U(1, 3) and deviation U(0.8, 1.2) by task
    assert abs(late.mean() - 2.0) < 0.05
    assert abs(late.std(axis=0).mean() - 1.0) < 0.03
    delay = np.array(c.district_delay)
    fresh = np.log(delay[:, 1:] - delay[:, :-1] / 2)
    assert abs(fresh.mean() - 1.0) < 0.1
    assert abs(fresh.std(axis=(0, 1)).mean() - 0.5) < 0.05
    assert np.allclose(np.log(c.inter_delay[:, 1:] / (c.inter_delay[:, :-1] + 0.1)).mean(), 0.02, atol=0.01)
    assert np.allclose(c.inter_delay[:, 0], 0.1, rtol=0.3)
    for s, task in ((0, 0), (7, 1500)):
        arrives = plain.trip(
            c, s, x.scenario_begin[s, task], x.end[task] - x.begin[task], c.start[task], c.finish[task]
        )
        assert math.isclose(arrives, x.scenario_end[s, task], rel_tol=1e-12)


@pytest.mark.parametrize("size", ["tasks", "scenarios"])
def test_the_generator_refuses_nothing_at_all(size: str) -> None:
    with pytest.raises(InputError, match=f"^{size}: 0 is out of range"):
        generate(0, **{size: 0})


def test_instances_are_read_only_and_travel_between_processes() -> None:
    x = generate(0, tasks=5, scenarios=2)
    again = pickle.loads(pickle.dumps(x))
    for instance in (x, again):
        with pytest.raises(ValueError, match="read-only"):
            instance.begin[0] = 0
        with pytest.raises(ValueError, match="read-only"):
            instance.city.start[0, 0] = 0
    assert np.array_equal(again.scenario_end, x.scenario_end)
