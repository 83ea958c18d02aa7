"""What a pipe gets of the parts that a command says."""

from __future__ import annotations

from collections.abc import Iterable

from colayer.display.tables import Table


def piped(parts: Iterable[str | Table]) -> str:
    """One text, tables as plain lines."""
    return "".join(part if isinstance(part, str) else part.text() for part in parts)
