"""Best known costs of the instances of a folder, from a file.

    instance,best            {"0000": 812.5,
    0000,812.5                "0001": 790}
    0001,790

The column of values may be called `cost`. Instances are named by their files, with or without the suffix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from colayer._runtime.text import printable, short
from colayer.errors import InputError
from colayer.io.csv_files import read_csv
from colayer.io.files import read_json
from colayer.io.validate import number


def read_best_known(path: Path, instances: Sequence[Path]) -> list[float]:
    """Return the best known cost of each instance file; refuse unknown, repeated and missing names."""
    stems = [one.stem for one in instances]
    places = {stem: i for i, stem in enumerate(stems) if stems.count(stem) == 1}
    places |= {one.name: i for i, one in enumerate(instances)}
    found: dict[int, float] = {}
    for name, value, where in _json_rows(path) if path.suffix.lower() == ".json" else _csv_rows(path):
        i = places.get(name)
        if i is None:
            raise InputError(f"no instance {short(name)}, expected a file of the folder", where=where)
        if i in found:
            raise InputError(f"{instances[i].name} has two values, expected one", where=where)
        found[i] = number(value, where)
    for i, one in enumerate(instances):
        if i not in found:
            raise InputError(f"no value for {one.name}", where=str(path))
    return [found[i] for i in range(len(instances))]


def _json_rows(path: Path) -> Iterator[tuple[str, Any, str]]:
    """Yield name, value, and how messages name the place."""
    document = read_json(path)
    if not isinstance(document, Mapping):
        raise InputError("expected a JSON object {instance: cost}", where=str(path))
    for name, value in document.items():
        yield name, value, f"{path}: {printable(name)}"


def _csv_rows(path: Path) -> Iterator[tuple[str, Any, str]]:
    table = read_csv(path)
    column = "best" if "best" in table else "cost"
    for name in ("instance", column):
        if name not in table:
            raise InputError("expected the columns instance and best (or cost)", where=str(path))
    for row, (name, value) in enumerate(zip(table["instance"], table[column], strict=True)):
        yield str(name), _number_of(value), table.where(column, row)


def _number_of(cell: Any) -> Any:
    """Return the number of a cell in a column with words, nan among them; what is none, as it is."""
    try:
        return float(cell) if isinstance(cell, str) else cell
    except ValueError:
        return cell
