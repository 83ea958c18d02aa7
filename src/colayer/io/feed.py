"""The tables of a feed: CSV files in a zip file or in a folder, row by row, each row with its place for messages."""

from __future__ import annotations

import csv
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

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
        inside = [name for name in self._zip.namelist() if name.rpartition("/")[2] == "trips.txt"]
        self._prefix = inside[0].removesuffix("trips.txt") if inside else ""  # some feeds are folders in a zip file

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
            text = self._bytes(file).decode("utf-8-sig")
        except InputError:
            raise
        except DAMAGED as error:
            raise InputError(f"cannot be read ({first_line(error)})", where=place) from None
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            names = [name.strip() for name in next(reader, [])]
            for name in names:
                if names.count(name) > 1:
                    raise InputError("given twice, expected distinct names", where=f"{place}: {name}")
            for column in columns:
                if column not in names:
                    raise InputError("no such column", where=f"{place}: {column}")
            for cells in reader:
                if any(cells):
                    if any(cells[len(names) :]):  # a comma that is not quoted moves all that follows
                        said = f"{len(cells)} cells, expected {len(names)}"
                        raise InputError(said, where=f"{place}: line {reader.line_num}")
                    row = dict(zip(names, (cell.strip() for cell in cells), strict=False))
                    yield f"{place}: line {reader.line_num}", row | {c: row.get(c, "") for c in columns}
        except csv.Error as error:
            raise InputError(f"not CSV: {first_line(error)}", where=f"{place}: line {reader.line_num}") from None

    def _bytes(self, file: str) -> bytes:
        return read_bytes(self._folder / file) if self._zip is None else self._zip.read(self._prefix + file)
