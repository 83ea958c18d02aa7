"""The experiments by name, each conducted once, tiny: outcomes whole, nothing computed twice, kills survived."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from colayer.display.outcome import Outcome, read_outcomes
from colayer_paper.frame.store import Run
from colayer_paper.registry import EXPERIMENTS, conduct, experiment, learnings
from colayer_paper.vehicle_scheduling.learners import NO_BAYES
from tiny_experiments import TinyRun, small_world, values

TESTS = str(Path(__file__).parent)
RESULTS = Path(__file__).parent.parent / "results"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_function(name: str) -> None:
    found = experiment(name)
    assert callable(found)
    assert found.__module__.startswith("colayer_paper.")
    assert found.__doc__


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_outcome_is_whole(name: str, tiny_run: TinyRun) -> None:
    """Tables with finite numbers, figures that are there, conclusions with numbers, differences, provenance."""
    outcome, folder = tiny_run.outcome(name), tiny_run.folder / name
    assert outcome.name == name
    assert outcome.sheets
    for sheet in outcome.sheets:
        assert (folder / f"{sheet.name}.csv").read_text() == sheet.csv()
        assert all(len(row) == len(sheet.columns) for row in sheet.rows)
        numbers = [cell.value for row in sheet.rows for cell in row if isinstance(cell.value, float | int)]
        assert numbers
        assert all(math.isfinite(number) for number in numbers)
    for picture in outcome.pictures:
        assert "<svg" in (folder / picture.file).read_text()
    assert outcome.conclusions or name == "scheduling-size"  # what it shows is judged in scheduling-seeds
    for conclusion in outcome.conclusions:
        assert any(c.isdigit() for c in conclusion.numbers) or conclusion.numbers == NO_BAYES
    assert outcome.differences
    assert {"command", "machine", "versions", "scale", "seconds", "cpu_seconds"} <= set(outcome.provenance)
    assert {"seed", "seeds"} & set(outcome.provenance)
    assert dict(read_outcomes(tiny_run.folder))[folder] == outcome


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_claim_of_the_paper_is_judged(name: str, tiny_run: TinyRun) -> None:
    """Also in a tiny run, which may have too little for what we say ourselves: a claim left out is missed by nobody."""

    def claims(outcome: Outcome) -> int:
        return sum(conclusion.of == "paper" for conclusion in outcome.conclusions)

    kept = {outcome.name: outcome for _, outcome in read_outcomes(RESULTS)}
    beyond = {"vsp-test": 1}.get(name, 0)  # needs a size that a tiny run does not have
    if name in kept:
        assert claims(tiny_run.outcome(name)) == claims(kept[name]) - beyond


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_second_run_computes_nothing(name: str, tiny_run: TinyRun) -> None:
    """All stages come from the cache, and every file is the same, times and all."""
    first = tiny_run.outcome(name)
    before = {path: path.read_bytes() for path in sorted(tiny_run.folder.rglob("*")) if path.is_file()}
    again = Run(tiny_run.folder, "smoke", workers=1)
    again.open()
    with small_world():
        assert conduct(again, name) == first
    assert again.made == 0
    assert {path: path.read_bytes() for path in sorted(tiny_run.folder.rglob("*")) if path.is_file()} == before


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_is_learned_for_an_experiment(name: str, tiny_run: TinyRun) -> None:
    """All of it is done when the experiment is; stages of one name are one stage."""
    tiny_run.outcome(name)
    with small_world():
        found = learnings(tiny_run.run, name)
    assert (found == []) == (name == "vsp-data")
    assert len({learning.what for learning in found}) == len(found)
    assert len({learning.place(tiny_run.run) for learning in found}) == len(found)
    for learning in found:
        state = learning.state(tiny_run.run)
        assert (state.done, state.seconds > 0) == (state.total, True)


def test_what_is_learned_has_one_name_over_all_experiments(monkeypatch: pytest.MonkeyPatch) -> None:
    """At paper scale, with all extras: the table of times, which goes by scale and name, has a row for each."""
    monkeypatch.setattr("colayer_paper.vehicle_scheduling.learners.need_botorch", lambda: None)
    run = Run(Path("nowhere"), "paper")
    by_name: dict[str, dict[str, object]] = {}
    for name in EXPERIMENTS:
        for learning in learnings(run, name):
            assert by_name.setdefault(learning.what, learning.identity) == learning.identity, learning.what
    assert len(by_name) > 100


def test_stages_are_shared_between_experiments(tiny_run: TinyRun, tmp_path: Path) -> None:
    """scheduling-size needs what scheduling-test made, and nothing more."""
    alone = TinyRun(tmp_path / "run")
    alone.outcome("scheduling-test")
    size = alone.outcome("scheduling-size")
    assert alone.made["scheduling-test"] > 0
    assert alone.made["scheduling-size"] == 0
    assert [values(sheet) for sheet in size.sheets] == [
        values(sheet) for sheet in tiny_run.outcome("scheduling-size").sheets
    ]


_SLOW = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from colayer_paper import registry
from colayer_paper.frame.store import Run
from tiny_experiments import tiny
registry.read_config = tiny
run = Run(Path({folder!r}), "smoke", workers=2, report=lambda *_: time.sleep(0.02))
run.open()
registry.conduct(run, "tree-epsilon")
"""


_TOGETHER = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from colayer_paper import registry
from colayer_paper.frame import sharing
from colayer_paper.frame.learned import Learning
from colayer_paper.frame.store import Run
from tiny_experiments import tiny
registry.read_config = tiny
sharing._AGAIN = 0.05
learned, make = [], Learning._make
Learning._make = lambda self, run: (learned.append(self.what), make(self, run))[1]
print("ready", flush=True)
sys.stdin.readline()
run = Run(Path({folder!r}), "smoke", workers=1, report=lambda *_: time.sleep(0.01))
run.open()
registry.conduct(run, "tree-epsilon")
print("\\n".join(learned))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_two_processes_share_an_experiment_and_find_what_one_does(tiny_run: TinyRun, tmp_path: Path) -> None:
    """Begun at the same moment in a new folder: every model is learned by one of them, each learns some."""
    folder = tmp_path / "run"
    code = _TOGETHER.format(tests=TESTS, folder=str(folder))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([sys.executable, "-c", code], **pipes) for _ in range(2)]  # type: ignore[call-overload]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 2
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=240) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], answers
    by_process = [answer[0].splitlines() for answer in answers]
    assert all(by_process)
    expected = tiny_run.outcome("tree-epsilon")
    with small_world():
        names = sorted(learning.what for learning in learnings(tiny_run.run, "tree-epsilon"))
    assert sorted(by_process[0] + by_process[1]) == names
    ((_, outcome),) = read_outcomes(folder)
    assert [values(sheet) for sheet in outcome.sheets] == [values(sheet) for sheet in expected.sheets]
    assert outcome.conclusions == expected.conclusions
    assert {path.suffix for path in (folder / "cache").iterdir()} == {".json", ".jsonl"}  # no lock, no journal
    assert not list((folder / "cache").glob("journal-*"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_run_goes_on_to_the_same_tables(tiny_run: TinyRun, tmp_path: Path) -> None:
    """SIGKILL in the middle of learning: what was kept is used, and the tables are those of a run never killed."""
    folder = tmp_path / "run"
    code = _SLOW.format(tests=TESTS, folder=str(folder))
    process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stderr=subprocess.PIPE)

    def stage() -> bool:
        trained = len(list(folder.glob("cache/train-*.json")))
        journals = list(folder.glob("cache/journal-*.jsonl"))
        return trained >= 2 and any(path.read_bytes().count(b"\n") > 3 for path in journals)

    patience = time.monotonic() + 120
    while not stage():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < patience
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (folder / "tree-epsilon/outcome.json").exists()
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("cache/train-*.json")}
    run = Run(folder, "smoke", workers=1)
    run.open()
    with small_world():
        outcome = conduct(run, "tree-epsilon")
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    expected = tiny_run.outcome("tree-epsilon")
    assert [values(sheet) for sheet in outcome.sheets] == [values(sheet) for sheet in expected.sheets]
    assert outcome.conclusions == expected.conclusions
