"""Documents of vehicle scheduling instances, right ones and with one thing changed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from colayer.errors import InputError
from colayer.problems.vehicle_scheduling.instance import read
from support.errors import rejects

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
    """The instance in a city; "DROP" leaves a key of the city out."""
    common = {k: v for k, v in GOOD.items() if k not in ("travel", "scenario_travel")}
    return {**common, "city": {k: v for k, v in {**CITY, **changes}.items() if v != "DROP"}}


def changed(**changes: Any) -> dict[str, Any]:
    """The instance with travel tables; "DROP" leaves a key out."""
    return {k: v for k, v in {**GOOD, **changes}.items() if not (isinstance(v, str) and v == "DROP")}


def with_entry(values: Any, index: tuple[int, ...], value: Any) -> Any:
    """Nested lists with one entry replaced."""
    copy = json.loads(json.dumps(values))
    row = copy
    for i in index[:-1]:
        row = row[i]
    row[index[-1]] = value
    return copy


def assert_refused(document: dict[str, Any], where: str) -> None:
    """Reading the document ends with one line that names this place."""
    with rejects(InputError, where=where):
        read(document)
