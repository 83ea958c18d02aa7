"""Instances from your own data: tasks as a table, travel times from coordinates or tables, scenarios given or drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.io.cells import words
from colayer.io.dates import as_date, clock_time
from colayer.io.tables import NAMES, Arguments, InputTable, table_of
from colayer.io.validate import number, refuse, table, whole
from colayer.problems.vehicle_scheduling.generator import DELAY_COST, SCENARIOS, VEHICLE_COST
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.places import MOST

#: Where a task begins and ends, where travel times come from coordinates.
POINTS = ("from_x", "from_y", "to_x", "to_y")
#: Travel times between places, a row per trip.
TRIPS = ("from", "to", "minutes")
#: Columns of a table of scenarios that are no task: its label, and what all travel times are multiplied by.
LABEL, FACTOR = "scenario", "travel"


def instance(
    tasks: Any = None,
    *,
    begin: Any = "begin",
    end: Any = "end",
    name: Any = None,
    travel: Any = None,
    from_x: Any = "from_x",
    from_y: Any = "from_y",
    to_x: Any = "to_x",
    to_y: Any = "to_y",
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
        begin: Scheduled begins, minutes, times of day (`7:30`) or dates: the name of a column of `tasks`, or values.
        end: Scheduled ends, likewise.
        name: Names of the tasks, likewise. By default those of a column `name`, `id` or `task`, else of the index.
        travel: Minutes from the end of a task to the begin of another: an array or a table with a row and a column per
            task, empty where there is no way, rows matched by their labels if they have some; or a table with columns
            `from`, `to` and `minutes` between the places of the columns `from` and `to` of the tasks, one direction if
            both take as long. Without it they come from coordinates as the crow flies.
        from_x: Where tasks begin: the name of a column of `tasks`, or values.
        from_y: Likewise.
        to_x: Where tasks end, likewise.
        to_y: Likewise.
        speed: Units of distance per minute, if travel times come from coordinates.
        scenarios: A table with a row per scenario and a column per task, minutes by which the task ends late, and
            optionally a column `travel`, a factor on all travel times; or the number of scenarios to draw.
        late: Mean of the exponential share by which drawn tasks take longer; another such share lengthens all trips.
        seed: Seed of drawn scenarios.
        vehicle_cost: Cost of a vehicle.
        delay_cost: Cost of a minute of delay.
    """
    points = {"from_x": from_x, "from_y": from_y, "to_x": to_x, "to_y": to_y}
    given = Arguments("tasks", tasks, begin=begin, end=end, name=name, **points)
    (begins, ends), origin = given.times("begin", "end")
    _check_midnight(given, begins, ends)
    names = given.names("name", "task", len(begins))
    with given.located():
        minutes = _travel(given, travel, speed, len(begins), names)
        delay, factor = _scenarios(scenarios, late, seed, begins, ends, names)
        refuse(ends + delay < begins, delay, "scenarios", "ends a task before it begins")
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
            origin=origin,
        )


def _check_midnight(given: Arguments, begins: Floats, ends: Floats) -> None:
    """Refuse a task from 22:00 to 6:00: which day 6:00 is of must be said."""
    for row, (begin, end, value) in enumerate(zip(begins, ends, given.values("end"), strict=False)):
        if end <= begin and ":" in str(value) and as_date(value) is None:
            later = clock_time(end + 1440.0, None)
            said = f"{value} is not after begin, expected {later} for the next day, or dates"
            raise InputError(said, where=given.where("end", row))


def _travel(given: Arguments, travel: Any, speed: float, n: int, names: list[Any] | None) -> Floats:
    """Return the minutes (n, n) from the end of each task to the begin of each other, NaN where there is no way."""
    if travel is None:
        if not any(given.gives(point) for point in POINTS):
            said = f"missing, expected columns {', '.join(POINTS)}, or travel times between tasks or places"
            raise InputError(said, where="travel")
        if number(speed, "speed") <= 0:
            raise InputError(f"{speed:g} is not positive, expected a number > 0", where="speed")
        x, y, to_x, to_y = (given.numbers(point) for point in POINTS)
        return np.hypot(to_x[:, None] - x, to_y[:, None] - y) / speed
    if _is_table(travel):
        trips = table_of(travel, "travel", source="travel")
        between_places = {name.strip().lower() for name in trips}.issuperset(TRIPS)
        return _between_places(given, trips) if between_places else _between_tasks(trips, n, names)
    return table(_plain(travel, "travel"), "travel", (n, n), gaps=True)


def _between_places(given: Arguments, trips: InputTable) -> Floats:
    """Return the minutes between the places of the tasks; the way back takes as long if only one way is given."""
    leave, arrive = (given.words(field) for field in ("to", "from"))
    told = Arguments("travel", trips)
    minutes = told.numbers("minutes", gaps=True)
    if (minutes < 0).any():
        row = int(np.argmax(minutes < 0))
        raise InputError(f"{minutes[row]:g} is negative, expected a number >= 0", where=told.where("minutes", row))
    known: dict[Any, float] = {}
    for row, (u, v, time) in enumerate(zip(told.words("from"), told.words("to"), minutes, strict=True)):
        before = known.setdefault((str(u), str(v)), time)
        if before != time and not (np.isnan(before) and np.isnan(time)):
            said = f"{time:g} from {short(u)} to {short(v)}, and {before:g} in a row before, expected one of them"
            raise InputError(said, where=told.where("minutes", row))
    found = np.empty((len(leave), len(arrive)))
    for i, u in enumerate(map(str, leave)):
        for j, v in enumerate(map(str, arrive)):
            time = known.get((u, v), known.get((v, u), 0.0 if u == v else None))
            if time is None:
                said = f"no row from {short(u)} to {short(v)}, expected the minutes of this trip (empty: no way)"
                raise InputError(said, where="travel")
            found[i, j] = time
    return found


def _between_tasks(given: InputTable, n: int, names: list[Any] | None) -> Floats:
    """Return a table with a row and a column per task; rows are matched by their labels if they have some."""
    label = next(
        (name for name in (*NAMES, "task", "from") if name in given and name not in map(str, names or ())), None
    )
    labels = given.index if label is None else given.words(label)
    own = InputTable({name: values for name, values in given.items() if name != label}, source=given.source)
    found = _by_task(own, "travel", names, n)
    if len(found) != n:
        raise InputError(f"{len(found)} rows, expected one per task, {n}", where="travel")
    if labels is None:
        return found
    rows = [str(row) for row in words(labels)]
    tasks = list(own) if names is None else [str(name) for name in names]
    for row in rows:
        if row not in tasks or rows.count(row) > 1:
            what = "labels two rows" if row in tasks else "labels a row and no column"
            raise InputError(f"{short(row)} {what}, expected one row per task", where="travel")
    return found[[rows.index(task) for task in tasks]]


def _by_task(given: InputTable, title: str, names: list[Any] | None, n: int) -> Floats:
    """Return a table with a column per task, by name if the tasks have names."""
    columns = [str(name) for name in names] if names is not None else list(given)
    told = Arguments(title, given)
    if names is None and len(columns) != n:
        raise InputError(f"{len(columns)} columns, expected one per task, {n}", where=title)
    return np.array([told.numbers(name, gaps=title == "travel") for name in columns]).T


def _scenarios(
    scenarios: Any, late: float, seed: int, begin: Floats, end: Floats, names: list[Any] | None
) -> tuple[Floats, Floats]:
    """Return the minutes (S, n) by which tasks end late, and the factors (S,) on travel times."""
    n = len(begin)
    if isinstance(scenarios, int | np.integer) and not isinstance(scenarios, bool):
        count = _affordable(whole(scenarios, "scenarios", least=1), n)
        if not 0.0 <= number(late, "late") <= 100.0:
            raise InputError(f"{late:g} is out of range, expected a share of 0 to 100", where="late")
        rng = np.random.default_rng(whole(seed, "seed"))
        shares = rng.exponential(late, size=(count, n + 1))
        return shares[:, :n] * np.maximum(end - begin, 0.0), 1.0 + shares[:, n]
    if _is_table(scenarios):
        given = table_of(scenarios, "scenarios", source="scenarios")
        own = {name: values for name, values in given.items() if name not in (LABEL, FACTOR)}
        tasks = [str(name) for name in names or own]
        for name in own:
            if name not in tasks and name.strip().lower() in (LABEL, FACTOR):
                said = f"no task of this name, did you mean {name.strip().lower()}?"
                raise InputError(said, where=given.about(name))
        delay = _by_task(InputTable(own, lines=given.lines, source=given.source), "scenarios", names, n)
        factor = Arguments("scenarios", given).numbers(FACTOR) if FACTOR in given else np.ones(len(delay))
        return delay, factor[: _affordable(len(delay), n)]
    delay = table(_plain(scenarios, "scenarios"), "scenarios", (None, n))
    return delay, np.ones(_affordable(len(delay), n))


def _affordable(scenarios: int, n: int) -> int:
    """Return the number of scenarios; refuse it if their travel times would fill the memory."""
    if scenarios * float(n) ** 2 > MOST:
        said = f"{scenarios} for {n} tasks are too many to hold, expected fewer scenarios or tasks"
        raise InputError(said, where="scenarios")
    return scenarios


def _is_table(values: Any) -> bool:
    """Tell a table (a DataFrame, columns, a list of rows by name) from an array."""
    rows = isinstance(values, list | tuple) and len(values) > 0 and isinstance(values[0], Mapping)
    return rows or hasattr(values, "columns") or isinstance(values, Mapping)


def _plain(values: Any, title: str) -> Any:
    """Return an array of an array or nested lists."""
    if isinstance(values, list | tuple | np.ndarray):
        return values
    raise InputError(f"{short(values)}, expected a table or an array", where=title)
