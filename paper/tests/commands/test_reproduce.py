"""`colayer reproduce` as a user meets it: names, options, the folder, Ctrl-C."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from colayer.cli.app import main
from colayer.display.outcome import Cell, Column, Conclusion, Outcome, Sheet, write_outcome
from colayer.learning.search.direct import Direct
from colayer.problems import SingleMachine
from colayer_paper.commands.reproduce import _Lines, _parts
from colayer_paper.frame.learned import Data, Learned, Learning
from colayer_paper.frame.store import Run
from colayer_paper.registry import EXPERIMENTS
from support.piped import piped

UNWRITABLE = pytest.mark.skipif(not Path("/proc/self").exists(), reason="a place where nobody can write, root neither")


def outcome(name: str, holds: bool | None = True, scale: str = "paper") -> Outcome:
    """What an experiment might find."""
    sheet = Sheet("numbers", "Numbers", (Column("gap", "%"),), ((Cell(1.0, 2.0),),))
    claim = Conclusion("A claim", holds, "1 < 2")
    return Outcome(
        name, name, "Table 1 of the paper", sheets=(sheet,), conclusions=(claim,), provenance={"scale": scale}
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Experiments that take no time; the names of those that were run."""
    done: list[str] = []

    def conduct(run: Any, name: str) -> Outcome:
        done.append(name)
        run.report("train: something", 1, 2)
        found = outcome(name, holds=None if name == "tree-gap" else name != "vsp-test", scale=run.scale)
        write_outcome(run.folder / name, found)
        return found

    monkeypatch.setattr("colayer_paper.registry.conduct", conduct)
    monkeypatch.chdir(tmp_path)
    return done


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tree-epsilom"], "error: NAME: "),
        (
            ["tree-gap", "nothing-like-it"],
            "error: NAME: ",
        ),
        (["--scale", "huge"], "error: --scale: "),
        (["--scale", "smal"], "error: --scale: "),
        (["--device", "tpu"], "error: --device: "),
        (["--workers", "0"], "error: --workers: "),
        (["-o", "no/such/place"], "error: -o: no/such/place: "),
        (["-o", "file"], "error: -o: "),
        (["-o", "other"], "error: -o: other: "),
        (["-o", ""], "error: -o: "),
        pytest.param(["-o", "/proc/x"], "error: -o: /proc/x: ", marks=UNWRITABLE),
        (["-o", "x" * 300], f"error: -o: {'x' * 200}"),
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
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: -o: run: ")


def test_names_are_listed_with_what_is_learned(
    quick: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line for each experiment, those of its stages indented under it; nothing is run or made."""
    monkeypatch.setattr("colayer_paper.vehicle_scheduling.learners.need_botorch", lambda: None)
    assert main(["reproduce", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "source", "title", "done", "took", "expected"]
    heads = [line for line in lines[2:] if not line.startswith(" ")]
    assert [line.split()[0] for line in heads] == list(EXPERIMENTS)
    learned = [line for line in lines[2:] if line.startswith(" ")]
    assert any("tree, by experience, ε = 0.001  " in line and "  0 of 300" in line for line in learned)
    assert next(line for line in heads if line.startswith("vsp-data")).split()[-1] == "-"  # nothing is learned there
    assert main(["reproduce", "--list", "--json", "tree-gap"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["source"]) == ("tree-gap", "Figure 2 (b) of the paper")
    assert row["stages"][0]["what"] == "tree, by demonstration"
    assert (quick, list(tmp_path.iterdir())) == ([], [])


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Learned | None]:
    """In the run of the folder `run`, of three stages one is done, one under way after 5 of 20, one to be done."""
    problem = SingleMachine("27")
    data = Data({}, lambda: [problem.generate(seed, jobs=6) for seed in range(2)])
    stages = [Learning(f"weights {k}", problem, data, Direct(), 20, options={"seed": k}) for k in range(3)]
    monkeypatch.setattr("colayer_paper.registry.learnings", lambda _run, _name: stages)
    monkeypatch.setattr("colayer_paper.frame.times._times", lambda: {("smoke", "weights 2"): 7200.0})
    run = Run(tmp_path / "run", "smoke", workers=1)
    run.open()
    done = stages[0].learn(run)

    def stop(_what: str, number: int, _total: int) -> None:
        if number == 5:
            raise KeyboardInterrupt

    run.report = stop
    with pytest.raises(KeyboardInterrupt):
        stages[1].learn(run)
    run.journal(stages[1].identity).with_suffix(".times").write_text('{"seconds": 60.0, "cpu": 90.0}')
    return [done, None, None]


def test_what_is_done_under_way_and_to_be_done_is_listed(
    quick: list[str], three: list[Learned | None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the time it took, the time left at the rate so far, and the time it took elsewhere."""
    before = sorted(tmp_path.rglob("*"))
    assert main(["reproduce", "tree-gap", "--list", "--scale", "smoke", "-o", "run"]) == 0
    head, *stages = [line.split("  ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert "1 of 3" in head
    words = [[word.strip() for word in line if word.strip()] for line in stages]
    assert words[0][:2] == ["weights 0", "20 of 20"]
    assert words[0][3] == "0 ms"  # nothing is left
    assert words[1:] == [["weights 1", "5 of 20", "3.00 min"], ["weights 2", "0 of 20", "2.00 h"]]
    assert main(["reproduce", "tree-gap", "--list", "--json", "--scale", "smoke", "-o", "run"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    learned = three[0]
    assert learned is not None
    assert row["stages"] == [
        {"what": "weights 0", "done": 20, "total": 20, "seconds": learned.seconds, "cpu": learned.cpu, "expected": 0.0},
        {"what": "weights 1", "done": 5, "total": 20, "seconds": 60.0, "cpu": 90.0, "expected": 180.0},
        {"what": "weights 2", "done": 0, "total": 20, "seconds": 0.0, "cpu": 0.0, "expected": 7200.0},
    ]
    assert sorted(tmp_path.rglob("*")) == before
    assert quick == []


def test_the_device_is_that_of_the_run(quick: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    devices: list[str] = []

    def conduct(run: Run, name: str) -> Outcome:
        devices.append(run.device)
        write_outcome(run.folder / name, outcome(name))
        return outcome(name)

    monkeypatch.setattr("colayer_paper.registry.conduct", conduct)
    monkeypatch.setattr("colayer.evaluators.gpu.device.Cuda", object)
    for given in ([], ["--device", "cuda"], ["--device", "auto"]):
        assert main(["reproduce", "tree-gap", "--scale", "smoke", "-o", "run", *given]) == 0
    assert devices == ["cpu", "cuda", "auto"]


def test_without_a_gpu_cuda_is_refused_before_any_work(
    quick: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert main(["reproduce", "tree-gap", "--scale", "smoke", "-o", "run", "--device", "cuda"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: --device: ")
    assert "colayer[gpu]" in err
    assert (quick, list(tmp_path.iterdir())) == ([], [])


def test_experiments_run_in_their_order_with_a_report_at_the_end(
    quick: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the order of the names; conclusions on stdout, progress on stderr, the page written."""
    assert main(["reproduce", "vsp-test", "tree-gap", "tree-epsilon"]) == 0
    out, err = capsys.readouterr()
    assert quick == ["tree-epsilon", "tree-gap", "vsp-test"]
    assert [line.split("  ")[0] for line in out.splitlines()[2:5]] == quick
    for name, word in zip(quick, ("holds", "cannot tell", "does not hold"), strict=True):
        assert any(line.startswith(name) and f"  {word}  " in line for line in out.splitlines())
    assert "tree-gap (2 of 3) train: something\n" in err
    assert (tmp_path / "reproduce-small/report.html").stat().st_size > 1000
    assert (tmp_path / "reproduce-small/tree-gap/numbers.csv").read_text() == 'gap (%),"gap (%), paper"\n1.0,2.0\n'


def test_a_smoke_run_prints_no_verdict(quick: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "vsp-test", "tree-gap", "tree-epsilon", "--scale", "smoke"]) == 0
    rows = capsys.readouterr().out.splitlines()[2:5]
    assert [re.split(" {2,}", row)[3] for row in rows] == ["-"] * len(quick)


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
    assert err.startswith("error: run/tree-gap/outcome.json: ")
    assert err.endswith("; remove it, or run tree-gap as well\n")
    assert main(["reproduce", "vsp-data", "tree-gap", "--scale", "smoke", "-o", "run"]) == 0


def test_ctrl_c_says_how_to_go_on(
    quick: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def conduct(run: Any, name: str) -> Outcome:
        raise KeyboardInterrupt

    monkeypatch.setattr("colayer_paper.registry.conduct", conduct)
    assert main(["reproduce", "tree-gap", "--scale", "smoke", "-o", "run"]) == 130
    assert capsys.readouterr() == ("", "what is done is kept in run: the same command goes on\ninterrupted\n")
    assert not (tmp_path / "run/report.html").exists()


def test_a_stage_is_said_when_it_begins_and_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a clock that moves 20 seconds at every look: nobody watches a bar here."""
    now = iter(range(1000, 2000, 20))
    monkeypatch.setattr("colayer_paper.commands.reproduce.time.monotonic", lambda: float(next(now)))
    said = _Lines("tree-gap (1 of 2)")
    for done in range(4):
        said("train", done, 9)
    said("test", 0, 3)
    assert capsys.readouterr().err.splitlines() == [
        "tree-gap (1 of 2) train",
        "tree-gap (1 of 2) train, 2 of 9",
        "tree-gap (1 of 2) test",
    ]


def test_whose_claims_they_are_and_what_is_moot_is_said() -> None:
    drawn = (
        Conclusion("Slower", False, "1", moot=True, reason="It is fast."),
        Conclusion("Better", True, "2", of="colayer"),
    )
    lines = piped(_parts([Outcome("a", "a", "Table 1", conclusions=drawn)], Path("run"), Path("r.html"))).splitlines()
    assert [line.split() for line in (lines[0], *lines[2:4])] == [
        ["experiment", "beside", "claim", "of", "here", "conclusion"],
        ["a", "Table", "1", "paper", "moot", "Slower"],
        ["a", "Table", "1", "colayer", "holds", "Better"],
    ]


def test_data_without_a_conclusion_has_a_line_as_well() -> None:
    text = piped(_parts([outcome("a"), Outcome("b", "b", "Table 3")], Path("run"), Path("run/report.html")))
    lines = text.splitlines()
    assert [line.split("  ")[0] for line in lines[2:4]] == ["a", "b"]
    assert lines[3].endswith("no conclusion: data alone")
    assert lines[-1] == "tables and figures in run, all in one page: run/report.html"
