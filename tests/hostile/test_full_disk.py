"""A disk that fills up, and files that may not grow: one line, nothing half-written, and what was done is not lost."""

from __future__ import annotations

import contextlib
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.hostile import Ended, disk, file_size, files, refused
from tiny_experiments import small_world

pytestmark = pytest.mark.usefixtures("no_solvers")

TRAIN = "train single-machine data -o new.json --evaluations 12 --features 27 --workers 1"
#: name → command, what it makes, whether it tells its story as it goes.
COMMANDS: dict[str, tuple[str, set[str], bool]] = {
    "generate": ("generate single-machine new --count 3 --jobs 5", {"new"}, False),
    "generate npz": ("generate spanning-tree new --count 2 --width 3 --format npz", {"new"}, False),
    "generate below": ("generate single-machine deep/er/new --count 3 --jobs 5", {"deep"}, False),
    "generate beside": ("generate single-machine other --count 3 --jobs 5", set(), False),
    "train": (f"{TRAIN} --plot new.png", {"new.json", "new.json.journal", "new.png"}, False),
    "train by labels": (f"{TRAIN} --solutions", {"new.json", "new.json.journal"}, False),
    "train without a journal": (f"{TRAIN} --no-journal", {"new.json"}, False),
    "label": ("label single-machine bare --workers 1", set(), False),
    "solve": ("solve data/0000.json data/0001.json -o new.json", {"new.json"}, False),
    "solve with a picture": ("solve data/0000.json -o new.json --plot new.svg", {"new.json", "new.svg"}, False),
    "bound": ("bound data/0000.json -o new.json", {"new.json"}, False),
    "evaluate": ("evaluate single-machine data -o new.json --plot new.pdf", {"new.json", "new.pdf"}, False),
    "explain": ("explain model.json -o new.json --plot new.png", {"new.json", "new.png"}, False),
    "check": ("check single-machine --data data --decoder none -o new.json", {"new.json"}, False),
    "compare": ("compare single-machine data --time-limit 0.02 -o new", {"new"}, True),
    "compare with a picture": ("compare single-machine data --time-limit 0.02 --plot new.svg", {"new.svg"}, True),
    "demo": ("demo single-machine -o new --workers 1", {"new"}, True),
    "report": ("report compared -o new.html", {"new.html"}, False),
    "reproduce": ("reproduce tree-epsilon --scale smoke -o new --workers 1", {"new"}, True),
}
#: What a run that was stopped may leave: whole lines, or files of a cache.
RESUMED = ("train", "train by labels", "label", "reproduce")
#: Temporary files of ours.
TEMPORARY = re.compile(r"(^|/)\.[0-9a-f]{16}\.tmp")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that `report` takes."""
    from colayer.display.outcome import Cell, Column, Outcome, Sheet, write_outcome

    folder = tmp_path_factory.mktemp("compared") / "compared"
    sheet = Sheet("numbers", "Numbers", (Column("gap", "%"),), ((Cell(1.0, 2.0),),))
    write_outcome(folder, Outcome("one", "One", sheets=(sheet,)))
    return folder


@pytest.fixture
def ready(place: Path, compared: Path, small_demo: Any) -> Iterator[Path]:
    """The place with all that the commands need; experiments are tiny."""
    shutil.copytree(compared, place / "compared")
    (place / "other").mkdir()
    (place / "other/mine.txt").write_text("mine")
    with small_world():
        yield place


@pytest.fixture(scope="module")
def counted() -> dict[str, int]:
    """command → how many times it writes where it may."""
    return {}


def writes(name: str, call: Callable[..., Ended], place: Path, known: dict[str, int]) -> int:
    """How many times a command writes to a disk with room; the place is as it was before."""
    if name not in known:
        before = files(place)
        with disk(place) as used:
            status, _, err = call(*COMMANDS[name][0].split())
        assert status == 0, err
        known[name] = used.writes
        for path in sorted(place.rglob("*"), reverse=True):
            if str(path.relative_to(place)) not in before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        assert files(place) == before
    return known[name]


def check_left(name: str, before: dict[str, bytes | None], place: Path) -> None:
    """Nothing is there that was not there before, but for what the same command goes on from."""
    after = files(place)
    assert {key: after.get(key) for key in before} == before
    new = {key: data for key, data in after.items() if key not in before}
    assert not [key for key in new if TEMPORARY.search(key)]
    if name not in RESUMED and not name.startswith("train"):
        assert new == {}
    for key, data in new.items():
        if key.endswith((".journal", ".jsonl")):
            assert data is not None
            assert not data or data.endswith(b"\n"), key
            assert b"\n\n" not in data


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 1.0], ids=["at once", "first", "half", "last"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_disk_that_fills_up(
    name: str, share: float, call: Callable[..., Ended], ready: Path, counted: dict[str, int]
) -> None:
    """Whichever write fills the disk, then with room again: done, as if nothing was."""
    words, made, prints = COMMANDS[name][0].split(), *COMMANDS[name][1:]
    fits = math.ceil(share * writes(name, call, ready, counted))
    before = files(ready)
    with disk(ready, fits):
        ended = call(*words)
    refused(ended, "No space left on device", prints=prints)
    check_left(name, before, ready)
    status, _, err = call(*words)
    assert status == 0, err
    assert made <= set(files(ready))
    assert not [key for key in files(ready) if TEMPORARY.search(key)]


@pytest.mark.parametrize("limit", [0, 150])
@pytest.mark.parametrize("name", COMMANDS)
def test_files_that_may_not_grow(name: str, limit: int, call: Callable[..., Ended], ready: Path) -> None:
    """As with `ulimit -f`, or a quota."""
    words, made, prints = COMMANDS[name][0].split(), *COMMANDS[name][1:]
    if name in ("bound", "label") or name.startswith("generate"):
        limit = min(limit, 20)  # their files are small
    assert call("explain", "model.json", "--plot", "warm.png")[0] == 0  # the fonts are looked for once
    before = files(ready)
    with file_size(limit):
        ended = call(*words)
    refused(ended, "File too large", prints=prints)
    check_left(name, before, ready)
    status, _, err = call(*words)
    assert status == 0, err
    assert made <= set(files(ready))


@pytest.mark.parametrize("workers", [1, 2])
def test_labels_that_were_written_before_the_disk_was_full_stay(
    workers: int, call: Callable[..., Ended], ready: Path
) -> None:
    """Also by processes of their own; the ones that are missing come later."""
    sizes = [len(data or b"") for name, data in files(ready / "data").items() if name.endswith(".solution.json")]
    (ready / "bare/0003.json").write_bytes((ready / "bare/0003.json").read_bytes())
    words = ("label", "single-machine", "bare", "--workers", workers)
    with file_size(max(sizes) - 1):
        refused(call(*words), "File too large")
    kept = files(ready / "bare")
    assert not [key for key in kept if TEMPORARY.search(key)]
    status, out, _ = call(*words)
    assert status == 0
    assert "4 proved optimal" in out
    after = files(ready / "bare")
    assert {key: after[key] for key in kept} == kept
    assert len(after) == 8


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "demo"])
def test_standard_output_that_cannot_be_written(
    name: str, call: Callable[..., Ended], ready: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`> /dev/full`: one line and status 2; the files are whole."""
    with contextlib.closing(open("/dev/full", "w")) as full:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdout", full)
        status, _, err = call(*COMMANDS[name][0].split())
    assert (status, err.splitlines()[-1]) == (2, "error: standard output: cannot be written: No space left on device")
    assert "Traceback" not in err
    assert COMMANDS[name][1] <= set(files(ready))


@pytest.mark.parametrize(
    "words", ["--version", "--help", "solve --help", "bound {}", "solve {} --json", "train single-machine"]
)
def test_a_true_process_with_a_full_standard_output(words: str, store: Path) -> None:
    """Nothing else, as a second complaint when Python ends, reaches stderr."""
    command = [sys.executable, "-m", "colayer.cli.app", *words.format(store / "data/0000.json").split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    refused((done.returncode, "", done.stderr))
