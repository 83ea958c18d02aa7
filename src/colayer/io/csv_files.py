"""CSV files: tables to read, the instances that problems make of them, and columns to write.

    monday.csv               the table: the first line names the columns
    monday.scenarios.csv     another table of the same instance, for a problem that takes one by this name

Commas, semicolons or tabs stand between cells, as the first line says; with semicolons, 3,5 is a number, and a point
beside such commas is refused, as is 1.200 beside 900: 1.234 may then be 1234.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from colayer._runtime.text import first_line, inert, printable
from colayer.errors import ColayerError, InputError
from colayer.io.files import read_bytes
from colayer.io.tables import InputTable
from colayer.problem.bind import BoundProblem
from colayer.problem.instances import make_instance
from colayer.problem.protocol import X, Y, Z

_INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_COMMA = re.compile(r"([+-]?\d+),(\d+)")
_POINT = re.compile(r"[+-]?\d+\.\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")


def read_csv(path: Path) -> InputTable:
    """Return the table of a CSV file; a column is numbers if all its cells are (007 is a word), None if empty."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text ({error.reason} at byte {error.start})", where=str(path)) from None
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    rows, lines = [], []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append([cell.strip() for cell in row])
                lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"not CSV: {first_line(error)}", where=f"{path}: line {reader.line_num}") from None
    if len(rows) < 2:
        raise InputError("empty, expected a line of column names, then rows", where=str(path))
    names = rows[0]
    for i, name in enumerate(names):
        if not name or name in names[:i]:
            what = f"{printable(name)} is given twice" if name else f"column {i + 1} has no name"
            raise InputError(f"{what}, expected distinct names", where=f"{path}: line {lines[0]}")
    for row, line in zip(rows[1:], lines[1:], strict=True):
        if len(row) != len(names):
            raise InputError(f"{len(row)} cells, expected {len(names)}", where=f"{path}: line {line}")
    cells = {name: [row[c] for row in rows[1:]] for c, name in enumerate(names)}
    columns = {name: _values(column, decimal_comma=delimiter == ";") for name, column in cells.items()}
    texts = {name: cells[name] for name, values in columns.items() if any(isinstance(v, float) for v in values)}
    table = InputTable(columns, lines=lines[1:], source=str(path), texts=texts)
    if delimiter == ";":
        _refuse_points_beside_commas(table, texts)
    return table


def csv_instance(path: Path, problem: BoundProblem[X, Y, Z] | None = None) -> tuple[BoundProblem[X, Y, Z], X]:
    """Return the instance a problem makes of a CSV file and the tables beside it, and the problem.

    Without `problem` it is the registered one that has the columns of the file.
    """
    table = read_csv(path)
    found = _problem_with_columns(table) if problem is None else problem
    more = companions(path, found.tables)
    try:
        return found, make_instance(found.name, found.need("instance"), table, **more)
    except ColayerError as error:
        placed = any((error.where or "").startswith(f"{one.source}: ") for one in (table, *more.values()))
        raise (error if placed else error.at(str(path))) from None


def _problem_with_columns(table: InputTable) -> BoundProblem[Any, Any, Any]:
    """Return the registered problem whose columns a table has."""
    from colayer.problems import COLUMNS, registered

    known = [name for name, columns in COLUMNS.items() if set(columns) <= set(table)]
    if len(known) == 1:
        return registered(known[0])
    if known:
        said = f"the columns of {' and of '.join(known)}, expected --problem (problem=... in Python)"
        raise InputError(said, where=table.source)
    expected = "; ".join(f"{', '.join(columns)} ({name})" for name, columns in COLUMNS.items())
    present = ", ".join(printable(name) for name in table)
    plain = {name.strip().lower() for name in table}
    near = next((f"; did you mean {', '.join(names)}?" for names in COLUMNS.values() if set(names) <= plain), "")
    said = f"no problem has the columns {present}, expected {expected}, or --problem{near}"
    raise InputError(said, where=table.source)


def companions(path: Path, names: Sequence[str]) -> dict[str, InputTable]:
    """Return the other tables of an instance that lie beside it: `monday.scenarios.csv`."""
    beside = {name: path.with_name(f"{path.stem}.{name}.csv") for name in names}
    return {name: read_csv(other) for name, other in beside.items() if other.is_file()}


def without_companions(paths: Sequence[Path]) -> list[Path]:
    """Return the paths without other tables of an instance, which `*.csv` of the shell also matches."""
    given = set(paths)

    def main(path: Path) -> bool:
        return path.suffix != ".csv" or path.with_name(f"{path.stem.partition('.')[0]}.csv") not in given - {path}

    return [path for path in paths if main(path)]


def csv_bytes(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """Return columns as a CSV file, with empty cells for missing values; words are only words in it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(inert, columns))
    writer.writerows(map(inert, row) for row in zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def _refuse_points_beside_commas(table: InputTable, texts: Mapping[str, list[str]]) -> None:
    """Refuse a file with numbers of both kinds in a column, 1.234 in one and 1,5 in another, or 1.200 beside 900."""
    comma = next((cell for cells in texts.values() for cell in cells if _COMMA.fullmatch(cell)), None)
    if comma is None:
        fractions = any("." in cell and not _THOUSANDS.fullmatch(cell) for cells in texts.values() for cell in cells)
        for name, cells in texts.items():
            whole = next((f" beside {cell}" for cell in cells if _INTEGER.fullmatch(cell)), "")
            points = [row for row, cell in enumerate(cells) if cell and not _INTEGER.fullmatch(cell)]
            if (whole or not fractions) and points and all(_THOUSANDS.fullmatch(cells[row]) for row in points):
                said = f"{cells[points[0]]}{whole} may be a thousand or a fraction, expected 1000 or 1.0"
                raise InputError(said, where=table.where(name, points[0]))
        return
    for name, cells in texts.items():
        mixed = any(_COMMA.fullmatch(cell) for cell in cells)
        for row, cell in enumerate(cells):
            if _POINT.fullmatch(cell) and (mixed or _THOUSANDS.fullmatch(cell)):
                raise InputError(f"{cell} beside {comma}, expected one decimal sign", where=table.where(name, row))


def _values(cells: list[str], *, decimal_comma: bool) -> list[Any]:
    """Return the cells of a column as whole numbers, numbers or words; None for empty ones."""
    filled = [cell for cell in cells if cell]
    if filled and all(_INTEGER.fullmatch(cell) for cell in filled):
        return [int(cell) if cell else None for cell in cells]
    points = [_COMMA.sub(r"\1.\2", cell) for cell in cells] if decimal_comma else cells
    if filled and all(_DECIMAL.fullmatch(cell) and not re.match(r"[+-]?0\d", cell) for cell in points if cell):
        return [float(cell) if cell else None for cell in points]
    return [cell or None for cell in cells]
