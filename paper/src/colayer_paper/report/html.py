"""The report of a run: one HTML file that needs nothing else, no network, no other file.

The page is `templates/report.html`, filled in by Jinja with everything escaped; its style and its script (tables that
sort) lie beside it and are written into the page. A content security policy forbids all that is not in the file.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from colayer.display.outcome import (
    CAVEATS,
    CLAIMS,
    Cell,
    Column,
    Outcome,
    Picture,
    Sheet,
    Value,
    Verdict,
    concludes,
    read_outcomes,
    scale_of,
)
from colayer.display.tables import duration, significant
from colayer.errors import InputError
from colayer.io.files import write_atomic
from colayer_paper.report.inline_svg import inline_svg

#: Columns in which less is better, so that ours beside the paper's has a sign. Times depend on the machine: none there.
_MINIMISED = re.compile(r"\b(gap|loss|cost|objective|excess)\b", re.IGNORECASE)
#: The unit of columns of times, which are written in ms, s, min or h.
SECONDS = "s"
#: Verdict → its class in the style, and the word for several.
_STYLES: dict[Verdict, tuple[str, str]] = {
    "holds": ("yes", "hold"),
    "does not hold": ("no", "do not hold"),
    "cannot tell": ("open", "cannot tell"),
    "moot": ("moot", "moot"),
}


def write_report(run: Path, output: Path) -> None:
    """The outcomes of the folder `run` as one HTML file, whole or not at all."""
    outcomes = read_outcomes(run)
    page = render(outcomes, title=title_of([outcome for _, outcome in outcomes]), folder=run.resolve().name)
    write_atomic(output, page.encode())


def title_of(outcomes: Sequence[Outcome]) -> str:
    """What the report is about: the paper's experiments, one comparison, or several."""
    if any(outcome.source for outcome in outcomes):
        return "The paper's experiments, run again"
    return outcomes[0].title if len(outcomes) == 1 else "Comparisons"


def render(outcomes: Sequence[tuple[Path, Outcome]], *, title: str, folder: str = "") -> str:
    """The page; each outcome comes with the folder that holds its figures."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    files = importlib.resources.files("colayer_paper.report") / "templates"
    page, style, script = ((files / name).read_text("utf-8") for name in ("report.html", "report.css", "report.js"))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    names = _anchors([outcome.name for _, outcome in outcomes])
    sections = [_section(folder, outcome, name) for (folder, outcome), name in zip(outcomes, names, strict=True)]
    counts = _counts([outcome for _, outcome in outcomes])
    beside = any(outcome.source for _, outcome in outcomes)
    return environment.from_string(page).render(
        title=title,
        folder=folder,
        style=Markup(style),
        script=Markup(script),
        script_hash=digest,
        sections=sections,
        counts=counts,
        caveats=[*dict.fromkeys(section["caveat"] for section in sections if section["caveat"])],
        beside=beside,
        verdicts=_STYLES,
        claims={whose: f"claims {of}" if beside else "conclusions" for whose, of in CLAIMS.items()},
        claim={whose: f"claim {of}" if beside else "conclusion" for whose, of in CLAIMS.items()},
    )


@dataclass(frozen=True)
class _Shown:
    """A cell as it is drawn: our text, the paper's, how they compare, the mark of a note, and what it sorts by."""

    text: str
    paper: str
    than: str
    mark: str
    key: Value
    number: bool


def _section(folder: Path, outcome: Outcome, anchor: str) -> dict[str, Any]:
    return {
        "anchor": anchor,
        "outcome": outcome,
        "caveat": CAVEATS.get(scale_of(outcome), ""),
        "concludes": concludes(outcome),
        "counts": _counts([outcome]),
        "sheets": [_sheet(sheet) for sheet in outcome.sheets],
        "pictures": [
            (picture, _drawing(folder, picture, f"{anchor}-{k}-")) for k, picture in enumerate(outcome.pictures)
        ],
    }


def _counts(outcomes: Sequence[Outcome]) -> dict[str, Counter[Verdict]]:
    """How many claims, the paper's and ours apart, have each verdict; a smoke run concludes nothing."""
    drawn = [conclusion for outcome in outcomes if concludes(outcome) for conclusion in outcome.conclusions]
    counts = {whose: Counter(each.verdict for each in drawn if each.of == whose) for whose in CLAIMS}
    return {whose: count for whose, count in counts.items() if count}


def _drawing(folder: Path, picture: Picture, prefix: str) -> Any:
    from markupsafe import Markup

    if Path(picture.file).name != picture.file:
        raise InputError(f"{picture.file!r} is not a plain file name", where=f"{folder}: pictures")
    return Markup(inline_svg(folder / picture.file, prefix, picture.title))  # cleaned there


def _sheet(sheet: Sheet) -> dict[str, Any]:
    notes = list(dict.fromkeys(cell.note for row in sheet.rows for cell in row if cell.note))
    marks = {note: _letter(k) for k, note in enumerate(notes)}
    columns = [_column([row[c] for row in sheet.rows], column, marks) for c, column in enumerate(sheet.columns)]
    return {
        "sheet": sheet,
        "units": ["" if column.unit == SECONDS else column.unit for column in sheet.columns],
        "numeric": [any(cell.number for cell in column) for column in columns],
        "rows": list(zip(*columns, strict=True)),
        "paper": any(sheet.with_paper()),
        "signed": any(cell.than in ("below", "above") for column in columns for cell in column),
        "notes": [(mark, note) for note, mark in marks.items()],
        "csv": "data:text/csv;charset=utf-8," + quote(sheet.csv()),
    }


def _column(cells: Sequence[Cell], column: Column, marks: dict[str, str]) -> list[_Shown]:
    """A column's cells, our numbers with as many decimals as the paper's; times in the unit that suits each."""
    timed = column.unit == SECONDS
    minimised = _MINIMISED.search(column.name) and not timed
    decimals = max((_decimals(cell.paper) for cell in cells), default=0) if _paired(cells) else None
    texts = [_text(cell.value, decimals, timed) for cell in cells]
    if decimals is None and not timed:
        texts = _aligned(texts, cells)
    return [
        _Shown(
            text=text,
            paper="" if cell.paper is None else _text(cell.paper, decimals, timed),
            than=_than(cell, decimals) if minimised and decimals is not None else "",
            mark=marks.get(cell.note, ""),
            key=cell.value,
            number=_is_number(cell.value) or _is_number(cell.paper),
        )
        for cell, text in zip(cells, texts, strict=True)
    ]


def _text(value: Value, decimals: int | None, timed: bool) -> str:
    """A value as people read it; a number too small for the decimals has two digits of its own."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if timed:
        return duration(value)
    if isinstance(value, int) or not math.isfinite(value):
        return _grouped(str(value))
    if decimals is None:
        text = significant(value, 4)
        short = float(text) == value and "." in text  # a number such as 0.5, given and not computed
        return _grouped(text.rstrip("0").rstrip(".") if short else text)
    text = f"{value:.{decimals}f}"
    too_few = not float(text) or (decimals == 0 and abs(value) < 10)
    return _grouped(significant(value, 2) if too_few and float(text) != value else text)


def _aligned(texts: Sequence[str], cells: Sequence[Cell]) -> list[str]:
    """The same number of decimals in a column, where that is three or fewer."""
    parts = [text.partition(".")[2] for text, cell in zip(texts, cells, strict=True) if isinstance(cell.value, float)]
    places = max(map(len, parts), default=0)
    if not 0 < places <= 3:
        return list(texts)
    return [
        f"{text.partition('.')[0]}.{text.partition('.')[2]:0<{places}}" if isinstance(cell.value, float) else text
        for text, cell in zip(texts, cells, strict=True)
    ]


def _grouped(number: str) -> str:
    """Narrow spaces between thousands, from five digits on."""
    whole, point, rest = number.partition(".")
    return f"{int(whole):,}".replace(",", "\u202f") + point + rest if len(whole.lstrip("-")) > 4 else number


def _than(cell: Cell, decimals: int) -> str:
    """Whether ours is below or above the paper's, to the decimals that the paper gives."""
    if not (isinstance(cell.value, int | float) and isinstance(cell.paper, int | float)):
        return ""
    ours = round(cell.value, decimals)
    return "equal" if ours == cell.paper else "below" if ours < cell.paper else "above"


def _paired(cells: Sequence[Cell]) -> bool:
    return any(_is_number(cell.paper) for cell in cells)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float)


def _decimals(value: Value) -> int:
    return len(f"{value:.6f}".rstrip("0").partition(".")[2]) if isinstance(value, float) else 0


def _letter(k: int) -> str:
    return chr(ord("a") + k) if k < 26 else str(k + 1)


def _anchors(names: Sequence[str]) -> list[str]:
    """One id of the page for each name, all different."""
    found: list[str] = []
    for k, name in enumerate(names):
        anchor = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        found.append(f"x-{anchor}" if anchor and f"x-{anchor}" not in found else f"x-{anchor}-{k}")
    return found
