"""`colayer report`: where the page goes, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from colayer.cli.app import main
from colayer.display.outcome import Cell, Column, Outcome, Sheet, write_outcome


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    for name in ("b", "a"):
        sheet = Sheet("table", "Table", (Column("x"),), ((Cell(1.5),),))
        (folder / name).mkdir(parents=True)
        write_outcome(folder / name, Outcome(name, f"Experiment {name}", sheets=(sheet,)))
    return folder


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line of an error: status 2 and nothing on stdout."""
    assert main(["report", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_the_page_lies_in_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By default; written again over itself without complaint; experiments by name."""
    for _ in range(2):
        assert main(["report", str(run)]) == 0
        assert capsys.readouterr().out == f"written to {run / 'report.html'}\n"
    text = (run / "report.html").read_text("utf-8")
    assert text.index("Experiment a") < text.index("Experiment b")


def test_the_page_goes_where_it_is_told(run: Path, tmp_path: Path) -> None:
    assert main(["report", str(run), "-o", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_bytes().startswith(b"<!doctype html>")
    assert not (run / "report.html").exists()


def test_one_outcome_alone_is_a_run(run: Path) -> None:
    assert main(["report", str(run / "a")]) == 0
    assert (run / "a" / "report.html").exists()


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no such folder" in refused(capsys, str(tmp_path / "nowhere"))
    assert "no outcome.json" in refused(capsys, str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_damaged_outcome_is_refused_by_name(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "b" / "outcome.json").write_text('{"name": "b"')
    assert f"error: {run / 'b' / 'outcome.json'}: " in refused(capsys, str(run))
    assert not (run / "report.html").exists()


def test_a_page_without_a_name_or_where_nobody_can_write_is_refused(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, str(run), "-o", "").startswith("error: -o: ")
    if Path("/proc/self").exists():  # a place where root cannot write either
        assert refused(capsys, str(run), "-o", "/proc/x.html").startswith("error: -o: /proc/x.html: ")


def test_the_page_never_replaces_a_part_of_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (run / "a" / "table.csv").read_bytes()
    assert "-o: " in refused(capsys, str(run), "-o", str(run / "a" / "table.csv"))
    assert (run / "a" / "table.csv").read_bytes() == before
