"""The report: one file that needs nothing else, escaped, with ours and the paper's side by side."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from matplotlib.figure import Figure

from colayer.display.charts import save
from colayer.display.outcome import Cell, Column, Conclusion, Outcome, Picture, Sheet, write_outcome
from colayer.errors import InputError
from colayer_paper.report.html import render, write_report
from support.errors import rejects

EVIL = '<script>alert("x")</script>\'&'
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Tags with their attributes, the text of each kind of element, and whether the tags nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.text.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.text[tag][-1] += data

    def values(self, name: str) -> list[str]:
        return [attrs[name] or "" for _, attrs in self.tags if name in attrs]


SHEET = Sheet(
    "gaps",
    "Gaps",
    (Column("learner"), Column("samples"), Column("mean gap", "%"), Column("time", "s"), Column("sigma")),
    (
        (Cell("plain"), Cell(0), Cell(0.5812, 0.63), Cell(12.3456, 346.0), Cell(0.5)),
        (Cell("perturbed"), Cell(100), Cell(0.9, 0.8, note="stopped early"), Cell(None, 32946.0), Cell(1.25)),
        (Cell("safe"), Cell(12345), Cell(0.001, 0.0), Cell(1.04), Cell(None)),
        (Cell("same"), Cell(0), Cell(1.1049, 1.1), Cell(0.0), Cell(0.0)),
    ),
)


def outcome(folder: Path, name: str = "a") -> Outcome:
    """One with everything in it."""
    figure = Figure(figsize=(3, 2))
    axes = figure.subplots()
    axes.plot([1, 2, 3], [3, 1, 2], marker="o")
    axes.set_title("a < b & c")
    folder.mkdir(parents=True)
    save(figure, folder / "curve.svg")
    return Outcome(
        name,
        f"Title of {name}",
        source="Table 2 of the paper",
        summary="What was done.",
        sheets=(SHEET,),
        pictures=(Picture("curve.svg", "A curve", "Loss by evaluation."),),
        conclusions=(
            Conclusion("This holds.", True, "1 < 2"),
            Conclusion("This does not.", False, "2 > 1"),
            Conclusion("Nobody knows.", None, "not run"),
        ),
        differences=("Another machine.",),
        provenance={"command": "colayer reproduce a", "seed": 0, "note": None},
    )


@pytest.fixture
def run(tmp_path: Path) -> Path:
    for name in ("first", "second"):
        folder = tmp_path / "run" / name
        write_outcome(folder, outcome(folder, name))
    return tmp_path / "run"


@pytest.fixture
def page(run: Path) -> str:
    write_report(run, run / "report.html")
    return (run / "report.html").read_text("utf-8")


def test_everything_is_on_the_page(page: str) -> None:
    texts = ["Title of first", "Title of second", "Table 2 of the paper", "What was done.", "Another machine."]
    texts += ["This holds.", "does not hold", "cannot tell", "colayer reproduce a", "Loss by evaluation."]
    assert [text for text in texts if text not in page] == []
    assert Page(page).text["dd"][:4] == ["2", "2", "2", "2"]  # experiments, and two of each kind of conclusion


def test_the_page_loads_nothing(page: str) -> None:
    """Every address is within the page or data; the policy lets only our own script run, by its hash."""
    found = Page(page)
    addresses = found.values("href") + found.values("src")
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert not re.search(r"@import|url\((?!#)|https?:", page)
    (script,) = found.text["script"]
    policy = next(attrs["content"] for _, attrs in found.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in (policy or "")


def test_links_and_ids_of_all_figures_are_apart(page: str) -> None:
    """Matplotlib gives the same ids to every figure; on one page each must name one element, and be there."""
    found = Page(page)
    ids = found.values("id")
    assert len(ids) == len(set(ids))
    used = [address[1:] for address in found.values("href") if address.startswith("#")]
    used += re.findall(r"url\(#([^)]+)\)", page)
    assert len(used) > 10
    assert set(used) <= set(ids)


def test_text_in_any_field_is_escaped(tmp_path: Path) -> None:
    figure = Figure()
    figure.subplots().set_title(EVIL)
    save(figure, tmp_path / "curve.svg")
    evil = Outcome(
        EVIL, EVIL, source=EVIL, summary=EVIL,
        sheets=(Sheet(EVIL, EVIL, (Column(EVIL, EVIL),), ((Cell(EVIL, EVIL, EVIL),),), caption=EVIL),),
        pictures=(Picture("curve.svg", EVIL, EVIL),),
        conclusions=(Conclusion(EVIL, True, EVIL),),
        differences=(EVIL,),
        provenance={EVIL: EVIL},
    )  # fmt: skip
    html = render([(tmp_path, evil), (tmp_path, evil)], title=EVIL)
    assert html.count("<script") == 1
    assert "alert(" not in "".join(Page(html).text["script"])
    assert len(re.findall("alert", html)) > 30


def test_ours_beside_the_papers(page: str) -> None:
    """Ours with the decimals of the paper; a sign where less is better; times in a unit each, and no sign."""
    cells = re.findall(r"<td[^>]*data-key[^>]*>(.*?)</td>", page)
    rows = [[re.sub(r"<sup>.*?</sup>|</?span[^>]*>", "", cell) for cell in cells[5 * r : 5 * r + 5]] for r in range(4)]

    def small(kind: str, text: str) -> str:
        return f'<small class="paper {kind}">{text}</small>'

    assert rows[0] == ["plain", "0", "0.58" + small("below", "0.63"), "12.3 s" + small("", "5.77 min"), "0.50"]
    assert rows[1] == ["perturbed", "100", "0.90" + small("above", "0.80"), "–" + small("", "9.15 h"), "1.25"]
    assert rows[2] == ["safe", "12\u202f345", "0.0010" + small("equal", "0.00"), "1.04 s", "–"]
    assert rows[3] == ["same", "0", "1.10" + small("equal", "1.10"), "0 ms", "0.00"]


def test_rows_sort_by_raw_values(page: str) -> None:
    keys = ["plain", "0", "0.5812", "12.3456", "0.5", "perturbed", "100", "0.9", "", "1.25"]
    assert Page(page).values("data-key")[:10] == keys


def test_notes_stand_below_the_table(page: str) -> None:
    assert re.search(r"<sup>a</sup> stopped early", page)


def test_the_table_downloads_as_csv(page: str) -> None:
    link = next(attrs for _, attrs in Page(page).tags if "download" in attrs)
    assert link["download"] == "gaps.csv"
    text = unquote((link["href"] or "").removeprefix("data:text/csv;charset=utf-8,"))
    assert text == SHEET.csv()
    assert len(list(csv.reader(io.StringIO(text)))) == 5


def test_same_run_same_bytes(run: Path, page: str) -> None:
    write_report(run, run / "again.html")
    assert (run / "again.html").read_text("utf-8") == page


def test_an_outcome_with_nothing_in_it_is_a_page(tmp_path: Path) -> None:
    found = Page(render([(tmp_path, Outcome("bare", "Bare"))], title="t"))
    assert found.text["h2"] == ["Bare"]
    assert "table" not in found.text


@pytest.mark.parametrize("file", ["missing.svg", "../x.svg", "/etc/passwd"])
def test_figures_come_from_the_folder_of_the_outcome(tmp_path: Path, file: str) -> None:
    with rejects(InputError, file):
        render([(tmp_path, Outcome("a", "a", pictures=(Picture(file, "t"),)))], title="t")


@pytest.mark.parametrize(("scale", "words"), [("smoke", "mean nothing"), ("small", "decide nothing")])
def test_a_run_that_decides_nothing_says_so_on_every_page(scale: str, words: str, tmp_path: Path) -> None:
    """At the top and at the head of each experiment; a smoke run counts no conclusions, and has no verdict."""
    known = (Conclusion("A is better", True, "1 against 2"),)
    runs = [Outcome(f"x{k}", f"X {k}", conclusions=known, provenance={"scale": scale}) for k in range(2)]
    html = render([(tmp_path, run) for run in runs], title="t")
    assert html.count(words) == 1 + len(runs)
    assert html.count('<span class="verdict yes">holds</span>') == (len(runs) if scale == "small" else 0)
    assert ("conclusions hold" in html) == ("1 holds" in html) == (scale == "small")
    paper = render([(tmp_path, Outcome("x", "X", provenance={"scale": "paper"}))], title="t")
    assert 'class="caveat"' not in paper


def claims(*drawn: Conclusion, source: str = "Table 2", copies: int = 1) -> tuple[str, Page]:
    """The page of outcomes with these conclusions."""
    found = [(Path(), Outcome(f"x{k}", "X", source=source, conclusions=drawn)) for k in range(copies)]
    html = render(found, title="t")
    return html, Page(html)


OURS = Conclusion("Ours is better.", True, "1 < 2", of="colayer")
HOLDS, FAILS = Conclusion("It holds.", True, "1 < 2"), Conclusion("It fails.", False, "2 > 1")
MOOT = Conclusion("It is slower.", False, "1 against 1", moot=True, reason="The other one is fast here.")


def test_claims_of_the_paper_and_of_ours_are_counted_apart() -> None:
    """In the head of the page; one is one, and what there is none of is not said."""
    _, page = claims(HOLDS, HOLDS, FAILS, OURS, MOOT)
    heads = list(zip(page.text["dd"], (" ".join(text.split()) for text in page.text["dt"]), strict=False))
    assert heads[1:5] == [
        ("2", "claims of the paper hold"), ("1", "does not hold"), ("1", "moot"), ("1", "claim of ours holds"),
    ]  # fmt: skip


def test_the_overview_counts_apart_where_there_are_both() -> None:
    """Of an experiment with claims of the paper alone the counts say no more than they must."""
    both, _ = claims(HOLDS, OURS, copies=2)
    assert both.count(">claims of the paper:<") == both.count(">claims of ours:<") == 2
    paper, _ = claims(HOLDS, FAILS, copies=2)
    assert "claims of the paper:" not in paper
    ours, _ = claims(OURS, OURS, copies=2)
    assert "claims of ours:" in ours
    assert "of the paper" not in ours


def test_what_is_moot_is_neither_held_nor_failed_and_says_why() -> None:
    html, page = claims(MOOT)
    assert "The other one is fast here." in page.text["p"]
    assert [attrs["class"] for tag, attrs in page.tags if tag == "span"] == ["verdict moot"]
    assert "does not hold" not in html
    assert ".verdict.moot" in html


def test_a_claim_of_ours_says_so() -> None:
    for drawn, said in ((OURS, True), (HOLDS, False)):
        html, _ = claims(drawn)
        assert ("(a claim of ours)" in html) == said


def test_a_comparison_has_no_heading_about_the_paper(tmp_path: Path) -> None:
    run = Outcome("compare-toy", "toy at equal time", differences=("CP-SAT is not installed",))
    page = Page(render([(tmp_path, run)], title="t"))
    assert not [head for kind in ("h1", "h2", "h3", "th") for head in page.text.get(kind, []) if "paper" in head]
    assert "To be known beside" in page.text["h3"]
    html, _ = claims(HOLDS, source="")
    assert "<dt>conclusion holds</dt>" in html
    assert "of the paper" not in html
    beside = Page(render([(tmp_path, Outcome("x", "X", source="Table 2", differences=("fewer seeds",)))], title="t"))
    assert "What differs from the paper" in beside.text["h3"]


def test_what_is_wider_than_the_screen_says_that_it_scrolls(tmp_path: Path) -> None:
    """By the script, which knows the width; tables may take the whole screen."""
    html = render([(tmp_path, Outcome("x", "X", sheets=(SHEET,)))], title="t")
    assert "scroll →" in html
    assert "max-width: 100rem" in html
