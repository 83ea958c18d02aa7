"""The run folder: nothing is made twice, nothing that is kept is lost, and what does not belong there is refused."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import colayer
from colayer.errors import InputError
from colayer.experiments.frame.config import SCALES, paper_seconds, paper_table, read_config
from colayer.experiments.frame.judge import both, less, tendency
from colayer.experiments.frame.learned import Data, Learned, learn
from colayer.experiments.frame.store import Run
from colayer.experiments.registry import EXPERIMENTS, experiment
from colayer.learning.experience.auto import Auto
from colayer.learning.experience.direct import Direct
from colayer.problems import SingleMachine


@pytest.fixture
def run(tmp_path: Path) -> Run:
    found = Run(tmp_path / "run", "smoke", workers=1)
    assert found.open() is None
    return found


def test_a_stage_is_made_once_for_what_determines_it(run: Run) -> None:
    made = []

    def make() -> dict[str, Any]:
        made.append(1)
        return {"pair": (1, 2.5)}

    first = run.cached("data", {"seed": 1}, make)
    assert first == {"pair": [1, 2.5]}  # as JSON gives it back, also the first time
    assert run.cached("data", {"seed": 1}, make) == first
    assert (len(made), run.made) == (1, 1)
    run.cached("data", {"seed": 2}, make)
    run.cached("train", {"seed": 1}, make)
    assert len(made) == 3


def test_another_version_makes_everything_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run.cached("data", {}, lambda: 1)
    monkeypatch.setattr(colayer, "__version__", "99")
    again = Run(run.folder, "smoke")
    assert again.open() == "0.1.0"
    assert again.cached("data", {}, lambda: 2) == 2


def test_items_go_on_where_they_were(run: Run) -> None:
    """Of a line that a kill cut short nothing is left, and the items before it are not made again."""
    made: list[int] = []

    def square(number: int) -> int:
        if number == 3 and len(made) < 4:
            raise KeyboardInterrupt
        made.append(number)
        return number**2

    inputs = [0, 1, 2, 3, 4]
    with pytest.raises(KeyboardInterrupt):
        run.items("evaluate", {}, inputs, square, threads=1)
    (path,) = (run.folder / "cache").glob("evaluate-*.jsonl")
    known = path.read_bytes()
    assert known.count(b"\n") == 4  # the identity and three items
    path.write_bytes(known[:-5])
    made[:] = [0, 1, 0, 0]
    assert run.items("evaluate", {}, inputs, square, threads=1) == [0, 1, 4, 9, 16]
    assert made[4:] == [2, 3, 4]
    assert run.items("evaluate", {}, inputs, square) == [0, 1, 4, 9, 16]
    assert len(made) == 7


@pytest.mark.parametrize("damage", [b"", b'{"identity": {"st', b"\0" * 40, b"[]", b'{"value": 1}'])
def test_a_stage_whose_file_is_damaged_is_made_again(run: Run, damage: bytes) -> None:
    """As a power cut may leave it: it is said, and the file is whole again."""
    run.cached("data", {}, lambda: 1)
    (path,) = (run.folder / "cache").glob("data-*.json")
    path.write_bytes(damage)
    with pytest.warns(UserWarning, match=r"data-\w+\.json is damaged: it is made again"):
        assert run.cached("data", {}, lambda: 2) == 2
    assert run.cached("data", {}, lambda: 3) == 2


def test_items_from_a_damaged_line_on_are_made_again(run: Run) -> None:
    run.items("evaluate", {}, [1, 2, 3], lambda x: x)
    (path,) = (run.folder / "cache").glob("evaluate-*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + b"\0\0\n" + lines[3])
    with pytest.warns(UserWarning, match="is damaged: what follows line 2 is made again"):
        assert run.items("evaluate", {}, [1, 2, 3], lambda x: 10 * x) == [1, 20, 30]
    path.write_bytes(b"\0" * 9 + b"\n")
    with pytest.warns(UserWarning, match="what follows line 0"):
        assert run.items("evaluate", {}, [1, 2, 3], lambda x: x) == [1, 2, 3]
    path.write_bytes(b"")
    assert run.items("evaluate", {}, [1], lambda x: x) == [1]


def test_items_keep_their_order_over_threads(run: Run) -> None:
    later = threading.Event()

    def slow_first(number: int) -> int:
        later.wait(5) if number == 0 else later.set()
        return number

    assert run.items("evaluate", {}, [0, 1, 2], slow_first, threads=2) == [0, 1, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_a_second_run_in_the_folder_waits_for_the_first(run: Run) -> None:
    """Two commands for different experiments of one run meet at the stages these share."""
    import fcntl

    run.items("evaluate", {}, [1], lambda x: x)
    (path,) = (run.folder / "cache").glob("evaluate-*.jsonl")
    made: list[int] = []
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        other = threading.Thread(target=lambda: run.items("evaluate", {}, [1, 2, 3], made.append))
        other.start()
        other.join(0.2)
        assert other.is_alive()
        assert made == []
        file.write(b'{"value": null, "seconds": 1.0, "cpu": 1.0}\n')  # the first one goes on
    other.join(20)
    assert made == [3]


def test_lines_of_another_stage_are_refused(run: Run) -> None:
    run.items("evaluate", {}, [1], lambda x: x)
    (path,) = (run.folder / "cache").glob("evaluate-*.jsonl")
    path.write_text(path.read_text().replace('"evaluate"', '"data"'))
    with pytest.raises(InputError, match="remove it"):
        run.items("evaluate", {}, [1], lambda x: x)


def test_times_are_those_of_when_it_was_made(run: Run, tmp_path: Path) -> None:
    run.cached("data", {"part": 1}, lambda: sum(range(10**6)))
    run.cached("data", {"part": 1}, lambda: 0)
    spent = run.seconds
    assert spent > 0
    again = Run(run.folder, "smoke")
    again.cached("data", {"part": 1}, lambda: 0)
    assert (again.seconds, again.made) == (spent, 0)
    run.reset()
    assert run.seconds == 0


def test_a_stage_inside_another_is_not_counted(run: Run) -> None:
    """Else a run from the cache, which does not ask for it, would tell other times than the run that made it."""
    run.cached("train", {}, lambda: run.cached("data", {}, lambda: 1), times=lambda _: (2.0, 3.0))
    assert (run.seconds, run.cpu, run.made) == (2.0, 3.0, 2)


def test_folders_that_are_no_run_of_this_scale_are_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a run of scale smoke, expected one of paper"):
        Run(run.folder, "paper").open()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/thesis.txt").touch()
    with pytest.raises(InputError, match=r"holds other files and no run\.json"):
        Run(tmp_path / "other", "smoke").open()
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.txt"]
    with pytest.raises(InputError, match="is not a folder"):
        Run(tmp_path / "other/thesis.txt", "smoke").open()
    (run.folder / "run.json").write_text("[]")
    with pytest.raises(InputError, match="not the head of a run"):
        Run(run.folder, "smoke").open()


def jobs(count: int = 6) -> Data:
    problem = SingleMachine("27")
    return Data({"count": count}, lambda: [problem.generate(seed, jobs=8) for seed in range(count)])


def same(a: Learned, b: Learned) -> bool:
    """All but the times."""
    return (a.model, a.losses, a.best, a.loss) == (b.model, b.losses, b.best, b.loss)


def test_learning_that_was_stopped_goes_on(run: Run, tmp_path: Path) -> None:
    """Stopped after some evaluations, then again: the result is that of a run never stopped, and no journal stays."""
    options: dict[str, Any] = {
        "what": "train",
        "method": Direct(seeds=2),
        "evaluations": 60,
        "portions": [(0, 10), (30, 60)],
    }
    stop_at = 25

    def tell(_what: str, done: int, _total: int) -> None:
        if done >= stop_at:
            raise KeyboardInterrupt

    run.tell = tell
    with pytest.raises(KeyboardInterrupt):
        learn(run, SingleMachine("27"), jobs(), **options)
    (journal,) = (run.folder / "cache").glob("journal-*.jsonl")
    assert journal.read_bytes().count(b"\n") == 1 + stop_at
    run.tell = lambda *_: None
    resumed = learn(run, SingleMachine("27"), jobs(), **options)
    assert not list((run.folder / "cache").glob("journal-*"))
    other = Run(tmp_path / "other", "smoke", workers=2)
    other.open()
    whole = learn(other, SingleMachine("27"), jobs(), **options)
    assert same(resumed, whole)
    assert learn(run, SingleMachine("27"), jobs(), **options) == resumed
    assert whole.best[0].loss == min(whole.losses[:10])
    assert whole.linear(1).weights.tolist() == whole.best[1].weights
    assert whole.loss == min(whole.losses)


def test_a_longer_search_of_direct_begins_like_a_shorter_one(run: Run) -> None:
    """What lets one search of each seed give the rows of the paper for fewer and for more iterations."""
    short, long = (
        learn(run, SingleMachine("27"), jobs(), what="", method=Direct(seeds=2), evaluations=2 * count).losses
        for count in (40, 100)
    )
    assert (long[:40], long[100:140]) == (short[:40], short[40:])


def test_another_option_is_another_learning_run(run: Run) -> None:
    first = learn(run, SingleMachine("27"), jobs(), what="", method=Auto(), evaluations=20)
    assert learn(run, SingleMachine("27"), jobs(), what="", method=Auto(), evaluations=20, seed=1) != first
    assert learn(run, SingleMachine("27"), jobs(7), what="", method=Auto(), evaluations=20) != first
    assert run.made == 3


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_config_and_a_function(name: str, scale: str) -> None:
    config = read_config(name, scale)
    assert config.title
    assert config.source.endswith("of the paper") or name == "size-generalisation"  # of colayer's own
    assert config.parameters
    assert callable(experiment(name))
    with pytest.raises(InputError, match="no parameter 'nothing'"):
        config["nothing"]


def test_paper_scale_is_that_of_the_paper_where_it_is_not_said() -> None:
    """The sizes that the paper states and that two cores can do; what is less is said, with the right numbers."""
    tree = read_config("tree-gap", "paper")
    assert tree["widths"] == [10, 20, 30, 40, 50, 60]
    assert (tree["held_per_cell"], tree["chosen"]) == (5, 1e-3)
    said = f"{tree['evaluations']} evaluations of DIRECT and {tree['samples']} samples instead of 1000 and 20"
    assert any(said in words for words in tree.differences)
    assert tree["epsilons"] == [float(row["epsilon"]) for row in paper_table("spanning_tree_epsilon")]
    scheduling = read_config("scheduling-test", "paper")
    cells = len(scheduling["jobs"]) * 10
    assert cells * scheduling["train_per_cell"] == 2400
    tested = f"Tested on {cells * scheduling['test_per_cell']} instances, {scheduling['test_per_cell']} a cell"
    assert any(tested in words for words in scheduling.differences)
    plain = scheduling["learners"][0]
    assert (plain["seeds"], plain["iterations"]) == (10, [1000, 2500])
    learned = f"Learned on {cells * plain['per_cell']} of the 2400 instances with the plain loss"
    assert any(learned in words for words in scheduling.differences)


def test_the_papers_numbers_are_there() -> None:
    assert paper_table("single_machine_learning")[0]["loss_avg"] == "36.71"
    assert paper_seconds("87:14:42") == 314082


def test_experiments_that_share_a_stage_share_its_parameters() -> None:
    """Else scheduling-test would learn again what scheduling-learning has learned."""
    configs = [read_config(f"scheduling-{name}", "small") for name in ("learning", "test", "size")]
    assert len({json.dumps(config["learners"]) for config in configs}) == 1


def test_less_needs_more_than_chance() -> None:
    assert less([1.0, 1.1, 0.9], [2.0, 2.1, 2.0]) is True
    assert less([2.0, 2.1, 2.0], [1.0, 1.1, 0.9]) is False
    assert less([1.0, 3.0], [2.0, 2.1]) is None
    assert less([1.0], [2.0]) is None  # one pair is no evidence
    assert (both(True, True), both(True, None), both(None, False)) == (True, None, False)


def test_a_tendency_is_more_than_half() -> None:
    assert tendency("c", [(1, 2), (1, 2), (3, 2)], "w").holds is True
    assert tendency("c", [(3, 2), (3, 2), (1, 2)], "w").holds is False
    assert tendency("c", [(3, 2), (1, 2), (1, 1)], "w").holds is None
    assert tendency("c", [], "w").holds is None
    assert tendency("c", [(1, 2)], "words").numbers == "in 1 of 1 comparisons (0 the other way): words"
