"""Numbers on the pages are those of the results files: what is stale, or has no file, is found."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
#: Pages with numbers from commands that keep no results file, or another one.
UNTRACED = {"reliability"}
#: Pages on which every measured number says where it comes from.
_DOCS = [f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")) if page.stem not in UNTRACED]
TRACED = ["README.md", *_DOCS, "paper/docs/conclusions.md", "paper/docs/proofs.md"]


@pytest.fixture(scope="module")
def measured() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs" / "_site"))
        yield importlib.import_module("measured")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one results file and one outcome."""
    (tmp_path / "benchmarks/results").mkdir(parents=True)
    rows = [{"name": "learned", "tasks": tasks, "gap": gap} for tasks, gap in ((50, -0.5), (75, 1.0))]
    results = {"time": 0.01234, "ours": [1.0, 2.0, 4.0], "rule": [2.0, 2.0, 5.0], "rows": rows}
    (tmp_path / "benchmarks/results/made.json").write_text(json.dumps(results))
    (tmp_path / "paper/results/vsp").mkdir(parents=True)
    cells = [[{"value": "crf"}, {"value": 3.25}], [{"value": "plain"}, {}]]
    sheet = {"name": "test", "columns": [{"name": "learner"}, {"name": "mean gap", "unit": "%"}], "rows": cells}
    (tmp_path / "paper/results/vsp/outcome.json").write_text(json.dumps({"sheets": [sheet]}))
    return tmp_path


def test_every_number_is_that_of_its_file(measured: ModuleType) -> None:
    """Mended by `python docs/_site/measured.py`."""
    found = [f"{page.name}:{line}: {fault}" for page in measured.pages()
             for line, fault in measured.stale(page.read_text("utf-8"))]  # fmt: skip
    assert found == []


@pytest.mark.parametrize("page", TRACED)
def test_every_measured_number_has_a_file(measured: ModuleType, page: str) -> None:
    assert list(measured.untraced((ROOT / page).read_text("utf-8"))) == []


@pytest.mark.parametrize("changed", ["the page", "the file"])
def test_a_change_of_a_page_or_of_its_file_is_found(measured: ModuleType, tmp_path: Path, changed: str) -> None:
    """One number of a real page, and the same number in a copy of its results file."""
    text = (ROOT / "docs/real_data.md").read_text("utf-8")
    results = json.loads((ROOT / "benchmarks/results/timetable.json").read_text("utf-8"))
    assert f"{results['learning']:.0f}<!--= timetable learning" in text
    if changed == "the page":
        text = text.replace(f"{results['learning']:.0f}<!--= timetable learning", "99<!--= timetable learning")
    else:
        results["learning"] = 99.0
    (tmp_path / "benchmarks/results").mkdir(parents=True)
    (tmp_path / "benchmarks/results/timetable.json").write_text(json.dumps(results))
    [(_, fault)] = measured.stale(text, tmp_path)
    assert "is stale, timetable learning .0f says" in fault


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("made 1e3*time .1f", "12.3"),
        ("made rows['learned',50].gap +.1f", "−0.5"),
        ("made mean(ours - rule) .2f", "−0.67"),
        ("made error(ours - rule) .2f", "0.33"),
        ("made max(rows.gap) .0f", "1"),
        ("made 100 * (ours[0] / rule[-1] - 1) .0f", "−80"),
        ("benchmarks/results/made.json time .1e", "1.2e-02"),
        ("vsp test['crf']['mean gap'] .2f", "3.25"),
    ],
)
def test_a_number_is_inserted(measured: ModuleType, root: Path, source: str, shown: str) -> None:
    text = f"| a | **7.0<!--= {source} -->** |\nand 8<!--given-->\n"
    [(line, fault)] = measured.stale(text, root)
    assert (line, fault) == (1, f"7.0 is stale, {source} says {shown}")
    mended = measured.written(text, root)
    assert mended == text.replace("7.0", shown)
    assert list(measured.stale(mended, root)) == []
    assert measured.plain(mended) == f"| a | **{shown}** |\nand 8\n"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("nothing time .1f", "no results file nothing"),
        ("made speed .1f", "speed: no 'speed'"),
        ("made rows['learned'].gap .1f", "rows['learned'].gap: 2 rows with 'learned', expected one"),
        ("made ours .1f", "made ours: list, expected a number"),
        ("vsp test['plain']['mean gap'] .1f", "vsp test['plain']['mean gap']: NoneType, expected a number"),
        ("made open('x') .1f", "open('x'): more than a key may hold"),
        ("made time( .1f", "time(: no key"),
        ("made time zz", "'zz' is no format"),
        ("made time", "'made time' is not FILE KEY FORMAT"),
    ],
)
def test_a_number_without_a_source_is_named(measured: ModuleType, root: Path, source: str, fault: str) -> None:
    assert list(measured.stale(f"\n\n1.0<!--= {source} --> %", root)) == [(3, fault)]


def test_a_table_is_inserted(measured: ModuleType, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measured.TABLES, "times", lambda made: f"| time |\n|---|\n| {made['time']:.2f} |")
    text = "words\n\n<!--table times made-->\n| time |\n|---|\n| 3.14 |\n<!--end-->\n"
    assert list(measured.stale(text, root)) == [(3, "table times made is stale")]
    mended = measured.written(text, root)
    assert "| 0.01 |\n<!--end-->" in mended
    assert list(measured.stale(mended, root)) == []
    (root / "benchmarks/results/empty.json").write_text("{}")
    lacking = next(measured.stale(text.replace("times made", "times empty"), root))
    assert lacking == (3, "table times empty: its files lack 'time'")
    assert "no table 'time'" in next(measured.stale(text.replace("times", "time"), root))[1]


@pytest.mark.parametrize("text", ["see <!--= made time .1f -->", "<!--table times made-->\n| 1 |\n"])
def test_a_comment_without_its_number_is_found(measured: ModuleType, root: Path, text: str) -> None:
    assert [line for line, _ in measured.stale(text, root)] == [1]


def test_what_looks_measured_is_found(measured: ModuleType) -> None:
    text = "gap 0.5 % and 12 ms\n`0.7` [x](a_0.3.md) 5 seeds, v0.2.0\n2.5<!--given--> 3.5<!--= made time .1f -->\n"
    assert list(measured.untraced(text)) == [(1, "0.5"), (1, "12")]
