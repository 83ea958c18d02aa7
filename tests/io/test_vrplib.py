"""Static routing problems from VRPLIB and Solomon files."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from colayer.errors import InputError, OptionError
from colayer.io.vrplib import StaticRouting, read_routing
from support.errors import rejects
from support.routing_files import EUCLIDEAN, EXPLICIT, SOLOMON


def written(folder: Path, text: str, name: str = "one.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def same(one: StaticRouting, two: StaticRouting) -> bool:
    fields = ("travel", "demand", "windows", "service", "points")
    return all(np.array_equal(getattr(one, field), getattr(two, field)) for field in fields)


def test_a_full_matrix_is_read_place_by_place(tmp_path: Path) -> None:
    found = read_routing(written(tmp_path, EXPLICIT))
    assert repr(found) == "StaticRouting(tiny: 3 customers, capacity 9)"
    assert found.travel[1].tolist() == [11.0, 0.0, 12.0, 13.0]
    assert found.demand.tolist() == [0.0, 3.0, 3.0, 4.0]
    assert found.windows.tolist() == [[0.0, 45000.0], [7200.0, 14400.0], [7200.0, 14400.0], [14400.0, 21600.0]]
    assert found.service.tolist() == [0.0, 60.0, 120.0, 180.0]
    assert found.points is not None
    assert found.points.tolist() == [[0.0, 0.0], [10.0, 0.0], [20.0, 0.0], [30.0, 0.0]]
    assert not found.travel.flags.writeable


@pytest.mark.parametrize("text", [EUCLIDEAN, SOLOMON], ids=["VRPLIB", "Solomon"])
def test_distances_come_from_coordinates(tmp_path: Path, text: str) -> None:
    """Places (0, 0), (3, 4), (1.5, 0), (1, 1): by hand."""
    path = written(tmp_path, text)
    exact, tenth, nearest = (
        read_routing(path, rounding=rounding).travel[0] for rounding in ("none", "tenth", "nearest")
    )
    assert exact.tolist() == [0.0, 5.0, 1.5, pytest.approx(2**0.5)]
    assert tenth.tolist() == [0.0, 5.0, 1.5, 1.4]
    assert nearest.tolist() == [0.0, 5.0, 2.0, 1.0]


def test_both_formats_say_the_same(tmp_path: Path) -> None:
    vrplib, solomon = (read_routing(written(tmp_path, text)) for text in (EUCLIDEAN, SOLOMON))
    assert same(vrplib, solomon)
    assert (vrplib.name, vrplib.capacity) == (solomon.name, solomon.capacity) == ("R4", 20.0)


def test_a_unit_makes_seconds_of_minutes(tmp_path: Path) -> None:
    path = written(tmp_path, SOLOMON)
    one, sixty = read_routing(path), read_routing(path, unit=60.0)
    for field in ("travel", "windows", "service"):
        assert np.array_equal(getattr(sixty, field), 60.0 * getattr(one, field))
    assert np.array_equal(sixty.demand, one.demand)


@pytest.mark.parametrize("text", [EXPLICIT, EUCLIDEAN, SOLOMON], ids=["EXPLICIT", "EUC_2D", "Solomon"])
def test_what_programs_do_to_texts_changes_nothing(tmp_path: Path, text: str) -> None:
    plain = read_routing(written(tmp_path, text))
    others = {
        "tabs": text.replace(" ", "\t"),
        "CRLF": text.replace("\n", "\r\n"),
        "byte order mark": "\ufeff" + text,
        "lower case": text.lower(),
        "no EOF": text.replace("EOF\n", ""),
        "no last line end": text.rstrip("\n"),
        "empty lines": text.replace("\n", "\n\n"),
        "a colon after a section": text.replace("_SECTION", "_SECTION:"),
        "after EOF": text + "more\n" if "EOF" in text else text,
    }
    assert [what for what, other in others.items() if not same(read_routing(written(tmp_path, other)), plain)] == []


def test_capacity_demands_and_points_may_be_missing(tmp_path: Path) -> None:
    text = EXPLICIT.replace("CAPACITY : 9\n", "")
    for section, lines in (("DEMAND_SECTION", 5), ("NODE_COORD_SECTION", 5), ("DEPOT_SECTION", 3)):
        at = text.splitlines().index(section)
        text = "\n".join([*text.splitlines()[:at], *text.splitlines()[at + lines :], ""])
    found = read_routing(written(tmp_path, text))
    assert (found.capacity, found.points, found.demand.tolist()) == (None, None, [0.0] * 4)
    assert repr(found) == "StaticRouting(tiny: 3 customers)"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("EXPLICIT", "GEO", "EDGE_WEIGHT_TYPE: GEO, expected EXPLICIT or EUC_2D"),
        ("EXPLICIT", "EUC_2D", "EDGE_WEIGHT_SECTION: travel times beside the type EUC_2D"),
        ("EDGE_WEIGHT_TYPE : EXPLICIT\n", "", "EDGE_WEIGHT_TYPE: nothing, expected EXPLICIT"),
        ("FULL_MATRIX", "LOWER_ROW", "EDGE_WEIGHT_FORMAT: LOWER_ROW, expected FULL_MATRIX"),
        ("DIMENSION : 4", "DIMENSION : four", "DIMENSION: 'four', expected a number of places"),
        ("DIMENSION : 4", "DIMENSION : 5", "EDGE_WEIGHT_SECTION: 4 lines, expected 5"),
        ("DIMENSION : 4", "DIMENSION : 1", "DIMENSION: '1', expected a number of places"),
        ("11 0 12 13", "11 0 12", "line 11: '11 0 12', expected 4 numbers"),
        ("11 0 12 13", "11 0 x 13", "line 11: '11 0 x 13', expected 4 numbers"),
        ("11 0 12 13", "11 0 1,2 13", "line 11: '11 0 1,2 13', expected 4 numbers"),
        ("11 0 12 13", "11 0 1_2 13", "line 11: '11 0 1_2 13', expected 4 numbers"),
        ("11 0 12 13", "-11 0 12 13", "travel[1][0]: -11 is negative"),
        ("11 0 12 13", "inf 0 12 13", "travel[1][0]: inf is not finite"),
        ("TIME_WINDOW_SECTION", "WINDOW_SECTION", "line 32: 'WINDOW_SECTION', expected one of"),
        ("SERVICE_TIME_SECTION", "DEMAND_SECTION", "line 27: DEMAND_SECTION comes twice"),
        ("1 0 45000\n2 7200", "2 7200", "TIME_WINDOW_SECTION: 3 lines, expected 4"),
        ("2 60\n3 120", "3 60\n2 120", "line 29: place 3, expected 2"),
        ("14400 21600", "21600 14400", "windows[3]: 14400 closes before it opens"),
        ("CAPACITY : 9", "CAPACITY : 3", "demand[3]: 4 is more than the capacity, 3"),
        ("CAPACITY : 9", "CAPACITY : nan", "capacity: nan is not finite"),
        ("CAPACITY : 9", "CAPACITY : nine", "CAPACITY: 'nine', expected 1 number"),
        ("1\n-1", "1\n2\n-1", "DEPOT_SECTION: '1 2', expected one depot, place 1"),
        ("1\n-1", "2\n-1", "DEPOT_SECTION: '2', expected one depot, place 1"),
        ("DEMAND_SECTION\n1 0", "DEMAND_SECTION\n1 5", "place 1: the depot has a demand"),
        ("NAME : tiny", "tiny", "line 1: 'tiny' is neither KEY : VALUE nor a section"),
        (EXPLICIT, "\n\n", "empty, expected a VRPLIB or Solomon file"),
    ],
)  # fmt: skip
def test_other_vrplib_files_are_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with rejects(InputError, "one.txt: " + message):
        read_routing(written(tmp_path, EXPLICIT.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("CUSTOMER\n", "\n", "CUSTOMER: not after VEHICLE"),
        ("2 20", "20", "line 5: '20', expected 2 numbers"),
        ("1 3 4 10 10 50 2", "1 3 4 10 10 50", "line 11: '1 3 4 10 10 50', expected 7 numbers"),
        ("1 3 4 10 10 50 2", "2 3 4 10 10 50 2", "line 11: place 2, expected 1"),
        ("1 3 4 10 10 50 2", "1 3 4 30 10 50 2", "demand[1]: 30 is more than the capacity, 20"),
        ("1 3 4 10 10 50 2", "1 1.7e308 1.7e308 10 10 50 2", "travel[0][1]: inf is not finite"),
        (SOLOMON[SOLOMON.index("1 3 4") :], "", "CUSTOMER: 1 line, expected a depot and customers"),
    ],
)
def test_other_tables_of_solomon_are_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with rejects(InputError, "one.txt: " + message):
        read_routing(written(tmp_path, SOLOMON.replace(old, new, 1)))


@pytest.mark.parametrize("text", [EXPLICIT, EUCLIDEAN], ids=["EXPLICIT", "EUC_2D"])
def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path, text: str) -> None:
    whole = len(text) - len("EOF\n")
    for end in range(whole - 1):
        with pytest.raises(InputError) as caught:
            read_routing(written(tmp_path, text[:end]))
        assert len(str(caught.value).splitlines()) == 1


def test_a_file_of_an_archive_is_read(tmp_path: Path) -> None:
    archive = tmp_path / "files.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("set/one.txt", EXPLICIT)
    assert same(read_routing(archive / "set" / "one.txt"), read_routing(written(tmp_path, EXPLICIT)))
    with rejects(InputError, "no such file in the archive", where="files.zip/two.txt"):
        read_routing(archive / "two.txt")
    archive.write_bytes(b"no archive")
    with rejects(InputError, "cannot be read", where="files.zip/one.txt"):
        read_routing(archive / "one.txt")


def test_what_is_no_file_or_no_option_is_refused(tmp_path: Path) -> None:
    with rejects(InputError, "no such file", where="none.txt"):
        read_routing(tmp_path / "none.txt")
    with rejects(InputError, where=tmp_path.name):
        read_routing(tmp_path)
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    with rejects(InputError, "cannot be read", where="bytes.txt"):
        read_routing(tmp_path / "bytes.txt")
    path = written(tmp_path, EXPLICIT)
    with rejects(OptionError, "no rounding 'up'", where="--rounding"):
        read_routing(path, rounding="up")
    with rejects(InputError, "0 is not positive", where="unit"):
        read_routing(path, unit=0)
