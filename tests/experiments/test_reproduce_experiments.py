"""The spanning tree and single machine experiments, tiny: tables whole, nothing computed twice, kills survived."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colayer.experiments.frame.config import Config, paper_table, read_config
from colayer.experiments.frame.store import Run
from colayer.experiments.registry import conduct, experiment
from colayer.experiments.single_machine.by_size import SUBSETS
from colayer.report.outcome import Outcome, Sheet, read_outcomes

TREE = {"widths": [4, 5], "evaluations": 12, "samples": 2, "passes": 3, "auto_evaluations": 12}
_LEARNER = {"features": "27", "method": "direct", "seeds": 2, "per_cell": 1}
SCHEDULING = {
    "jobs": [12, 160, 760],  # one size of each subset
    "perturbed_samples": 2,
    "demonstration_jobs": [8],
    "passes": 2,
    "learners": [
        {"loss": "plain", "decoder": "none", "iterations": [5, 12], "beside": [1000, 2500], **_LEARNER},
        {"loss": "perturbed", "decoder": "none", "iterations": [5], "beside": [1000], "samples": 2, **_LEARNER},
        {"loss": "plain", "decoder": "ls", "iterations": [5, 12], "beside": [1000, 2500], **_LEARNER},
        {"loss": "perturbed", "decoder": "ls", "iterations": [5], "beside": [1000], "samples": 2, **_LEARNER},
        {**_LEARNER, "loss": "plain", "decoder": "none", "method": "auto", "iterations": [9], "seeds": 1},
    ],
}
NAMES = ("tree-epsilon", "tree-gap", "scheduling-learning", "scheduling-test", "scheduling-size")


def tiny(name: str, scale: str = "smoke") -> Config:
    config = read_config(name, scale)
    return replace(config, parameters={**config.parameters, **(TREE if name.startswith("tree") else SCHEDULING)})


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("colayer.experiments.registry.read_config", tiny)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Outcome]]:
    """Every experiment, run once for all tests of this file."""
    run = Run(tmp_path_factory.mktemp("tiny") / "run", "smoke", workers=2)
    run.open()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("colayer.experiments.registry.read_config", tiny)
        return run.folder, {name: conduct(run, name) for name in NAMES}


def values(sheet: Sheet, *, paper: bool = False) -> list[list[Any]]:
    """The cells of a sheet, or the paper's beside them; without the columns that hold times."""
    kept = [k for k, column in enumerate(sheet.columns) if column.unit != "s"]
    return [[row[k].paper if paper else row[k].value for k in kept] for row in sheet.rows]


@pytest.mark.parametrize("name", NAMES)
def test_an_outcome_is_whole(name: str, outcomes: tuple[Path, dict[str, Outcome]]) -> None:
    """Tables with finite numbers, figures that are there, conclusions with numbers, differences, provenance."""
    folder, found = outcomes
    outcome = found[name]
    assert outcome.sheets
    for sheet in outcome.sheets:
        assert (folder / name / f"{sheet.name}.csv").read_text() == sheet.csv()
        numbers = [cell.value for row in sheet.rows for cell in row if isinstance(cell.value, float)]
        assert numbers
        assert all(math.isfinite(number) for number in numbers)
    for picture in outcome.pictures:
        assert "<svg" in (folder / name / picture.file).read_text()
    assert outcome.conclusions
    assert all(any(c.isdigit() for c in conclusion.numbers) for conclusion in outcome.conclusions)
    assert outcome.differences
    assert {"command", "machine", "versions", "scale", "seconds", "cpu_seconds", "seeds"} <= set(outcome.provenance)
    assert dict(read_outcomes(folder))[folder / name] == outcome


def test_every_number_of_the_paper_stands_beside_one_of_ours(outcomes: tuple[Path, dict[str, Outcome]]) -> None:
    """Each value of the paper's rows that the run has too, in a cell of its own."""
    found = outcomes[1]
    epsilon = found["tree-epsilon"].sheets[0]
    assert [row[1].paper for row in epsilon.rows] == [
        float(row["gap_percent"]) for row in paper_table("spanning_tree_epsilon")
    ]
    ran = {("plain", "1000"), ("plain", "2500"), ("perturbed", "1000"), ("fenchel_young", "0")}
    for name, table, key, texts in (
        ("scheduling-learning", "single_machine_learning", "loss", {"decoder", "loss", "total_time_10_seeds"}),
        ("scheduling-test", "single_machine_test", "learner", {"learner", "learn_decoder", "samples"}),
        ("scheduling-size", "single_machine_by_size", "learner", {"decoder", "learner", "learn_decoder", "samples"}),
    ):
        here = [cell.paper for sheet in found[name].sheets for row in sheet.rows for cell in row]
        for row in paper_table(table):
            if (row[key], row["iterations"]) in ran:
                expected = {float(value) for column, value in row.items() if column not in texts} - {0.0}
                assert expected <= {float(value) for value in here if value is not None}, row


def test_gaps_are_to_the_best_known(outcomes: tuple[Path, dict[str, Outcome]]) -> None:
    """None is negative; through rdi no gap is above that through ls, which is not above that without a decoder."""
    (sheet,) = outcomes[1]["scheduling-test"].sheets
    for row in sheet.rows:
        none, ls, rdi = (row[k].value for k in (2, 4, 6))
        assert 0 <= rdi <= ls <= none  # type: ignore[operator]
    for sheet in outcomes[1]["tree-gap"].sheets:
        assert all(value >= 0 for row in values(sheet) for value in row[1:])


def test_losses_are_those_of_the_paper_in_kind(outcomes: tuple[Path, dict[str, Outcome]]) -> None:
    """cost / (n(n + 1)) is near the paper's 35 to 37, the best seed is no worse than the mean, more is no worse."""
    (sheet,) = outcomes[1]["scheduling-learning"].sheets
    names = [column.name for column in sheet.columns]
    mean, best = names.index("mean loss over seeds"), names.index("best loss")
    for row in sheet.rows:
        assert 30 < row[best].value <= row[mean].value < 80  # type: ignore[operator]
    assert sheet.rows[1][mean].value <= sheet.rows[0][mean].value  # type: ignore[operator]


def test_subsets_are_those_of_the_paper() -> None:
    assert SUBSETS == {"moderate": 150, "large": 750, "huge": 3000}


def test_a_second_run_computes_nothing(outcomes: tuple[Path, dict[str, Outcome]]) -> None:
    """All stages come from the cache, and every file is the same, times and all."""
    folder, _ = outcomes
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    before = {path: path.read_bytes() for path in files}
    again = Run(folder, "smoke", workers=1)
    again.open()
    for name in NAMES:
        conduct(again, name)
    assert again.made == 0
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()} == before


def test_stages_are_shared_between_experiments(outcomes: tuple[Path, dict[str, Outcome]], tmp_path: Path) -> None:
    """scheduling-size needs what scheduling-test made, and nothing more."""
    run = Run(tmp_path / "run", "smoke", workers=2)
    run.open()
    experiment("scheduling-test")  # loads
    (run.folder / "scheduling-test").mkdir()
    conduct(run, "scheduling-test")
    before = run.made
    size = conduct(run, "scheduling-size")
    assert (run.made, before > 0) == (before, True)
    assert [values(sheet) for sheet in size.sheets] == [
        values(sheet) for sheet in outcomes[1]["scheduling-size"].sheets
    ]


_SLOW = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_reproduce_experiments import tiny
from colayer.experiments import registry
from colayer.experiments.frame.store import Run
registry.read_config = tiny
run = Run(Path({folder!r}), "smoke", workers=2, tell=lambda *_: time.sleep(0.02))
run.open()
registry.conduct(run, "tree-epsilon")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_run_goes_on_to_the_same_tables(outcomes: tuple[Path, dict[str, Outcome]], tmp_path: Path) -> None:
    """SIGKILL in the middle of learning: what was kept is used, and the tables are those of a run never killed."""
    folder = tmp_path / "run"
    code = _SLOW.format(tests=str(Path(__file__).parent), folder=str(folder))
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
    outcome = conduct(run, "tree-epsilon")
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    expected = outcomes[1]["tree-epsilon"]
    assert [values(sheet) for sheet in outcome.sheets] == [values(sheet) for sheet in expected.sheets]
    assert outcome.conclusions == expected.conclusions
