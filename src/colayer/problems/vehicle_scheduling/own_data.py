"""Instances from your own data: tasks as a table, travel times from coordinates or tables, scenarios given or drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.io.tables import Arguments, InputTable, table_of, words
from colayer.io.validate import number, table, whole
from colayer.problems.vehicle_scheduling.generator import DELAY_COST, SCENARIOS, VEHICLE_COST
from colayer.problems.vehicle_scheduling.instance import Instance

#: Where a task begins and ends, where travel times come from coordinates.
POINTS = ("from_x", "from_y", "to_x", "to_y")
#: Travel times between places, a row per trip.
TRIPS = ("from", "to", "minutes")
#: Columns of a table of scenarios that are no task: its label, and what all travel times are multiplied by.
LABEL, FACTOR = "scenario", "travel"
#: The most entries of travel times by scenario: 1.6 GB.
_MOST = 2e8


def instance(
    tasks: Any = None,
    *,
    begin: Any = "begin",
    end: Any = "end",
    name: Any = None,
    travel: Any = None,
    speed: float = 1.0,
    scenarios: Any = SCENARIOS,
    late: float = 0.2,
    seed: int = 0,
    vehicle_cost: float = VEHICLE_COST,
    delay_cost: float = DELAY_COST,
) -> Instance:
    """Make an instance from a table of tasks or from lists.

    Parameters:
        tasks: A DataFrame, a dict of columns, or a list of rows.
        begin: Scheduled begins, minutes or times of day (`7:30`): the name of a column of `tasks`, or values.
        end: Scheduled ends, likewise.
        name: Names of the tasks, likewise. By default those of a column `name`, `id` or `task`, else of the index.
        travel: Minutes from the end of a task to the begin of another: an array or a table with a row and a column per
            task, empty where there is no way; or a table with columns `from`, `to` and `minutes` between the places of
            the columns `from` and `to` of the tasks, one direction if both take as long. Without it they come from the
            columns `from_x`, `from_y`, `to_x`, `to_y` as the crow flies.
        speed: Units of distance per minute, if travel times come from coordinates.
        scenarios: A table with a row per scenario and a column per task, minutes by which the task ends late, and
            optionally a column `travel`, a factor on all travel times; or the number of scenarios to draw.
        late: Mean of the exponential share by which drawn tasks take longer; another such share lengthens all trips.
        seed: Seed of drawn scenarios.
        vehicle_cost: Cost of a vehicle.
        delay_cost: Cost of a minute of delay.
    """
    given = Arguments("tasks", tasks, begin=begin, end=end, name=name)
    begins, ends = given.numbers("begin"), given.numbers("end")
    names = given.names("name", "task", len(begins))
    with given.located():
        minutes = _travel(given, travel, speed, len(begins), names)
        delay, factor = _scenarios(scenarios, late, seed, begins, ends, names)
        return Instance(
            vehicle_cost=vehicle_cost,
            delay_cost=delay_cost,
            begin=begins,
            end=ends,
            scenario_begin=np.tile(begins, (len(delay), 1)),
            scenario_end=ends + delay,
            travel=minutes,
            scenario_travel=factor[:, None, None] * minutes,
            names=None if names is None else tuple(names),
        )


def _travel(given: Arguments, travel: Any, speed: float, n: int, names: list[Any] | None) -> Floats:
    """Return the minutes (n, n) from the end of each task to the begin of each other, NaN where there is no way."""
    if travel is None:
        if not all(given.has(point) for point in POINTS):
            said = f"missing, expected columns {', '.join(POINTS)}, or travel times between tasks or places"
            raise InputError(said, where="travel")
        if number(speed, "speed") <= 0:
            raise InputError(f"{speed:g} is not positive, expected a number > 0", where="speed")
        x, y, to_x, to_y = (given.numbers(point) for point in POINTS)
        return np.hypot(to_x[:, None] - x, to_y[:, None] - y) / speed
    if hasattr(travel, "columns") or isinstance(travel, dict | InputTable):
        trips = table_of(travel, "travel", source="travel")
        return _between_places(given, trips) if set(TRIPS) <= set(trips) else _by_task(trips, "travel", n, names, n)
    return table(_plain(travel, "travel"), "travel", (n, n), gaps=True)


def _between_places(given: Arguments, trips: InputTable) -> Floats:
    """Return the minutes between the places of the tasks; the way back takes as long if only one way is given."""
    leave, arrive = (words(given.values(field)) for field in ("to", "from"))
    told = Arguments("travel", trips)
    minutes = told.numbers("minutes", gaps=True)
    if (minutes < 0).any():
        row = int(np.argmax(minutes < 0))
        raise InputError(f"{minutes[row]:g} is negative, expected a number >= 0", where=told.where("minutes", row))
    known: dict[Any, float] = {}
    for u, v, time in zip(words(trips["from"]), words(trips["to"]), minutes, strict=True):
        known[str(u), str(v)] = time
    found = np.empty((len(leave), len(arrive)))
    for i, u in enumerate(map(str, leave)):
        for j, v in enumerate(map(str, arrive)):
            time = known.get((u, v), known.get((v, u), 0.0 if u == v else None))
            if time is None:
                said = f"no row from {short(u)} to {short(v)}, expected the minutes of this trip (empty: no way)"
                raise InputError(said, where="travel")
            found[i, j] = time
    return found


def _by_task(given: InputTable, title: str, rows: int | None, names: list[Any] | None, n: int) -> Floats:
    """Return a table with a column per task, by name if the tasks have names."""
    columns = [str(name) for name in names] if names is not None else list(given)
    told = Arguments(title, given)
    if names is None and len(columns) != n:
        raise InputError(f"{len(columns)} columns, expected one per task, {n}", where=title)
    found = np.array([told.numbers(name, gaps=title == "travel") for name in columns]).T
    if rows is not None and len(found) != rows:
        raise InputError(f"{len(found)} rows, expected one per task, {rows}", where=title)
    return found


def _scenarios(
    scenarios: Any, late: float, seed: int, begin: Floats, end: Floats, names: list[Any] | None
) -> tuple[Floats, Floats]:
    """Return the minutes (S, n) by which tasks end late, and the factors (S,) on travel times."""
    n = len(begin)
    if isinstance(scenarios, int | np.integer) and not isinstance(scenarios, bool):
        count = _affordable(whole(scenarios, "scenarios", least=1), n)
        if number(late, "late") < 0:
            raise InputError(f"{late:g} is negative, expected a share >= 0", where="late")
        rng = np.random.default_rng(whole(seed, "seed"))
        shares = rng.exponential(late, size=(count, n + 1))
        return shares[:, :n] * np.maximum(end - begin, 0.0), 1.0 + shares[:, n]
    if hasattr(scenarios, "columns") or isinstance(scenarios, dict | InputTable):
        given = table_of(scenarios, "scenarios", source="scenarios")
        own = {name: values for name, values in given.items() if name not in (LABEL, FACTOR)}
        delay = _by_task(InputTable(own, lines=given.lines, source=given.source), "scenarios", None, names, n)
        factor = Arguments("scenarios", given).numbers(FACTOR) if FACTOR in given else np.ones(len(delay))
        return delay, factor[: _affordable(len(delay), n)]
    delay = table(_plain(scenarios, "scenarios"), "scenarios", (None, n))
    return delay, np.ones(_affordable(len(delay), n))


def _affordable(scenarios: int, n: int) -> int:
    """Return the number of scenarios; refuse it if their travel times would fill the memory."""
    if scenarios * float(n) ** 2 > _MOST:
        said = f"{scenarios} for {n} tasks are too many to hold, expected fewer scenarios or tasks"
        raise InputError(said, where="scenarios")
    return scenarios


def _plain(values: Any, title: str) -> Any:
    """Return an array of an array or nested lists."""
    if isinstance(values, list | tuple | np.ndarray):
        return values
    raise InputError(f"{short(values)}, expected a table or an array", where=title)
