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

import support.tiny_experiments
from colayer.experiments.frame.store import Run
from colayer.experiments.registry import EXPERIMENTS, conduct, experiment
from colayer.experiments.vehicle_scheduling.learners import NO_BAYES
from colayer.report.outcome import read_outcomes
from support.tiny_experiments import TinyRun, small_world, values


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_function(name: str) -> None:
    found = experiment(name)
    assert callable(found)
    assert found.__module__.startswith("colayer.experiments.")
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
    assert outcome.conclusions
    for conclusion in outcome.conclusions:
        assert any(c.isdigit() for c in conclusion.numbers) or conclusion.numbers == NO_BAYES
    assert outcome.differences
    assert {"command", "machine", "versions", "scale", "seconds", "cpu_seconds"} <= set(outcome.provenance)
    assert {"seed", "seeds"} & set(outcome.provenance)
    assert dict(read_outcomes(tiny_run.folder))[folder] == outcome


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
from colayer.experiments import registry
from colayer.experiments.frame.store import Run
from support.tiny_experiments import tiny
registry.read_config = tiny
run = Run(Path({folder!r}), "smoke", workers=2, report=lambda *_: time.sleep(0.02))
run.open()
registry.conduct(run, "tree-epsilon")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_run_goes_on_to_the_same_tables(tiny_run: TinyRun, tmp_path: Path) -> None:
    """SIGKILL in the middle of learning: what was kept is used, and the tables are those of a run never killed."""
    folder = tmp_path / "run"
    tests = Path(support.tiny_experiments.__file__).parent.parent
    code = _SLOW.format(tests=str(tests), folder=str(folder))
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
