"""Tables as aligned plain text, as Markdown and as CSV, and how numbers are written in them."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from colayer._runtime.text import MISSING, duration, one_line, percent, significant
from colayer.comparison.table import Summary, value

__all__ = ["MISSING", "Table", "duration", "percent", "significant", "summary_table", "table"]

_NUMBER = re.compile(r"^[-+]?\d[\d.,e+-]*( ?(%|ms|s|min|h|x))?$")


@dataclass(frozen=True)
class Table:
    """Headers and rows of cells as people read them, beside the field names and raw values that CSV keeps."""

    headers: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    fields: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    #: The rows that a terminal sets apart.
    best: frozenset[int] = frozenset()

    @cached_property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers (or nothing) alone: they are set flush right."""
        return tuple(
            any(row[c] != MISSING for row in self.cells)
            and all(row[c] == MISSING or _NUMBER.match(row[c]) for row in self.cells)
            for c in range(len(self.headers))
        )

    def text(self) -> str:
        """Aligned columns under a rule; no trailing blanks, good on a terminal and in a pipe."""
        rows = [[one_line(cell) for cell in row] for row in (self.headers, *self.cells)]
        widths = [max(len(row[c]) for row in rows) for c in range(len(self.headers))]
        lines = [self._line(rows[0], widths), "  ".join("-" * w for w in widths)]
        return "\n".join([*lines, *(self._line(row, widths) for row in rows[1:])]) + "\n"

    def markdown(self) -> str:
        """A Markdown table; what has a meaning in Markdown is escaped in its cells."""
        rules = ["---:" if right else "---" for right in self.numeric]
        rows = [[_escape(cell) for cell in row] for row in (self.headers, *self.cells)]
        return "".join(f"| {' | '.join(row)} |\n" for row in [rows[0], rules, *rows[1:]])

    def csv(self) -> str:
        """Comma-separated raw values, in full precision; a missing value is an empty field."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.fields, *self.values])
        return text.getvalue()

    def _line(self, row: Sequence[str], widths: Sequence[int]) -> str:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, self.numeric, strict=True)
        ]
        return "  ".join(parts).rstrip()


def table(headers: Sequence[str], rows: Sequence[Sequence[Any]], best: Iterable[int] = ()) -> Table:
    """A table of plain cells: strings as they are, floats with four significant digits, None as missing."""
    cells = tuple(tuple(_cell(item) for item in row) for row in rows)
    return Table(tuple(headers), cells, tuple(headers), tuple(map(tuple, rows)), frozenset(best))


def summary_table(rows: Sequence[Summary]) -> Table:
    """The rows of `Comparison.summary` or `Comparison.by`; costs where there are no gaps, groups first.

    Where there is a reference, each row has its paired difference to it, and what that is worth. The best of a group
    comes first.
    """
    measure: Literal["gap", "cost"] = "gap" if any(row.gaps for row in rows) else "cost"
    groups = list(dict.fromkeys(tuple(row.group.values()) for row in rows))
    rows = sorted(rows, key=lambda row: (groups.index(tuple(row.group.values())), _mean(row, measure)))
    best = frozenset(k for k, row in enumerate(rows) if k == 0 or row.group != rows[k - 1].group)
    keys = list(rows[0].group) if rows else []
    bounded = any(row.gaps for row in rows)
    reference = next((row.difference.to for row in rows if row.difference is not None), None)
    measures = ("mean_gap", "worst_gap") if bounded else ("mean_cost",)
    compared = () if reference is None else ("difference", "standard_error", "verdict")
    fields = (*keys, "contender", *measures, "mean_loss", "mean_seconds", *compared)
    headers = (*keys, "contender", *(field.replace("_", " ") for field in measures), "mean time")
    if reference is not None:
        headers = (*headers, "difference", "verdict")
    values, cells = [], []
    for row in rows:
        group = tuple(row.group[key] for key in keys)
        apart = row.difference
        told = () if reference is None else (None,) * 3 if apart is None else (apart.mean, apart.standard_error)
        verdict = () if apart is None else (apart.verdict,)
        measured = tuple(getattr(row, measure) for measure in (*measures, "mean_loss", "mean_seconds"))
        values.append((*group, row.contender, *measured, *told, *verdict))
        gaps = (percent(row.mean_gap), percent(row.worst_gap)) if bounded else (significant(row.mean_cost, 5),)
        words = () if reference is None else ("reference", "") if apart is None else (apart.words, apart.verdict)
        cells.append((*(f"{value:g}" for value in group), row.contender, *gaps, duration(row.mean_seconds), *words))
    return Table(headers, tuple(cells), fields, tuple(values), best)


def _mean(row: Summary, measure: Literal["gap", "cost"]) -> float:
    mean = value(row, measure)
    return math.inf if mean is None else mean


def _cell(item: Any) -> str:
    if item is None:
        return MISSING
    return significant(item, 4) if isinstance(item, float) else str(item)


def _escape(cell: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#~$])", r"\\\1", one_line(cell))
