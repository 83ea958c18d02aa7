"""Files that are no plain files, wherever a command reads or writes one: one line."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.hostile import Ended, files, refused

#: What is special: what it is called in the place, and what is said of it.
SPECIAL = {
    "zero": "is not a plain file",
    "socket": "is not a plain file",
    "folder": "is a folder",
    "loop": "cannot be read: Too many levels of symbolic links",
    "dangling": "there is no such file",
    "null": "is not a plain file",
}
#: Where a command reads a file.
READERS = (
    "solve {}",
    "solve data/0000.json {}",
    "solve data/0000.json --model {}",
    "bound {}",
    "explain {}",
    "evaluate single-machine data --model {}",
    "compare single-machine data --model {} --time-limit 0.01",
)
#: Where a command writes one.
WRITERS = (
    "solve data/0000.json -o {}",
    "bound data/0000.json -o {}",
    "explain model.json -o {}",
    "train single-machine data -o {} --evaluations 2",
    "train single-machine data -o new.json --journal {} --evaluations 2",
    "evaluate single-machine data -o {}",
    "check single-machine --data data -o {}",
)


@pytest.fixture
def special(place: Path) -> Iterator[Path]:
    """The place with one file of each kind."""
    os.mkfifo(place / "pipe")
    (place / "folder").mkdir()
    (place / "loop").symlink_to("loop")
    (place / "dangling").symlink_to("nowhere")
    (place / "zero").symlink_to("/dev/zero")
    (place / "null").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")  # the working directory: a whole path may be too long
        yield place


def kinds(folder: Path) -> dict[str, int]:
    """What kind of file each special one is; a device must not be replaced by a file."""
    return {name: stat.S_IFMT((folder / name).lstat().st_mode) for name in ("pipe", *SPECIAL)}


@pytest.mark.parametrize("words", READERS)
@pytest.mark.parametrize("kind", SPECIAL)
def test_a_file_that_cannot_be_read(kind: str, words: str, special: Path, call: Callable[..., Ended]) -> None:
    empty = kind == "folder" and words in ("solve {}", "solve data/0000.json {}")  # a data set without instances
    said = refused(call(*words.format(kind).split()), "no instance" if empty else SPECIAL[kind])
    assert kind in said


@pytest.mark.parametrize("kind", [kind for kind in SPECIAL if kind != "dangling"])
@pytest.mark.parametrize("suffix", [".json", ".npz", ".solution.json"])
def test_a_special_file_in_a_data_set(kind: str, suffix: str, special: Path, call: Callable[..., Ended]) -> None:
    name = f"0009{suffix}" if suffix != ".solution.json" else f"0000{suffix}"
    (special / "data" / name).unlink(missing_ok=True)
    (special / "data" / name).symlink_to(special / kind)
    words = "train single-machine data -o new.json --evaluations 2 --solutions"
    assert name in refused(call(*words.split()))
    assert not (special / "new.json").exists()


@pytest.mark.parametrize("words", WRITERS)
@pytest.mark.parametrize("kind", ["pipe", *(kind for kind in SPECIAL if kind != "dangling")])
def test_a_file_that_cannot_be_written(kind: str, words: str, special: Path, call: Callable[..., Ended]) -> None:
    before, listed = kinds(special), set(files(special / "data"))
    refused(call(*words.format(kind).split()))
    assert kinds(special) == before
    assert set(files(special / "data")) == listed
    assert not (special / "new.json").exists()


def test_a_pipe_is_read_until_it_is_closed(special: Path, call: Callable[..., Ended]) -> None:
    """As in `colayer bound <(zcat x.json.gz)`."""
    data = (special / "data/0000.json").read_bytes()
    writer = threading.Thread(target=lambda: (special / "pipe").write_bytes(data))
    writer.start()
    status, out, err = call("bound", "pipe")
    writer.join()
    assert (status, err) == (0, "")
    assert "pipe" in out
