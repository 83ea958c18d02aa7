"""The run folder: nothing is made twice, nothing that is kept is lost, and what does not belong there is refused."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import colayer
from colayer.errors import InputError
from colayer_paper.frame.store import Clock, Run
from support.damage import damaged, other_values


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
    before = colayer.__version__
    monkeypatch.setattr(colayer, "__version__", "99")
    again = Run(run.folder, "smoke")
    assert again.open() == before
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


@pytest.mark.filterwarnings("ignore:.* is damaged")
@pytest.mark.parametrize("kind", ["stage", "items"])
def test_what_is_kept_and_damaged_anywhere_is_made_again_or_refused(run: Run, kind: str) -> None:
    """Bytes cut, changed, left out and repeated, and other values in each place of a document."""

    def made() -> object:
        if kind == "stage":
            return run.cached("kept", {"seed": 1}, lambda: {"loss": [1.5, 2.5]})
        return run.items("kept", {"seed": 1}, [1, 2, 3], lambda x: [x, 0.5])

    expected = made()
    (path,) = (run.folder / "cache").glob("kept-*")
    sound, random = path.read_bytes(), Random(kind)
    lines = sound.splitlines()
    cases = list(damaged(sound, random))
    for _ in range(60):
        k = random.randrange(len(lines))
        other = json.dumps(other_values(json.loads(lines[k]), random)).encode()
        cases.append(b"\n".join([*lines[:k], other, *lines[k + 1 :]]) + b"\n" * sound.endswith(b"\n"))
    ended = Counter[str]()
    for data in cases:
        path.write_bytes(data)
        try:
            ended["made again" if made() == expected else "another value"] += 1
            run.reset()
        except InputError as error:
            ended["refused" if path.name in error.line else error.line] += 1
    assert set(ended) <= {"made again", "another value", "refused"}
    assert ended["made again"] > len(cases) / 4


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
        file.write(b'{"index": 1, "value": null, "seconds": 1.0, "cpu": 1.0}\n')  # the first one goes on
    other.join(20)
    assert made == [3]


def test_a_line_that_somebody_is_writing_is_left_alone(run: Run) -> None:
    """Who only counts cuts nothing off: that would be half of what another process is writing."""
    run.items("evaluate", {}, [1, 2], lambda x: x)
    (path,) = (run.folder / "cache").glob("evaluate-*.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    assert run.count("evaluate", {}) == 1
    assert run.items("evaluate", {}, [1], lambda x: x) == [1]
    assert path.read_bytes() == whole[:-4]
    path.write_bytes(whole)  # it is written
    assert run.count("evaluate", {}) == 2


def test_what_is_kept_and_counted_of_a_stage(run: Run) -> None:
    assert run.kept("train", {"seed": 1}) is None
    assert run.count("evaluate", {"seed": 1}) == 0
    run.cached("train", {"seed": 1}, lambda: [7], times=lambda _: (2.0, 3.0))
    run.items("evaluate", {"seed": 1}, [1, 2, 3], lambda x: x)
    kept = run.kept("train", {"seed": 1})
    assert kept is not None
    assert (kept["value"], kept["seconds"], kept["cpu"]) == ([7], 2.0, 3.0)
    assert run.kept("train", {"seed": 2}) is None
    assert (run.count("evaluate", {"seed": 1}), run.count("evaluate", {"seed": 2})) == (3, 0)
    places = {run.lock_of("evaluate", {"seed": 1}), run.lock_of("evaluate", {"seed": 2}), run.lock_of("data", {})}
    assert len(places) == 3
    assert not any(place.exists() for place in places)


def test_two_runs_may_begin_in_one_new_folder(tmp_path: Path) -> None:
    """What the other is writing, under a name of its own until it is whole, is no file of somebody else's."""
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / ".0123456789abcdef.tmp").touch()
    assert Run(folder, "smoke").open() is None
    for k in range(20):
        together = threading.Barrier(4)
        refused: list[Exception] = []

        def begin(place: Path, together: threading.Barrier = together, refused: list[Exception] = refused) -> None:
            together.wait()
            try:
                Run(place, "smoke").open()
            except InputError as error:
                refused.append(error)

        threads = [threading.Thread(target=begin, args=(tmp_path / str(k),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert refused == []
        assert sorted(path.name for path in (tmp_path / str(k)).iterdir()) == ["cache", "run.json"]


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


def test_threads_are_those_of_the_run_or_of_the_machine(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run.threads == 1
    monkeypatch.setattr("colayer_paper.frame.store.allowed", lambda: 7)
    assert Run(run.folder, "smoke").threads == 7


def test_progress_is_reported_item_by_item(run: Run) -> None:
    """What is there already counts as done from the start; what is all there is not reported."""
    said: list[tuple[str, int, int]] = []
    run.items("evaluate", {}, [1], lambda x: x)
    run.report = lambda *words: said.append(words)
    run.items("evaluate", {}, [1, 2, 3], lambda x: x, what="squares")
    run.items("evaluate", {}, [1, 2, 3], lambda x: x, what="squares")
    assert said == [("squares", done, 3) for done in (1, 2, 3)]


def test_a_clock_counts_wall_and_processor() -> None:
    clock = Clock()
    assert sum(range(10**6)) > 0
    first = (clock.seconds, clock.cpu)
    assert all(0 < spent < 60 for spent in first)
    assert (clock.seconds, clock.cpu) >= first
