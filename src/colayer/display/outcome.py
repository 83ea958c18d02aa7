"""What a run found, as data: tables beside the paper's, figures, conclusions and provenance.

A run is a folder with one folder an outcome in it: `outcome.json`, its tables as CSV and its figures as SVG.
`colayer reproduce` and `colayer compare` write such folders, `colayer report` reads them.
"""

from __future__ import annotations

import csv
import importlib.metadata
import io
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from colayer import __version__
from colayer._runtime.text import inert
from colayer.errors import InputError
from colayer.io.files import encode, made_folder, read_bytes, write_all

#: The page that `colayer report` makes of a run.
REPORT = "report.html"
OUTCOME = "outcome.json"

#: What a run of this scale must say, on every page.
CAVEATS = {
    "smoke": "A smoke run: it shows that everything runs. Its numbers mean nothing, and it concludes nothing.",
    "small": "A small run: its numbers decide nothing. What decides is a run with --scale paper.",
}

Verdict = Literal["holds", "does not hold", "cannot tell", "moot"]
_VERDICTS: dict[bool | None, Verdict] = {True: "holds", False: "does not hold", None: "cannot tell"}
#: Whose claims are counted apart, and in words.
CLAIMS = {"paper": "of the paper", "colayer": "of ours"}

#: What stands in a cell: a number, a word, or nothing.
Value = float | int | str | None


class Cell(msgspec.Struct, frozen=True, omit_defaults=True):
    """Our value, with the paper's if it has one."""

    value: Value = None
    paper: Value = None
    note: str = ""


class Column(msgspec.Struct, frozen=True, omit_defaults=True):
    """The name of a column and the unit of its numbers ("%", "s", or none)."""

    name: str
    unit: str = ""

    @property
    def label(self) -> str:
        """Name and unit, as in the head of a table."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


class Sheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table whose cells may stand beside the paper's; `name` is the stem of its CSV file."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    def with_paper(self) -> tuple[bool, ...]:
        """Return the columns in which some row has a value of the paper's."""
        return tuple(any(row[c].paper is not None for row in self.rows) for c in range(len(self.columns)))

    def csv(self) -> str:
        """Return the raw values as CSV; the paper's values stand in a column of their own."""
        paired = self.with_paper()
        head: list[Value] = [label for column, pair in zip(self.columns, paired, strict=True)
                for label in ([column.label, f"{column.label}, paper"] if pair else [column.label])]  # fmt: skip
        rows: list[list[Value]] = [[value for cell, pair in zip(row, paired, strict=True)
                 for value in ([cell.value, cell.paper] if pair else [cell.value])] for row in self.rows]  # fmt: skip
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([[inert(value) for value in row] for row in [head, *rows]])
        return text.getvalue()


class Picture(msgspec.Struct, frozen=True, omit_defaults=True):
    """A figure: an SVG file in the folder of the outcome."""

    file: str
    title: str
    caption: str = ""


class Conclusion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A claim, whether it holds in our run (None: the run cannot tell), and the numbers that say so."""

    claim: str
    holds: bool | None
    numbers: str
    #: Whose claim it is: the paper's, or one of ours.
    of: Literal["paper", "colayer"] = "paper"
    #: Whether a better algorithm than the paper's leaves nothing to be claimed, whatever `holds` says.
    moot: bool = False
    #: Why it does not hold, as tested.
    reason: str = ""
    #: What the verdict rests on: "20 and 5 seeds, 56 instances".
    test: str = ""

    @property
    def verdict(self) -> Verdict:
        """In a word."""
        return "moot" if self.moot else _VERDICTS[self.holds]


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that one experiment found."""

    name: str
    title: str
    #: What it stands beside: "Table 2 of the paper".
    source: str = ""
    summary: str = ""
    sheets: tuple[Sheet, ...] = ()
    pictures: tuple[Picture, ...] = ()
    conclusions: tuple[Conclusion, ...] = ()
    #: What differs from the paper (bound, machine, samples), in words.
    differences: tuple[str, ...] = ()
    provenance: dict[str, Value] = {}


def scale_of(outcome: Outcome) -> str:
    """Return the scale of a run of the paper's experiments; an empty word for a comparison."""
    return str(outcome.provenance.get("scale", ""))


def concludes(outcome: Outcome) -> bool:
    """Tell whether its conclusions have verdicts: those of a smoke run would be read as results."""
    return scale_of(outcome) != "smoke"


def provenance(command: str, **more: Value) -> dict[str, Value]:
    """Return command, versions, machine and `more` (seeds, seconds, scale)."""
    packages = ("numpy", "numba", "nlopt", "cma", "highspy")
    versions = [f"colayer {__version__}", *(f"{name} {importlib.metadata.version(name)}" for name in packages)]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"command": command, "machine": machine, "versions": ", ".join(versions), **more}


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Write the tables as CSV, then `outcome.json`; the pictures are there already."""
    tables = {folder / f"{sheet.name}.csv": sheet.csv().encode() for sheet in outcome.sheets}
    with made_folder(folder):
        write_all({**tables, folder / OUTCOME: msgspec.json.format(encode(outcome), indent=1)})


def read_outcomes(run: Path) -> list[tuple[Path, Outcome]]:
    """Return the outcomes of a run with their folders: of the folder itself, or of those in it."""
    if not run.is_dir():
        what = "is not a folder, expected a run" if run.exists() else "there is no such folder"
        raise InputError(what, where=str(run))
    folders = [run, *sorted(path for path in run.iterdir() if path.is_dir())]
    found = [(folder, _read(folder / OUTCOME)) for folder in folders if (folder / OUTCOME).exists()]
    if not found:
        raise InputError(f"no {OUTCOME}, expected a folder written by reproduce or compare", where=str(run))
    return found


def _read(path: Path) -> Outcome:
    try:
        outcome = msgspec.json.decode(read_bytes(path), type=Outcome)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not an outcome: {error}", where=str(path)) from None
    _check_rows(outcome.sheets, path)
    return outcome


def _check_rows(sheets: Sequence[Sheet], path: Path) -> None:
    for s, sheet in enumerate(sheets):
        for r, row in enumerate(sheet.rows):
            if len(row) != len(sheet.columns):
                where = f"{path}: sheets[{s}].rows[{r}]"
                raise InputError(f"{len(row)} cells, expected {len(sheet.columns)}", where=where)
