"""The tables of feeds: zipped or not, as programs write them; what is none is refused."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from colayer.errors import InputError
from colayer.io.gtfs import read_day
from support.errors import rejects
from support.feed import FILES, feed

TUESDAY = "2026-01-06"


def quoted(text: str) -> str:
    """The same table with every cell in quotes, and CRLF."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(csv.reader(io.StringIO(text)))
    return out.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        quoted,
        lambda text: text.replace("\n", ",\n").replace(",\n", "\n", 1),  # all rows but the first end in a comma
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace("\n", "\n   \n"),
    ],
    ids=["byte order mark", "quotes and CRLF", "commas at the end", "empty lines", "blank lines"],
)
def test_what_programs_do_to_tables_changes_nothing(change: Any, tmp_path: Path) -> None:
    plain = read_day(feed(tmp_path / "feed.zip"), TUESDAY)
    changed = {name.removesuffix(".txt"): change(text) for name, text in FILES.items()}
    assert read_day(feed(tmp_path / "feed.zip", **changed), TUESDAY) == plain


def test_a_folder_is_a_feed_and_so_is_a_folder_in_a_zip_file(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8-sig")
    expected = read_day(feed(tmp_path / "feed.zip"), TUESDAY)
    assert read_day(tmp_path, TUESDAY) == expected
    assert read_day(feed(tmp_path / "inner.zip", folder="town/"), TUESDAY) == expected


@pytest.mark.parametrize(
    ("changed", "where", "names"),
    [
        ({"stops": 'stop_id,stop_lat,stop_lon\n"a\n'}, "feed.zip: stops.txt: line 2", ("CSV",)),
        ({"trips": FILES["trips.txt"].replace("B1", "B1, red", 1)}, "feed.zip: trips.txt: line 2", ("5 cells", "4")),
        # an empty column at the end hid the comma: the stop lay at 59, 91
        ({"stops": FILES["stops.txt"].replace("59.91", "59,91")}, "feed.zip: stops.txt: line 3", ("6 cells", "5")),
        ({"stops": FILES["stops.txt"].replace("60.00,10.00", "60,00,10.00")}, "feed.zip: stops.txt: line 3", ("5",)),
        ({"stops": FILES["stops.txt"].replace(",", ";")}, "feed.zip: stops.txt: stop_id", ("no such column",)),
    ],
)
def test_tables_that_are_none_are_refused(
    changed: dict[str, Any], where: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    with rejects(InputError, *names, where=where):
        read_day(feed(tmp_path / "feed.zip", **changed), TUESDAY)


def test_one_feed_of_an_archive_is_read_whatever_lies_beside_it(tmp_path: Path) -> None:
    """Archives of macOS hold shadows of their files; of two feeds the first in the archive was read."""
    expected, path = read_day(feed(tmp_path / "feed.zip"), TUESDAY), tmp_path / "several.zip"
    for others, readable in ((["__MACOSX/town/"], True), (["north/", "south/"], False), (["", "old/"], True)):
        with zipfile.ZipFile(path, "w") as archive:
            for folder in others if "" in others else [*others, "town/"]:
                for name, text in FILES.items():
                    archive.writestr(folder + name, "no text" if folder.startswith("__") else text)
        if readable:
            assert read_day(path, TUESDAY) == expected
        else:
            with rejects(InputError, "north/", "south/", "expected one", where="several.zip"):
                read_day(path, TUESDAY)


def test_what_is_no_feed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "feed.zip").write_text("no zip")
    with rejects(InputError, "zip", where="feed.zip"):
        read_day(tmp_path / "feed.zip", TUESDAY)
    with rejects(InputError, where="none.zip"):
        read_day(tmp_path / "none.zip", TUESDAY)
    (tmp_path / "trips.txt").write_bytes(FILES["trips.txt"].encode() + b"\xff")
    (tmp_path / "calendar.txt").write_text(FILES["calendar.txt"])
    with rejects(InputError, "UTF-8", where=f"{tmp_path}: trips.txt"):
        read_day(tmp_path, TUESDAY)
    data = bytearray(feed(tmp_path / "feed.zip").read_bytes())
    data[data.index(b"red,week,r1")] ^= 1
    (tmp_path / "feed.zip").write_bytes(data)
    with rejects(InputError, "cannot be read", where="feed.zip: trips.txt"):
        read_day(tmp_path / "feed.zip", TUESDAY)
