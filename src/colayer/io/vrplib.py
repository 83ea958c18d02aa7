"""Static routing problems with time windows, from public files.

VRPLIB files with `EDGE_WEIGHT_TYPE` EXPLICIT (a `FULL_MATRIX`, one row per line) or EUC_2D, and tables of Solomon and
Homberger. Sections, counts and places are checked; what is wrong is refused by section or line.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import counted, first_line, printable, short
from colayer.errors import InputError, OptionError
from colayer.io.feed import DAMAGED
from colayer.io.files import read_bytes
from colayer.io.validate import number, refuse, table

Rounding = Literal["none", "nearest", "tenth"]
#: Of a Euclidean distance: not at all, as TSPLIB says, or cut after one decimal, as the DIMACS challenge says.
ROUNDINGS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda distance: distance,
    "nearest": lambda distance: np.floor(distance + 0.5),
    "tenth": lambda distance: np.floor(10.0 * distance) / 10.0,
}
#: section → numbers of each line; None: as many as there are places.
_SECTIONS = {
    "EDGE_WEIGHT_SECTION": None,
    "NODE_COORD_SECTION": 3,
    "DEMAND_SECTION": 2,
    "SERVICE_TIME_SECTION": 2,
    "TIME_WINDOW_SECTION": 3,
}
#: The columns of a Solomon table: place, x, y, demand, opening, closing, service.
_SOLOMON = 7
_Lines = list[tuple[int, str]]


@dataclass(frozen=True, eq=False, repr=False)
class StaticRouting:
    """A depot, place 0, and customers, places 1 … n, with demands, time windows and service times.

    `travel` is (n + 1, n + 1), of any symmetry, `windows` (n + 1, 2), `demand` and `service` (n + 1,), all read-only
    float64; `points` (n + 1, 2) and the capacity of a vehicle are None where the file has none.
    """

    name: str
    capacity: float | None
    travel: Floats
    demand: Floats
    windows: Floats
    service: Floats
    points: Floats | None = None

    def __post_init__(self) -> None:
        places = len(self.windows)
        shapes = {"windows": (places, 2), "travel": (places, places), "demand": (places,), "service": (places,)}
        for field, shape in shapes.items():
            array = table(getattr(self, field), field, shape)
            refuse(array < 0, array, field, "is negative, expected a number >= 0")
            object.__setattr__(self, field, array)
        if self.points is not None:
            object.__setattr__(self, "points", table(self.points, "points", (places, 2)))
        closing = self.windows[:, 1]
        refuse(closing < self.windows[:, 0], closing, "windows", "closes before it opens")
        if self.capacity is not None:
            number(self.capacity, "capacity")
            more = f"is more than the capacity, {self.capacity:g}"
            refuse(self.demand > self.capacity, self.demand, "demand", more)
        if self.demand[0] or self.service[0]:
            raise InputError("the depot has a demand or a service time, expected 0", where="place 1")

    def __repr__(self) -> str:
        capacity = "" if self.capacity is None else f", capacity {self.capacity:g}"
        return f"StaticRouting({printable(self.name)}: {counted(self.customers, 'customer')}{capacity})"

    @property
    def customers(self) -> int:
        """Return n."""
        return len(self.windows) - 1


def read_routing(path: str | os.PathLike[str], *, rounding: Rounding = "none", unit: float = 1.0) -> StaticRouting:
    """Return the problem of a VRPLIB or Solomon file; `files.zip/NAME` is a file of an archive.

    Parameters:
        path: The file.
        rounding: Of distances from coordinates: "none", "nearest" (to a whole number), "tenth" (cut after one decimal).
        unit: Seconds of a unit of time in the file; a unit of distance takes one of time.
    """
    if rounding not in ROUNDINGS:
        raise OptionError(f"no rounding {rounding!r}, expected one of {', '.join(ROUNDINGS)}", where="--rounding")
    if number(unit, "unit") <= 0:
        raise InputError(f"{unit:g} is not positive, expected seconds > 0", where="unit")
    text = _text(Path(path))
    lines = [(i, line.strip()) for i, line in enumerate(text.splitlines(), 1)]
    lines = [(i, line) for i, line in lines if line and not line.startswith("#")]
    solomon = len(lines) > 1 and lines[1][1].upper() == "VEHICLE"
    try:
        if not lines:
            raise InputError("empty, expected a VRPLIB or Solomon file")
        if not solomon and not text.endswith(("\n", "\r")) and lines[-1][1].upper() != "EOF":  # 12 may have been 1200
            raise InputError("ends within the line, expected EOF after it", where=f"line {lines[-1][0]}")
        with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are refused by name
            return (_solomon if solomon else _vrplib)(lines, ROUNDINGS[rounding], unit)
    except InputError as error:
        raise error.at(str(path)) from None


def _text(path: Path) -> str:
    """Return the text of a file, or of a file in an archive."""
    archive = next((up for up in path.parents if up.suffix.lower() == ".zip" and up.is_file()), None)
    held = read_bytes(path if archive is None else archive)
    try:
        if archive is not None:
            held = zipfile.ZipFile(io.BytesIO(held)).read(path.relative_to(archive).as_posix())
        return held.decode("utf-8-sig")
    except KeyError:
        raise InputError("no such file in the archive", where=str(path)) from None
    except DAMAGED as error:
        raise InputError(f"cannot be read ({first_line(error)})", where=str(path)) from None


def _vrplib(lines: _Lines, rounded: Callable[[Floats], Floats], unit: float) -> StaticRouting:
    header, sections = _parts(lines)
    kind, layout = header.get("EDGE_WEIGHT_TYPE", "nothing"), header.get("EDGE_WEIGHT_FORMAT", "nothing")
    if kind.upper() not in ("EXPLICIT", "EUC_2D"):
        raise InputError(f"{printable(kind)}, expected EXPLICIT or EUC_2D", where="EDGE_WEIGHT_TYPE")
    explicit = kind.upper() == "EXPLICIT"
    if explicit and layout.upper() != "FULL_MATRIX":
        raise InputError(f"{printable(layout)}, expected FULL_MATRIX", where="EDGE_WEIGHT_FORMAT")
    if not explicit and "EDGE_WEIGHT_SECTION" in sections:
        raise InputError(f"travel times beside the type {kind}, expected EXPLICIT", where="EDGE_WEIGHT_SECTION")
    said = header.get("DIMENSION", "")
    if not said.isdecimal() or int(said) < 2:
        raise InputError(f"{short(said)}, expected a number of places, at least 2", where="DIMENSION")
    places = int(said)
    _one_depot(sections.pop("DEPOT_SECTION", []))
    needed = {"SERVICE_TIME_SECTION", "TIME_WINDOW_SECTION", *(["DEMAND_SECTION"] if "CAPACITY" in header else [])}
    needed.add("EDGE_WEIGHT_SECTION" if explicit else "NODE_COORD_SECTION")
    columns = {
        name: _rows(name, sections.get(name, []), places, width or places, numbered=width is not None, first=1)
        for name, width in _SECTIONS.items()
        if name in sections or name in needed
    }
    points = columns.get("NODE_COORD_SECTION")
    travel = columns["EDGE_WEIGHT_SECTION"] if explicit else rounded(_distances(columns["NODE_COORD_SECTION"]))
    return StaticRouting(
        name=header.get("NAME", ""),
        capacity=_numbers(header["CAPACITY"], 1, "CAPACITY")[0] if "CAPACITY" in header else None,
        travel=unit * travel,
        demand=columns.get("DEMAND_SECTION", np.zeros((places, 1)))[:, 0],
        windows=unit * columns["TIME_WINDOW_SECTION"],
        service=unit * columns["SERVICE_TIME_SECTION"][:, 0],
        points=points,
    )


def _parts(lines: _Lines) -> tuple[dict[str, str], dict[str, _Lines]]:
    """Return the header by key, and the numbered lines of each section."""
    header: dict[str, str] = {}
    sections: dict[str, _Lines] = {}
    name = ""
    for at, line in lines:
        word = line.rstrip(" \t:").upper()
        key, colon, value = line.partition(":")
        if word == "EOF":
            break
        if word.endswith("_SECTION"):
            name = word
            if name in sections:
                raise InputError(f"{name} comes twice", where=f"line {at}")
            if name not in (*_SECTIONS, "DEPOT_SECTION"):
                raise InputError(f"{short(name)}, expected one of {', '.join(_SECTIONS)}", where=f"line {at}")
            sections[name] = []
        elif name:
            sections[name].append((at, line))
        elif colon:
            header[key.strip().upper()] = value.strip()
        else:
            raise InputError(f"{short(line)} is neither KEY : VALUE nor a section", where=f"line {at}")
    return header, sections


def _one_depot(lines: _Lines) -> None:
    depots = [word for _, line in lines for word in line.split()]
    if depots and depots[-1] == "-1":
        depots.pop()
    if depots and depots != ["1"]:
        raise InputError(f"{short(' '.join(depots))}, expected one depot, place 1", where="DEPOT_SECTION")


def _solomon(lines: _Lines, rounded: Callable[[Floats], Floats], unit: float) -> StaticRouting:
    """Read `NAME`, `VEHICLE`, a line of names, number and capacity, `CUSTOMER`, a line of names, the table."""
    if len(lines) < 6 or lines[4][1].upper() != "CUSTOMER":
        raise InputError("not after VEHICLE, expected a table of Solomon's", where="CUSTOMER")
    at, line = lines[3]
    _, capacity = _numbers(line, 2, f"line {at}")
    rows = lines[6:]
    if len(rows) < 2:
        raise InputError(f"{counted(len(rows), 'line')}, expected a depot and customers", where="CUSTOMER")
    columns = _rows("CUSTOMER", rows, len(rows), _SOLOMON, numbered=True, first=0)
    return StaticRouting(
        name=lines[0][1],
        capacity=capacity,
        travel=unit * rounded(_distances(columns[:, :2])),
        demand=columns[:, 2],
        windows=unit * columns[:, 3:5],
        service=unit * columns[:, 5],
        points=columns[:, :2],
    )


def _rows(name: str, lines: _Lines, places: int, width: int, *, numbered: bool, first: int) -> Floats:
    """Return the numbers of a table with one line per place, without the numbers of the places."""
    if len(lines) != places:
        raise InputError(f"{counted(len(lines), 'line')}, expected {places}", where=name)
    rows = np.empty((places, width))
    for i, (at, line) in enumerate(lines):
        rows[i] = _numbers(line, width, f"line {at}")
        if numbered and rows[i, 0] != i + first:
            raise InputError(f"place {rows[i, 0]:g}, expected {i + first}", where=f"line {at}")
    return rows[:, 1:] if numbered else rows


def _numbers(line: str, count: int, where: str) -> list[float]:
    words = line.split()
    if len(words) == count and "_" not in line:
        try:
            return [float(word) for word in words]
        except ValueError:
            pass
    raise InputError(f"{short(line)}, expected {counted(count, 'number')}", where=where)


def _distances(points: Floats) -> Floats:
    """Return Euclidean distances."""
    apart = points[:, None] - points
    distances: Floats = np.hypot(apart[..., 0], apart[..., 1])
    return distances
