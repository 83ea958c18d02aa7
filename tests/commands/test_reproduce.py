"""`colayer reproduce` as a user meets it: names, options, the folder, Ctrl-C."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from colayer.cli import main
from colayer.commands.reproduce import _Lines, _text
from colayer.experiments.registry import EXPERIMENTS
from colayer.report.outcome import Cell, Column, Conclusion, Outcome, Sheet, write_outcome

UNWRITABLE = pytest.mark.skipif(not Path("/proc/self").exists(), reason="a place where nobody can write, root neither")


def outcome(name: str, holds: bool | None = True) -> Outcome:
    """What an experiment might find."""
    sheet = Sheet("numbers", "Numbers", (Column("gap", "%"),), ((Cell(1.0, 2.0),),))
    return Outcome(
        name, name, "Table 1 of the paper", sheets=(sheet,), conclusions=(Conclusion("A claim", holds, "1 < 2"),)
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Experiments that take no time; the names of those that were run."""
    done: list[str] = []

    def conduct(run: Any, name: str) -> Outcome:
        done.append(name)
        run.report("train: something", 1, 2)
        found = outcome(name, holds=None if name == "tree-gap" else name != "vsp-test")
        write_outcome(run.folder / name, found)
        return found

    monkeypatch.setattr("colayer.experiments.registry.conduct", conduct)
    monkeypatch.chdir(tmp_path)
    return done


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tree-epsilom"], "error: NAME: no experiment 'tree-epsilom', expected tree-epsilon (or tree-gap"),
        (
            ["tree-gap", "nothing-like-it"],
            "error: NAME: no experiment 'nothing-like-it', expected tree-epsilon, ",
        ),
        (["--scale", "huge"], "error: --scale: 'huge' is not one of 'smoke', 'small', 'paper'"),
        (["--scale", "smal"], "error: --scale: 'smal' is not one of 'smoke', 'small', 'paper'"),
        (["--workers", "0"], "error: --workers: 0 is out of range, expected at least 1"),
        (["-o", "no/such/place"], "error: -o: no/such/place: the folder to make it in does not exist"),
        (["-o", "file"], "error: -o: file is a file, expected a folder"),
        (["-o", "other"], "error: -o: other: holds other files and no run.json, expected a run or a new folder"),
        (["-o", ""], "error: -o: empty, expected a folder"),
        pytest.param(["-o", "/proc/x"], "error: -o: /proc/x: cannot be written: ", marks=UNWRITABLE),
        (["-o", "x" * 300], f"error: -o: {'x' * 200}: cannot be written: File name too long"),
    ],
)
def test_what_is_wrong_is_refused_before_any_work(
    arguments: list[str], message: str, quick: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, one line, nothing on stdout, nothing made."""
    (tmp_path / "file").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/thesis.txt").touch()
    before = sorted(tmp_path.rglob("*"))
    assert main(["reproduce", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
    assert quick == []


def test_a_run_of_another_scale_is_refused(quick: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "tree-gap", "--scale", "smoke", "-o", "run"]) == 0
    capsys.readouterr()
    assert main(["reproduce", "tree-gap", "--scale", "paper", "-o", "run"]) == 2
    assert capsys.readouterr() == (
        "",
        "error: -o: run: is a run of scale smoke, expected one of paper or a new folder\n",
    )


def test_names_are_listed(quick: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()[2:]] == list(EXPERIMENTS)
    assert main(["reproduce", "--list", "--json", "tree-gap"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["source"]) == ("tree-gap", "Figure 2 (b) of the paper")
    assert (quick, list(tmp_path.iterdir())) == ([], [])


def test_experiments_run_in_their_order_with_a_report_at_the_end(
    quick: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the order of the names; conclusions on stdout, progress on stderr, the page written."""
    assert main(["reproduce", "vsp-test", "tree-gap", "tree-epsilon", "--scale", "smoke"]) == 0
    out, err = capsys.readouterr()
    assert quick == ["tree-epsilon", "tree-gap", "vsp-test"]
    assert [line.split("  ")[0] for line in out.splitlines()[2:5]] == quick
    for name, word in zip(quick, ("holds", "cannot tell", "does not hold"), strict=True):
        assert any(line.startswith(name) and f"  {word}  " in line for line in out.splitlines())
    assert "tree-gap (2 of 3) train: something\n" in err
    assert (tmp_path / "reproduce-smoke/report.html").stat().st_size > 1000
    assert (tmp_path / "reproduce-smoke/tree-gap/numbers.csv").read_text() == 'gap (%),"gap (%), paper"\n1.0,2.0\n'


def test_all_are_run_where_none_is_named(quick: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--scale", "smoke", "--json"]) == 0
    assert quick == list(EXPERIMENTS)
    document = json.loads(capsys.readouterr().out)
    assert [found["name"] for found in document["experiments"]] == quick
    assert (document["scale"], document["report"]) == ("smoke", "reproduce-smoke/report.html")


def test_a_folder_of_another_version_is_said(
    quick: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/run.json").write_text('{"format": 1, "scale": "smoke", "colayer": "0.0.1"}')
    assert main(["reproduce", "tree-gap", "--scale", "smoke", "-o", "run"]) == 0
    assert "run was made by colayer 0.0.1: what it kept is not used" in capsys.readouterr().err


def test_a_damaged_outcome_of_another_experiment_is_found_before_the_work(
    quick: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report shows it as well; to run that experiment again mends it."""
    assert main(["reproduce", "tree-gap", "--scale", "smoke", "-o", "run"]) == 0
    (tmp_path / "run/tree-gap/outcome.json").write_text("")
    quick.clear()
    capsys.readouterr()
    assert main(["reproduce", "vsp-data", "--scale", "smoke", "-o", "run"]) == 2
    out, err = capsys.readouterr()
    assert (quick, out, err.count("\n")) == ([], "", 1)
    assert err.startswith("error: run/tree-gap/outcome.json: not an outcome: ")
    assert err.endswith("; remove it, or run tree-gap as well\n")
    assert main(["reproduce", "vsp-data", "tree-gap", "--scale", "smoke", "-o", "run"]) == 0


def test_ctrl_c_says_how_to_go_on(
    quick: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def conduct(run: Any, name: str) -> Outcome:
        raise KeyboardInterrupt

    monkeypatch.setattr("colayer.experiments.registry.conduct", conduct)
    assert main(["reproduce", "tree-gap", "--scale", "smoke", "-o", "run"]) == 130
    assert capsys.readouterr() == ("", "what is done is kept in run: the same command goes on\ninterrupted\n")
    assert not (tmp_path / "run/report.html").exists()


def test_a_stage_is_said_when_it_begins_and_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a clock that moves 20 seconds at every look: nobody watches a bar here."""
    now = iter(range(1000, 2000, 20))
    monkeypatch.setattr("colayer.commands.reproduce.time.monotonic", lambda: float(next(now)))
    said = _Lines("tree-gap (1 of 2)")
    for done in range(4):
        said("train", done, 9)
    said("test", 0, 3)
    assert capsys.readouterr().err.splitlines() == [
        "tree-gap (1 of 2) train",
        "tree-gap (1 of 2) train, 2 of 9",
        "tree-gap (1 of 2) test",
    ]


def test_data_without_a_conclusion_has_a_line_as_well() -> None:
    text = _text([outcome("a"), Outcome("b", "b", "Table 3")], Path("run"), Path("run/report.html"))
    lines = text.splitlines()
    assert [line.split("  ")[0] for line in lines[2:4]] == ["a", "b"]
    assert lines[3].endswith("no conclusion: data alone")
    assert lines[-1] == "tables and figures in run, all in one page: run/report.html"
