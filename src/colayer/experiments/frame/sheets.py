"""What the sheets of all experiments are made of: columns by their labels, and cells beside the paper's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from colayer.report.outcome import Cell, Column, Value


def columns(*labels: str) -> tuple[Column, ...]:
    """The columns of these labels, of which one may end in its unit: `mean gap (%)`, `CPU time (s)`."""
    parts = [re.fullmatch(r"(.*?)(?: \((%|s)\))?", label) for label in labels]
    return tuple(Column(part[1], part[2] or "") for part in parts if part is not None)


def beside(value: Value, paper: Mapping[str, str] | None, key: str, kind: Callable[[str], Value] = float) -> Cell:
    """Our value beside that of the paper's row in the column `key`; alone where the paper has no such row."""
    return Cell(value, None if paper is None else kind(paper[key]))


def cells(*values: Value) -> tuple[Cell, ...]:
    """Cells with nothing of the paper's beside them."""
    return tuple(map(Cell, values))
