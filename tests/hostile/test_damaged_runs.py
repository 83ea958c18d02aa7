"""`report` on runs that someone has damaged: one line that names the file, or a page in which nothing is alive."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from colayer.display.outcome import Cell, Column, Conclusion, Outcome, Picture, Sheet, write_outcome
from support.hostile import Ended, refused

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>'


@pytest.fixture
def run(place: Path) -> Path:
    """A run with one outcome, one table and one picture."""
    sheet = Sheet("numbers", "Numbers", (Column("gap", "%"),), ((Cell(1.0, 2.0),),))
    outcome = Outcome("one", "One", sheets=(sheet,), pictures=(Picture("p.svg", "A picture"),))
    write_outcome(place / "run/one", outcome)
    (place / "run/one/p.svg").write_text(SVG)
    return place / "run"


def document(run: Path, **changes: Any) -> None:
    """The outcome with other values."""
    path = run / "one/outcome.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def recoded(run: Path, encoding: str) -> None:
    path = run / "one/outcome.json"
    path.write_bytes(path.read_text().replace("One", "Ö").encode(encoding))


def picture(run: Path, content: bytes | str) -> None:
    (run / "one/p.svg").write_bytes(content if isinstance(content, bytes) else content.encode())


def replaced(run: Path, name: str, make: Callable[[Path], object]) -> None:
    (run / "one" / name).unlink()
    make(run / "one" / name)


NESTED = '<svg xmlns="http://www.w3.org/2000/svg">' + "<g>" * 100_000
LAUGHS = (
    '<!DOCTYPE svg [<!ENTITY a "ha">' + "".join(f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 9}">' for k in range(9))
    + ']><svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><text>&j;</text></svg>'
)  # fmt: skip
#: name → what is done to the run, the file that is named.
DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "outcome empty": (lambda run: (run / "one/outcome.json").write_text(""), "outcome.json"),
    "outcome cut": (lambda run: (run / "one/outcome.json").write_text('{"name": "o'), "outcome.json"),
    "outcome a list": (lambda run: (run / "one/outcome.json").write_text("[]"), "outcome.json"),
    "outcome null": (lambda run: (run / "one/outcome.json").write_text("null"), "outcome.json"),
    "outcome nested": (lambda run: (run / "one/outcome.json").write_text("[" * 100_000), "outcome.json"),
    "outcome in Latin-1": (lambda run: recoded(run, "latin-1"), "outcome.json"),
    "outcome in UTF-16": (lambda run: recoded(run, "utf-16"), "outcome.json"),
    "outcome in UTF-32": (lambda run: recoded(run, "utf-32"), "outcome.json"),
    "outcome with a mark": (lambda run: recoded(run, "utf-8-sig"), "outcome.json"),
    "outcome a folder": (lambda run: replaced(run, "outcome.json", Path.mkdir), "outcome.json"),
    "outcome a loop": (lambda run: replaced(run, "outcome.json", lambda p: p.symlink_to(p.name)), ""),
    "outcome a device": (lambda run: replaced(run, "outcome.json", lambda p: p.symlink_to("/dev/zero")), "outcome"),
    "name a number": (lambda run: document(run, name=3), "outcome.json"),
    "sheets a word": (lambda run: document(run, sheets="none"), "outcome.json"),
    "a sheet null": (lambda run: document(run, sheets=[None]), "outcome.json"),
    "a cell a list": (lambda run: document(
        run, sheets=[{"name": "n", "title": "t", "columns": [{"name": "a"}], "rows": [[{"value": []}]]}]), "outcome"),
    "a row too long": (lambda run: document(
        run, sheets=[{"name": "n", "title": "t", "columns": [], "rows": [[{}]]}]), "sheets[0].rows[0]"),
    "a verdict a word": (lambda run: document(
        run, conclusions=[{"claim": "c", "holds": "maybe", "numbers": ""}]), "outcome.json"),
    "a picture missing": (lambda run: (run / "one/p.svg").unlink(), "p.svg"),
    "a picture empty": (lambda run: picture(run, ""), "p.svg"),
    "a picture cut": (lambda run: picture(run, SVG[:60]), "p.svg"),
    "a picture of HTML": (lambda run: picture(run, "<html><script>alert(1)</script></html>"), "p.svg"),
    "a picture of PNG": (lambda run: picture(run, b"\x89PNG\r\n\x1a\n" + bytes(50)), "p.svg"),
    "a picture nested": (lambda run: picture(run, NESTED), "p.svg"),
    "a picture of entities": (lambda run: picture(run, LAUGHS), "p.svg"),
    "a picture in an unknown code": (lambda run: picture(run, f'<?xml version="1.0" encoding="nope"?>{SVG}'), "p.svg"),
    "a picture a folder": (lambda run: replaced(run, "p.svg", Path.mkdir), "p.svg"),
    "a picture a device": (lambda run: replaced(run, "p.svg", lambda p: p.symlink_to("/dev/zero")), "p.svg"),
    "a picture elsewhere": (lambda run: document(run, pictures=[{"file": "../../a.svg", "title": ""}]), "pictures"),
    "a picture at the root": (lambda run: document(run, pictures=[{"file": "/etc/passwd", "title": ""}]), "pictures"),
    "a picture without a name": (lambda run: document(run, pictures=[{"file": "", "title": ""}]), ""),
    "a picture called ..": (lambda run: document(run, pictures=[{"file": "..", "title": ""}]), ""),
    "a picture with a NUL": (lambda run: document(run, pictures=[{"file": "a\0b", "title": ""}]), ""),
    "no outcome": (lambda run: shutil.rmtree(run / "one"), "run"),
    "no run": (lambda run: shutil.rmtree(run), "run"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_run_is_refused_by_name(name: str, run: Path, call: Callable[..., Ended]) -> None:
    damage, fragment = DAMAGE[name]
    damage(run)
    said = refused(call("report", "run", "-o", "page.html"), fragment)
    assert len(said) < 400
    assert "\0" not in said
    assert not Path("page.html").exists()


def handlers(page: str) -> list[str]:
    """Attributes that would run."""
    found: list[str] = []

    class Page(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend(name for name, _ in attrs if name.startswith("on"))

    Page().feed(page)
    return found


HOSTILE = (
    "</title><script>alert(1)</script>", "<img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "{{ 7*7 }}",
    "{% raw %}", "$$x$$", "\x1b[31mred", "\u202eright to left", "=cmd|' /C calc'!A0", "]]>", "\x00\x07",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_a_run_is_text_on_the_page(text: str, place: Path, call: Callable[..., Ended]) -> None:
    """No script but ours, no handler, no template, and a table that a spreadsheet does not run."""
    sheet = Sheet("numbers", text, (Column(text, text),), ((Cell(text, text, text),),), text)
    said = Conclusion(text, None, text)
    outcome = Outcome(text, text, text, text, (sheet,), (Picture("p.svg", text, text),), (said,), (text,), {text: text})
    write_outcome(place / "run", outcome)
    (place / "run/p.svg").write_text(SVG)
    assert call("report", "run", "-o", "page.html")[0] == 0
    page = Path("page.html").read_text()
    assert page.count("<script") == 1
    assert not handlers(page)
    assert text != "{{ 7*7 }}" or text in page
    cells = (place / "run/numbers.csv").read_text()
    assert not re.search(r"(^|[,\n\"])=cmd", cells)


@pytest.mark.parametrize(
    "content",
    [
        '<script xmlns="http://www.w3.org/2000/svg">alert(1)</script>',
        '<a xmlns="http://www.w3.org/2000/svg" href="javascript:alert(1)"><rect/></a>',
        '<image xmlns="http://www.w3.org/2000/svg" href="http://example.org/x.png"/>',
        '<rect xmlns="http://www.w3.org/2000/svg" onclick="alert(1)"/>',
        '<style xmlns="http://www.w3.org/2000/svg">@import url(http://example.org)</style>',
        '<foreignObject xmlns="http://www.w3.org/2000/svg"><iframe src="http://example.org"/></foreignObject>',
        '<use xmlns="http://www.w3.org/2000/svg" href="http://example.org/x.svg#a"/>',
    ],
)
def test_a_picture_that_is_alive_is_dead_on_the_page(content: str, run: Path, call: Callable[..., Ended]) -> None:
    picture(run, SVG.replace("<rect", f"{content}<rect", 1))
    status, _, err = call("report", "run", "-o", "page.html")
    if status:
        refused((status, "", err), "p.svg")
        return
    page = Path("page.html").read_text()
    assert page.count("<script") == 1
    for word in ("javascript:", "example.org", "onclick", "alert(1)", "iframe"):
        assert word not in page
