"""Instances of stochastic vehicle scheduling: data, validation, file format.

The city form holds coordinates and delays by district, hour and scenario; the form of places holds minutes between few
places and factors by hour and scenario; the explicit form holds travel tables. All give the same interface to
everything after them: `times` for the kernels, and `arcs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.text import counted, printable
from colayer._runtime.threads import share
from colayer.errors import InputError
from colayer.io.dates import checked_origin, clock_time, dates_or_numbers
from colayer.io.frames import HasFrame
from colayer.io.validate import named, names, refuse
from colayer.problems.vehicle_scheduling.city import City, number, read_city, table, write_city
from colayer.problems.vehicle_scheduling.kernels.slack import summaries_into
from colayer.problems.vehicle_scheduling.kernels.travel import Times, arcs, leave_into
from colayer.problems.vehicle_scheduling.places import MOST, Places, read_places, write_places

_COMMON = ("vehicle_cost", "delay_cost", "begin", "end", "scenario_begin", "scenario_end")
_EXPLICIT = ("travel", "scenario_travel")
_OPTIONAL = ("names", "layover", "origin")
#: Arcs times scenarios from which on threads save more than they cost.
SMALL = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Instance(HasFrame):
    """n tasks and S equally likely scenarios of their times, in minutes (read-only float64 arrays).

    Travel times come from `city`, from `places`, or from the tables `travel` (n, n), NaN where there is no arc, and
    `scenario_travel` (S, n, n), whose entries only matter where there is an arc. `names`, if given, are distinct;
    solutions are then written with them. A vehicle is scheduled to rest for at least `layover` minutes between tasks,
    which a late one may use. With an `origin`, times are minutes since then, and tables of solutions hold dates.
    """

    vehicle_cost: float
    delay_cost: float
    begin: Floats  # (n,)
    end: Floats  # (n,)
    scenario_begin: Floats  # (S, n)
    scenario_end: Floats  # (S, n)
    travel: Floats | None = None
    scenario_travel: Floats | None = None
    city: City | None = None
    names: tuple[Any, ...] | None = None
    places: Places | None = None
    layover: float = 0.0
    origin: datetime | None = None

    def __post_init__(self) -> None:
        for field in ("vehicle_cost", "delay_cost", "layover"):
            value = number(getattr(self, field), field)
            if value < 0:
                raise InputError(f"{value:g} is negative, expected a number >= 0", where=field)
            object.__setattr__(self, field, value)
        begin = table(self.begin, "begin", (None,))
        n = len(begin)
        end = table(self.end, "end", (n,))
        refuse(end <= begin, end, "end", "is not after begin, expected end > begin")
        scenario_begin = table(self.scenario_begin, "scenario_begin", (None, n))
        scenario_end = table(self.scenario_end, "scenario_end", (len(scenario_begin), n))
        arrays = {"begin": begin, "end": end, "scenario_begin": scenario_begin, "scenario_end": scenario_end}
        given = [form for form in ("city", "places", *_EXPLICIT) if getattr(self, form) is not None]
        if self.city is None and self.places is None:
            arrays |= _travel_tables(self.travel, self.scenario_travel, len(scenario_begin), n)
        elif len(given) > 1:
            raise InputError("pass travel times, a city or places, one of them", where=given[1])
        elif self.city is not None:
            _check_city(self.city, len(scenario_begin), n)
        else:
            _check_places(self.places, len(scenario_begin), n)
        object.__setattr__(self, "names", names(self.names, "names", n))
        object.__setattr__(self, "origin", checked_origin(self.origin))
        for field, array in arrays.items():
            object.__setattr__(self, field, array)

    def __reduce__(self) -> tuple[Any, ...]:
        # read-only again on the other side; what is cached stays here
        keys = (*_COMMON, *_EXPLICIT, "city", "names", "places", "layover", "origin")
        return Instance, tuple(getattr(self, key) for key in keys)

    def __repr__(self) -> str:
        """Return one line: tasks, scenarios, hours."""
        hours = " to ".join(clock_time(t, self.origin) for t in (float(self.begin.min()), float(self.end.max())))
        sizes = f"{counted(self.tasks, 'task')}, {counted(self.scenarios, 'scenario')}"
        return f"Instance(vehicle-scheduling: {sizes}, {hours})"

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`: one row per task, with dates if times count from an `origin`."""
        columns = {
            "task": named(np.arange(self.tasks), self.names),
            "begin": dates_or_numbers(self.begin, self.origin),
            "end": dates_or_numbers(self.end, self.origin),
            "mean_late": (self.scenario_end.mean(axis=0) - self.end).tolist(),
        }
        if self.city is not None:
            points = (self.city.start, self.city.finish)
            columns |= {
                f"{side}_{axis}": where[:, k].tolist()
                for side, where in zip(("from", "to"), points, strict=True)
                for k, axis in enumerate("xy")
            }
        if self.places is not None:
            columns |= {"from": self.places.start.tolist(), "to": self.places.finish.tolist()}
        return columns

    @property
    def tasks(self) -> int:
        """Return n."""
        return len(self.begin)

    @property
    def scenarios(self) -> int:
        """Return S."""
        return len(self.scenario_begin)

    @cached_property
    def times(self) -> Times:
        """Return writable copies of all times for the kernels, scenarios last."""
        end = np.array(self.scenario_end.T, order="C")
        common: dict[str, Any] = {
            "explicit": self.city is None,
            "task_begin": np.array(self.begin),
            "task_end": self.end + self.layover,
            "begin": np.array(self.scenario_begin.T, order="C"),
            "end": end,
        }
        if self.travel is not None and self.scenario_travel is not None:
            table = np.array(self.scenario_travel.transpose(1, 2, 0), order="C")
            return Times(**common, nominal=np.array(self.travel), table=table)
        if self.places is not None:
            nominal = self.places.scheduled()
            return Times(**common, nominal=nominal, table=self.places.under_scenarios(nominal, self.end))
        city = cast("City", self.city)
        district, inter = city.tables()
        leave = np.empty(end.shape)
        leave_into(end, city.zones(city.finish), district, inter, leave)
        return Times(
            **common,
            start=np.array(city.start),
            finish=np.array(city.finish),
            leave=leave,
            zone=city.zones(city.start),
            district=district,
        )

    @cached_property
    def arcs(self) -> tuple[Ints, NDArray[np.int32]]:
        """Return the arcs between tasks, (indptr (n + 1), heads), by (tail, head).

        (u, v) is one if begin[v] ≥ end[u] + layover + travel[u, v].
        """
        indptr, heads = arcs(self.times)
        return indptr, heads

    @cached_property
    def slacks(self) -> tuple[Singles, Singles, Floats]:
        """Return mean slack, least slack and mean delay E[max(−slack, 0)] of every arc.

        `features` computes them too and stores them here.
        """
        indptr, heads = self.arcs
        mean, least = np.empty((2, len(heads)), dtype=np.float32)
        delays = np.empty(len(heads))
        times = self.times

        def fill(low: int, high: int) -> None:
            summaries_into(times, indptr, heads, low, high, mean, least, delays)

        self.over_tails(fill)
        return mean, least, delays

    def note_slacks(self, mean: Singles, least: Singles, delays: Floats) -> None:
        """Keep `slacks` as another pass over the scenarios found them, so that they need none of their own."""
        self.__dict__.setdefault("slacks", (mean, least, delays))

    @property
    def mean_delay(self) -> Floats:
        """Return the mean delay of the head of every arc if the vehicle left its tail in time."""
        return self.slacks[2]

    def over_tails(self, work: Callable[[int, int], None]) -> None:
        """Call work(low, high) so as to cover the tails 0 … n − 1, by threads where that pays."""
        share(work, self.arcs[0], least=SMALL // self.scenarios)

    @cached_property
    def latest_first(self) -> Ints:
        """Return the tasks by begin, the last first, ties by index (the larger first): the layer's insertion order."""
        return np.argsort(self.begin, kind="stable")[::-1].copy()


def read(document: Mapping[str, Any]) -> Instance:
    """Return the instance of a file's own keys; a city, places or the two travel tables."""
    form: tuple[str, ...] = next(((key,) for key in ("city", "places") if key in document), _EXPLICIT)
    keys = (*_COMMON, *form)
    for key in document:
        if key not in (*keys, *_OPTIONAL, "format", "problem"):
            raise InputError(f"unknown key, expected {', '.join(keys)}", where=printable(str(key)))
    for key in keys:
        if key not in document:
            what = "missing" if key in _COMMON else "missing, expected travel and scenario_travel, city, or places"
            raise InputError(what, where=key)
    values = {key: document[key] for key in (*keys, *_OPTIONAL) if key in document}
    for key, read_part in (("city", read_city), ("places", read_places)):
        if key in values:
            values[key] = read_part(values[key])
    return Instance(**values)


def write(instance: Instance) -> dict[str, Any]:
    """Return the fields of the file format, as arrays; NaN in `travel` (no arc) is null in JSON."""
    document: dict[str, Any] = {key: getattr(instance, key) for key in _COMMON}
    if instance.names is not None:
        document["names"] = list(instance.names)
    if instance.layover:
        document["layover"] = instance.layover
    if instance.origin is not None:
        document["origin"] = instance.origin.isoformat()
    if instance.city is not None:
        return {**document, "city": write_city(instance.city)}
    if instance.places is not None:
        return {**document, "places": write_places(instance.places)}
    return {**document, **{key: getattr(instance, key) for key in _EXPLICIT}}


def content(instance: Instance) -> bytes:
    """Return all numbers of the instance as bytes, each array with its name."""
    document = write(instance)
    for key in ("names", "origin"):
        document.pop(key, None)
    for part in ("city", "places"):
        document |= {f"{part}.{key}": value for key, value in document.pop(part, {}).items()}
    return b"".join(key.encode() + np.asarray(value).tobytes() for key, value in document.items())


def _travel_tables(travel: Any, scenario_travel: Any, scenarios: int, n: int) -> dict[str, Floats]:
    """Check the explicit form and return it; entries of scenario_travel without an arc become 0."""
    if travel is None or scenario_travel is None:
        raise InputError("missing, expected travel and scenario_travel, city, or places", where="travel")
    nominal = table(travel, "travel", (n, n), gaps=True)
    refuse(nominal < 0, nominal, "travel", "is negative, expected a number >= 0, or null")
    times = table(scenario_travel, "scenario_travel", (scenarios, n, n), gaps=True)
    absent = np.isnan(nominal)
    refuse(np.isnan(times) & ~absent, times, "scenario_travel", "where travel is given, expected a number")
    refuse((times < 0) & ~absent, times, "scenario_travel", "is negative, expected a number >= 0")
    times = np.where(absent, 0.0, times)
    times.setflags(write=False)
    return {"travel": nominal, "scenario_travel": times}


def _check_city(city: Any, scenarios: int, n: int) -> None:
    if not isinstance(city, City):
        raise InputError("expected a City", where="city")
    for field, length, expected in (("start", len(city.start), n), ("inter_delay", len(city.inter_delay), scenarios)):
        if length != expected:
            raise InputError(f"{length} entries, expected {expected}", where=f"city.{field}")


def _check_places(places: Any, scenarios: int, n: int) -> None:
    if not isinstance(places, Places):
        raise InputError("expected Places", where="places")
    for field, length, expected in (("start", len(places.start), n), ("factor", len(places.factor), scenarios)):
        if length != expected:
            raise InputError(f"{length} entries, expected {expected}", where=f"places.{field}")
    if scenarios * float(n) ** 2 > MOST:
        said = f"{scenarios} scenarios of {n} tasks are too many to hold, expected fewer scenarios or tasks"
        raise InputError(said, where="places.factor")
