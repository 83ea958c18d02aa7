"""Static routing problems with time windows from VRPLIB files whose travel times are explicit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.problems.dynamic_vehicle_scheduling.city import City

#: What the header must say.
_EXPECTED = {"EDGE_WEIGHT_TYPE": "EXPLICIT", "EDGE_WEIGHT_FORMAT": "FULL_MATRIX"}
#: section → numbers of each line; None: as many as there are places.
_SECTIONS = {"EDGE_WEIGHT_SECTION": None, "SERVICE_TIME_SECTION": 2, "TIME_WINDOW_SECTION": 3, "NODE_COORD_SECTION": 3}


def read_city(path: str | os.PathLike[str]) -> City:
    """Return the city of a file: `EDGE_WEIGHT_SECTION` (a full matrix), `SERVICE_TIME_SECTION`, `TIME_WINDOW_SECTION`.

    Place 1 of the file is the depot. Demands and the capacity play no role.
    """
    try:
        return _city(Path(path).read_text("utf-8"))
    except InputError as error:
        raise error.at(str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", where=str(path)) from None


def _city(text: str) -> City:
    header, sections = _parts(text)
    for key, expected in _EXPECTED.items():
        if header.get(key) != expected:
            raise InputError(f"{header.get(key, 'nothing')}, expected {expected}", where=key)
    places = header.get("DIMENSION", "")
    if not places.isdecimal() or int(places) < 2:
        raise InputError(f"{short(places)}, expected a number of places, at least 2", where="DIMENSION")
    tables = {name: _table(name, sections, int(places)) for name in _SECTIONS if name in sections or name[0] != "N"}
    points = tables.get("NODE_COORD_SECTION")
    return City(
        travel=tables["EDGE_WEIGHT_SECTION"],
        windows=tables["TIME_WINDOW_SECTION"][1:, 1:],
        service=tables["SERVICE_TIME_SECTION"][1:, 1],
        points=None if points is None else points[:, 1:],
    )


def _parts(text: str) -> tuple[dict[str, str], dict[str, list[tuple[int, str]]]]:
    """Return the header by key, and the numbered lines of each section."""
    header: dict[str, str] = {}
    sections: dict[str, list[tuple[int, str]]] = {}
    name = ""
    for number, line in _lines(text):
        key, colon, value = line.partition(":")
        if line.endswith("_SECTION"):
            name = line
            sections[name] = []
        elif colon and not name:
            header[key.strip()] = value.strip()
        elif name:
            sections[name].append((number, line))
        else:
            raise InputError(f"{short(line)} is neither KEY : VALUE nor a section", where=f"line {number}")
    return header, sections


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() == "EOF":
            return
        if line.strip():
            yield number, line.strip()


def _table(name: str, sections: dict[str, list[tuple[int, str]]], places: int) -> Floats:
    """Return the numbers of a section, one row per place."""
    lines = sections.get(name, [])
    if len(lines) != places:
        raise InputError(f"{len(lines)} lines, expected {places}", where=name)
    width = _SECTIONS[name] or places
    rows = np.empty((places, width))
    for row, (number, line) in zip(rows, lines, strict=True):
        words = line.split()
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = []
        if len(values) != width:
            raise InputError(f"{short(line)}, expected {width} numbers", where=f"line {number}")
        row[:] = values
    return rows
