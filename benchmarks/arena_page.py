"""The tables of paper/docs/arena.md: `python benchmarks/arena_page.py` writes them from its results file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from colayer.display.tables import Table, table

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "paper" / "docs" / "arena.md"
RESULTS = ROOT / "benchmarks" / "results" / "arena.json"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
_SHORT = {"better": "better", "worse": "worse", "no measurable difference": "level"}


def tables(document: Mapping[str, Any], *, text: bool = False) -> str:
    """Return the tables of all problems, as Markdown or as plain text."""
    parts = []
    for problem in document["problems"]:
        sizes = f"{problem['instances']} public instances, learned from {problem['trained_on']} others"
        title = problem["title"]
        parts.append(f"## {title[0].upper()}{title[1:]}\n\n{sizes}.\n")
        for column in problem["columns"]:
            made = _table(column)
            parts.append(made.text() if text else made.markdown())
            parts += [f"{line}\n" for line in _words(column)]
    return "\n".join(parts)


def _table(column: Mapping[str, Any]) -> Table:
    solves = "one solve" if column["solves"] == 1 else f"best of {column['solves']}"
    headers = [solves, "gap, %", "spread of seeds", "difference, points", "verdict", "ms per solve", "CPU s to learn"]
    cells = []
    for row in column["rows"]:
        apart = row["difference"]
        cells.append([
            row["contender"], f"{100 * row['gap']:.3f}",
            "" if row["spread"] is None else f"{100 * row['spread']:.3f}",
            *(("", "reference") if apart is None else (_points(apart), _SHORT[apart["verdict"]])),
            f"{row['ms']:.2f}", "" if row["seconds"] is None else f"{row['seconds']:.1f}",
        ])  # fmt: skip
    return table(headers, cells)


def _words(column: Mapping[str, Any]) -> list[str]:
    """Return what was chosen on the training instances, and the comparison with noise on θ."""
    chosen = [f"{row['contender']}: {', or '.join(row['chosen'])}" for row in column["rows"] if row["chosen"]]
    said = [f"Chosen on training instances: {'. '.join(chosen)}."] if chosen else []
    noise = [f"{name} {_points(apart)} points" for name, apart in column.get("against_noise", {}).items()]
    return said + ([f"Against safe weights with noise on each row: {'; '.join(noise)}."] if noise else [])


def _points(apart: Mapping[str, Any]) -> str:
    error = "" if apart["standard_error"] is None else f" ± {100 * apart['standard_error']:.3f}"
    return f"{100 * apart['mean']:+.3f}{error}"


def with_tables(page: str, document: Mapping[str, Any]) -> str:
    """Return a page with what stands between its two marks replaced by the tables."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    seeds = f"{document['seeds']} seed{'s' * (document['seeds'] > 1)}"
    made = f"`{document['command']}`, colayer {document['colayer']}, {seeds}, {document['machine']}."
    return f"{before}{BEGIN}\n\n{made}\n\n{tables(document)}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8"), json.loads(RESULTS.read_text("utf-8"))), "utf-8")
