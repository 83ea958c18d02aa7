"""Stages that several processes share: each made once, those of others waited for, those of the dead taken over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from colayer.errors import InputError
from colayer_paper.frame.sharing import Items, share, shared
from colayer_paper.frame.store import Run

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="locks and signals of POSIX")
STAGES, ITEMS = 6, 8


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("colayer_paper.frame.sharing._AGAIN", 0.01)
    found = Run(tmp_path / "run", "smoke", workers=1)
    found.open()
    return found


def squares(stage: int, made: list[int] | None = None, count: int = 3) -> Items[int]:
    """The squares of the first numbers, `made` being told which are made."""

    def square(number: int) -> int:
        if made is not None:
            made.append(10 * stage + number)
        return number**2

    return Items(f"squares {stage}", "data", {"stage": stage}, range(count), square)


def test_stages_are_made_in_order_and_once(run: Run) -> None:
    made: list[int] = []
    stages = [squares(k, made) for k in range(3)]
    assert not any(stage.done(run) for stage in stages)
    stages[1].make(run)
    assert [stage.done(run) for stage in stages] == [False, True, False]
    assert shared(run, stages) == [[0, 1, 4]] * 3
    assert made == [10, 11, 12, 0, 1, 2, 20, 21, 22]
    share(run, stages)
    assert shared(Run(run.folder, "smoke"), stages) == [[0, 1, 4]] * 3
    assert len(made) == 9
    assert run.made == 3
    assert not list(run.folder.glob("cache/*.lock"))


def test_a_stage_with_more_items_than_before_goes_on(run: Run) -> None:
    """What determines a stage is its identity; items that are missing are made."""
    made: list[int] = []
    shared(run, [squares(1, made)])
    assert not squares(1, count=5).done(run)
    assert shared(run, [squares(1, made, count=5)]) == [[0, 1, 4, 9, 16]]
    assert made == [10, 11, 12, 13, 14]


def test_what_a_stage_raises_is_raised_and_nobody_is_kept_from_it(run: Run) -> None:
    def fail(number: int) -> int:
        raise InputError("no good", where=str(number))

    with pytest.raises(InputError, match="0: no good"):
        share(run, [Items("failing", "data", {"stage": 0}, [0], fail)])
    assert shared(run, [squares(0)]) == [[0, 1, 4]]


def test_a_lock_that_cannot_be_made_is_one_line(run: Run) -> None:
    (run.folder / "cache").rmdir()
    with pytest.raises(InputError, match=r"cache/data-\w+\.lock: cannot be written: "):
        share(run, [squares(0)])


@POSIX
def test_a_stage_that_another_is_at_is_left_for_last_and_waited_for(run: Run) -> None:
    """The others are made meanwhile; it is not made again when its lock is gone, since it is done then."""
    import fcntl

    made: list[int] = []
    stages = [squares(k, made) for k in range(3)]
    with stages[0].place(run).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        ours = threading.Thread(target=share, args=(run, stages))
        ours.start()
        _wait_until(lambda: stages[1].done(run) and stages[2].done(run))
        ours.join(0.1)
        assert ours.is_alive()
        assert made == [10, 11, 12, 20, 21, 22]
        squares(0).make(Run(run.folder, "smoke"))  # by the one that has the lock
    ours.join(20)
    assert not ours.is_alive()
    assert len(made) == 6


@POSIX
def test_a_stage_that_its_maker_gave_up_is_made(run: Run) -> None:
    """Its lock is gone, and it is not done."""
    import fcntl

    made: list[int] = []
    with squares(0).place(run).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        ours = threading.Thread(target=share, args=(run, [squares(0, made)]))
        ours.start()
        ours.join(0.1)
        assert made == []
    ours.join(20)
    assert made == [0, 1, 2]


_PROCESS = """
import os, sys, time
from pathlib import Path
from colayer_paper.frame.sharing import Items, shared
from colayer_paper.frame.store import Run

def make(number):
    with open({log!r}, "ab", buffering=0) as file:
        file.write(f"{{os.getpid()}} {{number}}\\n".encode())
    time.sleep({pause})
    return number ** 2

print("ready", flush=True)
sys.stdin.readline()
run = Run(Path({folder!r}), "smoke", workers=1)
run.open()
inputs = [range({items} * k, {items} * (k + 1)) for k in range({stages})]
print(shared(run, [Items(f"squares {{k}}", "data", {{"stage": k}}, numbers, make) for k, numbers in enumerate(inputs)]))
"""


def _process(tmp_path: Path, pause: float) -> subprocess.Popen[str]:
    """It begins when it is told to."""
    folder, log = str(tmp_path / "shared"), str(tmp_path / "log")
    code = _PROCESS.format(folder=folder, log=log, pause=pause, items=ITEMS, stages=STAGES)
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _processes(tmp_path: Path, *pauses: float) -> list[subprocess.Popen[str]]:
    """Other processes that share the stages of a run, ready to begin."""
    found = [_process(tmp_path, pause) for pause in pauses]
    for process in found:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    return found


def _begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    patience = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < patience
        time.sleep(0.002)


def _logged(tmp_path: Path) -> list[tuple[int, int]]:
    """(process, number) of all that was made."""
    if not (tmp_path / "log").exists():
        return []
    return [(int(a), int(b)) for a, b in (line.split() for line in (tmp_path / "log").read_text().splitlines())]


EXPECTED = [[number**2 for number in range(ITEMS * k, ITEMS * (k + 1))] for k in range(STAGES)]


@POSIX
def test_two_processes_in_a_new_folder_share_the_work(tmp_path: Path) -> None:
    """Begun at the same moment: every item is made once, each process makes some, and both have all."""
    processes = _processes(tmp_path, 0.02, 0.02)
    for process in processes:
        _begin(process)
    answers = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], answers
    assert [answer[0] for answer in answers] == [f"{EXPECTED}\n"] * 2
    made = _logged(tmp_path)
    assert sorted(number for _, number in made) == list(range(STAGES * ITEMS))
    by_process = Counter(process for process, _ in made)
    assert set(by_process) == {process.pid for process in processes}
    # a stage is one process's
    assert len({(process, number // ITEMS) for process, number in made}) == STAGES


@POSIX
def test_the_stage_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    """By the one that waits for it: what was kept is not made again, and nothing is missing."""
    killed, other = _processes(tmp_path, 0.05, 0.0)
    _begin(killed)
    _wait_until(lambda: len(_logged(tmp_path)) >= 3)
    _begin(other)
    _wait_until(lambda: any(process == other.pid for process, _ in _logged(tmp_path)))
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    answer = other.communicate(timeout=120)
    assert (other.returncode, answer[0]) == (0, f"{EXPECTED}\n"), answer
    counts = Counter(number for _, number in _logged(tmp_path))
    assert set(counts) == set(range(STAGES * ITEMS))
    again = [number for number, count in counts.items() if count > 1]
    assert len(again) <= 1  # the one under way
