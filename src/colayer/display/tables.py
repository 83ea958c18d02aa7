"""Tables as aligned plain text and as Markdown, and how numbers are written in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from colayer._runtime.text import MISSING, duration, one_line, percent, significant

__all__ = ["MISSING", "Table", "duration", "percent", "significant", "table"]

_NUMBER = re.compile(r"^[-+]?\d[\d.,e+-]*( ?(%|ms|s|min|h|x))?$")


@dataclass(frozen=True)
class Table:
    """The headers and cells of a table for people."""

    headers: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    #: The rows that a terminal sets apart.
    best: frozenset[int] = frozenset()
    #: Of plain text: columns without room go below, into a table that begins with the first column again.
    width: int | None = None

    @cached_property
    def numeric(self) -> tuple[bool, ...]:
        """Tell which columns hold numbers (or nothing) alone: they are set flush right."""
        return tuple(
            any(row[c] != MISSING for row in self.cells)
            and all(row[c] == MISSING or _NUMBER.match(row[c]) for row in self.cells)
            for c in range(len(self.headers))
        )

    def text(self) -> str:
        """Return aligned columns under a rule, without trailing blanks, for pipes."""
        rows = [[one_line(cell) for cell in row] for row in (self.headers, *self.cells)]
        widths = [max(len(row[c]) for row in rows) for c in range(len(self.headers))]
        blocks: list[list[int]] = [[0]] if widths else [[]]
        for c in range(1, len(widths)):
            taken = sum(widths[k] + 2 for k in blocks[-1]) + widths[c]
            if self.width is not None and taken > self.width and len(blocks[-1]) > 1:
                blocks.append([0])
            blocks[-1].append(c)
        return "\n".join(self._block(rows, widths, block) for block in blocks)

    def markdown(self) -> str:
        """Return a Markdown table, with special characters escaped."""
        rules = ["---:" if right else "---" for right in self.numeric]
        rows = [[_escape(cell) for cell in row] for row in (self.headers, *self.cells)]
        return "".join(f"| {' | '.join(row)} |\n" for row in [rows[0], rules, *rows[1:]])

    def _block(self, rows: Sequence[Sequence[str]], widths: Sequence[int], columns: Sequence[int]) -> str:
        numeric = self.numeric
        head, *body = [
            "  ".join(row[c].rjust(widths[c]) if numeric[c] else row[c].ljust(widths[c]) for c in columns).rstrip()
            for row in rows
        ]
        return "\n".join([head, "  ".join("-" * widths[c] for c in columns), *body]) + "\n"


def table(
    headers: Sequence[str], rows: Sequence[Sequence[Any]], best: Iterable[int] = (), width: int | None = None
) -> Table:
    """Return a table of plain cells: strings unchanged, floats with four significant digits, None as missing."""
    return Table(tuple(headers), tuple(tuple(_cell(item) for item in row) for row in rows), frozenset(best), width)


def _cell(item: Any) -> str:
    if item is None:
        return MISSING
    return significant(item, 4) if isinstance(item, float) else str(item)


def _escape(cell: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#~$])", r"\\\1", one_line(cell))
