"""The tables of a feed: CSV files in a zip file or in a folder, row by row, each row with its place for messages."""

from __future__ import annotations

import csv
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from colayer._runtime.text import first_line
from colayer.errors import InputError
from colayer.io.files import read_bytes

#: What reading a damaged or encrypted archive raises.
DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, OverflowError)


class Feed:
    """The files of a feed by name."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._zip, self._folder = None, path
        if path.is_dir():
            return
        held = read_bytes(path)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(held))
        except DAMAGED:
            raise InputError("not a zip file, expected a GTFS feed, zipped or a folder", where=self.name) from None
        names = [name for name in self._zip.namelist() if not name.startswith("__MACOSX/")]
        folders = [name.removesuffix("trips.txt") for name in names if name.rpartition("/")[2] == "trips.txt"]
        self._prefix = min(folders, key=len, default="")  # some feeds are folders in a zip file
        if self._prefix and len(folders) > 1:
            raise InputError(f"several feeds, in {' and in '.join(folders)}, expected one", where=self.name)

    def has(self, file: str) -> bool:
        """Tell whether the feed has a file."""
        if self._zip is None:
            return (self._folder / file).is_file()
        return self._prefix + file in self._zip.namelist()

    def rows(self, file: str, *columns: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Iterate over the rows of a file, each with its place for messages; the file must have these columns."""
        place = f"{self.name}: {file}"
        if not self.has(file):
            raise InputError("missing, expected it in a GTFS feed", where=place)
        try:
            yield from _rows(io.TextIOWrapper(self._open(file), "utf-8-sig", newline=""), columns, place)
        except InputError:
            raise
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8 text ({error.reason})", where=place) from None
        except DAMAGED as error:
            raise InputError(f"cannot be read ({first_line(error)})", where=place) from None

    def _open(self, file: str) -> IO[bytes]:
        return io.BytesIO(read_bytes(self._folder / file)) if self._zip is None else self._zip.open(self._prefix + file)


def _rows(text: io.TextIOWrapper, columns: tuple[str, ...], place: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Iterate over the rows of a table; where the first row ends in commas too many, all of them must."""
    reader = csv.reader(text, strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        for name in names:
            if names.count(name) > 1:
                raise InputError("given twice, expected distinct names", where=f"{place}: {name}")
        for column in columns:
            if column not in names:
                raise InputError("no such column", where=f"{place}: {column}")
        width = 0
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            at, width = f"{place}: line {reader.line_num}", width or max(len(cells), len(names))
            # a comma that is not quoted moves all that follows
            if len(cells) > width or any(cells[len(names) :]) or len(names) < width != len(cells):
                raise InputError(f"{len(cells)} cells, expected {len(names)}", where=at)
            found = dict(zip(names, cells, strict=False))
            yield at, found | {column: found.get(column, "") for column in columns}
    except csv.Error as error:
        raise InputError(f"not CSV: {first_line(error)}", where=f"{place}: line {reader.line_num}") from None
