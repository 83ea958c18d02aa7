"""Tables of a user's: columns by name, from a DataFrame, a dict of columns, a list of rows, or a CSV file.

Nothing here imports pandas: what has `columns` and gives a column for its name is a DataFrame. `Arguments` are what
`problem.instance(...)` was given, each a column of the table or values of its own; what is wrong with one is refused
by its column and row (`column release, row 3`, or `line 4` of a CSV file).
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import printable, short
from colayer.errors import InputError
from colayer.io.cells import is_missing, number, words
from colayer.io.dates import as_date, counts_days, dates_and_minutes, first_midnight, is_nat, is_time, minutes_since
from colayer.problem.guard import described

#: Columns that hold the names of the rows, where none is said to.
NAMES = ("name", "id")
_PLACE = re.compile(r"(?P<field>.*)\[(?P<row>\d+)\]")


class InputTable(Mapping[str, list[Any]]):
    """Columns of equal length by name.

    `lines` are those of the file that the rows come from, `source` is its name, or what else messages call the table.
    `texts` are columns of numbers as the file has them: a name 1.10 is not 1.1.
    """

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any]],
        *,
        index: list[Any] | None = None,
        lines: Sequence[int] = (),
        source: str = "",
        texts: Mapping[str, list[Any]] | None = None,
    ) -> None:
        self.index, self.lines, self.source = index, lines, source
        self._texts = texts or {}
        self._columns: dict[str, list[Any]] = {}
        for name, values in columns.items():
            if str(name) in self._columns:
                raise InputError("given twice, expected distinct names", where=self.about(str(name)))
            try:
                self._columns[str(name)] = listed(values)
            except InputError as error:
                raise InputError(error.message, where=self.about(str(name))) from None
        lengths = {name: len(values) for name, values in self._columns.items()}
        for name, length in lengths.items():
            if length != (first := next(iter(lengths.values()))):
                said = f"{length} entries, expected {first} as in {printable(next(iter(lengths)))}"
                raise InputError(said, where=self.about(name))

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self._columns.values()))) if self._columns else 0

    def words(self, column: str) -> list[Any]:
        """Return the names in a column: as whole numbers if all are, else as words."""
        return words(self._texts.get(column, self._columns[column]))

    def near(self, column: str) -> str:
        """Return a hint at a column that differs from `column` by blanks or capitals alone, or nothing."""
        return next((f", did you mean {name!r}?" for name in self if name.strip().lower() == column.lower()), "")

    def about(self, column: str) -> str:
        """Return how messages name a column."""
        return f"{self.source}: column {printable(column)}" if self.source else f"column {printable(column)}"

    def where(self, column: str, row: int) -> str:
        """Return how messages name a cell: rows count from 1, lines as in editors."""
        return f"{self.about(column)}, " + (f"line {self.lines[row]}" if self.lines else f"row {row + 1}")


def table_of(data: Any, title: str, source: str = "") -> InputTable:
    """Return the table of a DataFrame, a mapping of columns, a list of rows, or a structured array."""
    if isinstance(data, InputTable):
        return data
    if isinstance(data, Mapping):
        return InputTable(data, source=source)
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        names = list(data.columns)
        for k, name in enumerate(names):
            if name in names[:k]:
                raise InputError("given twice, expected distinct names", where=f"column {printable(str(name))}")
        index = getattr(data, "index", None)
        plain = index is None or listed(index) == list(range(len(index)))  # not so after sorting or filtering
        return InputTable({name: data[name] for name in names}, index=None if plain else listed(index), source=source)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return InputTable({name: data[name] for name in data.dtype.names}, source=source)
    if isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data):
        names = list(dict.fromkeys(name for row in data for name in row))
        return InputTable({name: [row.get(name) for row in data] for name in names}, source=source)
    expected = "a DataFrame, a dict of columns or a list of rows"
    if isinstance(data, str | os.PathLike):
        expected += "; colayer.read_instance reads files"
    raise InputError(f"{described(data)} is not a table, expected {expected}", where=title)


def listed(values: Any) -> list[Any]:
    """Return any kind of column as a plain list, with durations in minutes."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        values = dates_and_minutes(values) if values.dtype.kind in "mM" else values.tolist()
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Sequence | range):
        raise InputError(f"{described(values)} is not a column, expected a list of values")
    return list(values)


class Arguments:
    """The arguments of `problem.instance`: a table, and for each field a column's name or values."""

    def __init__(self, title: str, data: Any, **given: Any) -> None:
        series = {f: v for f, v in {title: data, **given}.items() if hasattr(v, "index") and hasattr(v, "to_numpy")}
        labels = {field: listed(values.index) for field, values in series.items()}
        for field, found in labels.items():
            if found != (first := next(iter(labels.values()))):
                said = f"labels {short(found)}, expected {short(first)} as {next(iter(labels))}: rows are not matched"
                raise InputError(said, where=field)
        self.table = None if data is None else table_of(data, title)
        self.title, self._given = title, given
        #: field → the column it comes from.
        self.columns: dict[str, str] = {}

    def gives(self, field: str) -> bool:
        """Tell whether a field has values, or the table its column."""
        given = self._given.get(field, field)
        return not isinstance(given, str) or given != field or (self.table is not None and field in self.table)

    def values(self, field: str) -> list[Any]:
        """Return the values of a field; name a column that is missing."""
        given = self._given.get(field, field)
        if not isinstance(given, str):
            try:
                return listed(given)
            except InputError as error:
                raise InputError(error.message, where=field) from None
        if self.table is None:
            raise InputError(f"missing, expected a list, or {self.title} as a table with this column", where=field)
        if given not in self.table:
            there = ", ".join(printable(name) for name in self.table) or "no columns"
            hint = f" ({field}=... names another one)" if field in self._given else ""
            hint = self.table.near(given) or hint
            raise InputError(f"no such column, there are {there}{hint}", where=self.table.about(given))
        self.columns[field] = given
        if self.table.rows == 0:
            raise InputError("empty, expected at least one row", where=self.table.about(given))
        return self.table[given]

    def numbers(self, field: str, *, gaps: bool = False, expected: str = "a number") -> Floats:
        """Return the numbers of a field, with `gaps` NaN for empty cells. Times of day are minutes: `7:30` is 450."""
        values = self.values(field)
        found = np.array([self._number(value, field, i, gaps, expected) for i, value in enumerate(values)])
        told = [(row, value) for row, value in enumerate(values) if not is_missing(value)]
        for row, value in told:
            if is_time(value) != is_time(other := told[0][1]):
                said = f"{short(value)} beside {short(other)}, expected times or numbers, not both"
                raise InputError(said, where=self.where(field, row))
        return found

    def times(self, *fields: str) -> tuple[list[Floats], datetime | None]:
        """Return the times of some fields in minutes: of dates since the midnight before the first, which comes too."""
        columns = {field: self.values(field) for field in fields}
        dates = {field: [as_date(value) for value in values] for field, values in columns.items()}
        given = [day for days in dates.values() for day in days if day is not None]
        if not given:
            found = [self.numbers(field, expected="a number, 7:30 or 2026-01-05 07:30") for field in fields]
            if counts_days(found):
                said = f"{found[0][0]} may be a date as spreadsheets count days, expected minutes, 7:30 or dates"
                raise InputError(said, where=self.where(fields[0], 0))
            return found, None
        for field, days in dates.items():
            for row, (day, value) in enumerate(zip(days, columns[field], strict=True)):
                if day is None:
                    said = "empty" if is_missing(value) else short(value)
                    raise InputError(f"{said}, expected a date", where=self.where(field, row))
                if (day.tzinfo is None) != (given[0].tzinfo is None):
                    said = "dates with and without a time zone, expected one or the other"
                    raise InputError(said, where=self.where(field, row))
        origin = first_midnight(given)
        return [np.array([minutes_since(origin, day) for day in days if day]) for days in dates.values()], origin

    def column(self, field: str, name: str) -> Floats:
        """Return the numbers of a column of the table, called `field` from here on."""
        self._given[field] = name
        return self.numbers(field)

    def names(self, field: str, item: str, count: int) -> list[Any] | None:
        """Return the names of the rows: given, or a column of this name, or the index of a DataFrame."""
        given = self._given.get(field)
        if given is not None and not isinstance(given, str):
            return words(listed(given))
        if given is None and self.table is not None:
            given = next((name for name in (*NAMES, item) if name in self.table), None)
        if given is None:
            index = None if self.table is None or self.table.index is None else words(self.table.index)
            plain = index is None or len(index) != count or len(set(index)) < count or "" in index
            return None if plain else index
        self._given[field] = given
        named = self.words(field)
        self.columns["names"] = given
        return named

    def words(self, field: str) -> list[Any]:
        """Return the names in a field: as whole numbers if all are, else as words."""
        values = self.values(field)
        return (
            words(values) if self.table is None or field not in self.columns else self.table.words(self.columns[field])
        )

    def where(self, field: str, row: int) -> str:
        """Return how messages name an entry of a field."""
        column = self.columns.get(field)
        return f"{field}[{row}]" if column is None or self.table is None else self.table.where(column, row)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Name column and row in errors of the block about `field[index]`."""
        try:
            yield
        except InputError as error:
            found = _PLACE.fullmatch(error.where or "")
            if found is None or found["field"] not in self.columns:
                raise
            raise InputError(error.message, where=self.where(found["field"], int(found["row"]))) from None

    def _number(self, value: Any, field: str, row: int, gaps: bool, expected: str) -> float:
        if is_missing(value):
            if gaps:
                return math.nan
            kind = "a number" if not is_nat(value) else "a duration" if isinstance(value, np.timedelta64) else "a date"
            raise InputError(f"empty, expected {kind}", where=self.where(field, row))
        try:
            found = number(value)
        except (TypeError, ValueError, OverflowError):
            said = short(value) if (day := as_date(value)) is None else f"a date, {day}"
            raise InputError(f"{said}, expected {expected}", where=self.where(field, row)) from None
        if not math.isfinite(found):
            raise InputError(f"{found} is not finite, expected {expected}", where=self.where(field, row))
        return found
