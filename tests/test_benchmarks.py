"""What the benchmarks share: rounds that are fair, and results that are kept from a quiet machine alone."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path

import pytest

from support.feed import feed

ROOT = Path(__file__).parent.parent


@pytest.fixture(name="measure")
def measure_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    module = importlib.import_module("measure")
    monkeypatch.setattr(module, "RESULTS", tmp_path / "results")
    return module


def test_all_peers_have_as_many_rounds_and_take_turns(measure) -> None:
    order: list[str] = []
    works = {name: (lambda name=name: order.append(name)) for name in "ab"}
    times = measure.Bench("any").in_turns(works, 3)
    assert order == ["a", "b"] * 3
    assert {time.rounds for time in times.values()} == {3}
    assert all(0.0 <= time.wall < 1.0 and 0.0 <= time.cpu < 1.0 for time in times.values())


def test_the_fastest_round_counts_by_either_clock(measure, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of 5, 2 and 4 wall seconds, of which 3, 2 and 1 are CPU seconds."""
    bench = measure.Bench("any")
    walls, cpus = iter([0.0, 5.0, 10.0, 12.0, 20.0, 24.0]), iter([0.0, 3.0, 10.0, 12.0, 20.0, 21.0])
    monkeypatch.setattr(measure.time, "perf_counter", lambda: next(walls))
    monkeypatch.setattr(measure.time, "process_time", lambda: next(cpus))
    time = bench.best_of(lambda: None, 3)
    monkeypatch.undo()
    assert (time.wall, time.cpu, time.rounds) == (2.0, 1.0, 3)
    assert (time / 2).wall == 1.0
    assert bench.share() <= 6.0 / 11.0


def test_results_of_a_busy_machine_are_not_written(measure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "core_share", lambda seconds=0.0: 0.5)
    with pytest.raises(SystemExit, match="not written: the process had 50% of its core, and results need 90%"):
        measure.Bench("any").write({"value": 1})
    assert not measure.RESULTS.exists()


@pytest.mark.parametrize(("share", "forced"), [(0.95, False), (0.5, True)])
def test_results_say_the_share_of_the_core_and_that_they_were_forced(
    measure, monkeypatch: pytest.MonkeyPatch, share: float, forced: bool
) -> None:
    monkeypatch.setattr(measure, "core_share", lambda seconds=0.0: share)
    bench = measure.Bench("any", force=forced)
    bench.write({"value": measure.Time(2.0, 1.0, 3)})
    document = json.loads((measure.RESULTS / "any.json").read_text("utf-8"))
    assert document["value"] == {"wall": 2.0, "cpu": 1.0, "rounds": 3}
    assert document["core_share"] == share
    assert ("forced" in document) is forced
    assert document["machine"] == measure.machine()


def test_the_share_of_another_process_counts(measure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "core_share", lambda seconds=0.0: 1.0)
    bench = measure.Bench("any")
    bench.add_share(0.97, 0.7)
    assert bench.share() == 0.7


def test_a_timetable_is_planned_by_all_and_costed_by_hidden_scenarios(
    measure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timetable = importlib.import_module("timetable")
    monkeypatch.setattr(timetable, "LEARNING_SEEDS", 2)
    monkeypatch.setattr(timetable, "EVALUATIONS", 10)
    measure.RESULTS.mkdir()
    path = feed(tmp_path / "feed.zip")
    monkeypatch.setattr("sys.argv", ["timetable.py", str(path), "--date", "2026-01-06", "--tests", "2"])
    timetable.main()
    rows = {row["plan"]: row for row in json.loads((measure.RESULTS / "timetable.json").read_text("utf-8"))["rows"]}
    assert rows["published blocks"]["vehicles"] == 2
    assert rows["delay x3"]["difference"]["mean"] == 0
    assert rows["learned + ls"]["vehicles"] <= 2
    assert "spread of costs over the seeds of learning" in capsys.readouterr().out


def test_what_benchmarks_import_is_there() -> None:
    """A module that has moved is noticed here, not by whoever runs the benchmark next."""
    for path in sorted((ROOT / "benchmarks").glob("**/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "colayer":
                assert importlib.util.find_spec(node.module) is not None, f"{path.name}: {node.module}"
