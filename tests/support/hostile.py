"""A machine that is against us, for tests: a disk that is full, files that may not grow, and the command line on it."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from colayer.cli.app import main

#: (status, stdout, stderr) of a command line.
Ended = tuple[int, str, str]


class Disk:
    """A disk for the files below a folder. It counts the writes; of the one that fills it, all but a byte fits."""

    def __init__(self, folder: Path, fits: int | None) -> None:
        self.folder, self.fits, self.writes = folder.resolve(), fits, 0

    def holds(self, path: Any) -> bool:
        """Whether the file lies on this disk."""
        return isinstance(path, str | os.PathLike) and Path(path).absolute().is_relative_to(self.folder)

    def take(self, count: int) -> int:
        """How many bytes of a write fit."""
        self.writes += 1
        if self.fits is None or self.writes < self.fits:
            return count
        if count > 1 and self.writes == self.fits:
            return count - 1
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextlib.contextmanager
def disk(folder: Path, fits: int | None = None) -> Iterator[Disk]:
    """All that is written below `folder` in the block goes to a disk that the write `fits` fills (none where None).

    Writes and not bytes are counted, since files hold times, whose digits change from run to run.
    """
    found = Disk(folder, fits)

    class File(io.FileIO):
        def write(self, data: Any, /) -> int:
            return super().write(memoryview(data).cast("B")[: found.take(memoryview(data).nbytes)])

    original = io.open

    def opened(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **more: Any) -> Any:
        if not set(mode) & set("wax+") or not found.holds(file):
            return original(file, mode, buffering, *rest, **more)
        raw = File(file, mode.replace("b", "").replace("t", ""))
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(io, "open", opened)
        patch.setattr("builtins.open", opened)
        yield found


@contextlib.contextmanager
def file_size(limit: int) -> Iterator[None]:
    """No file may grow beyond `limit` bytes, as with `ulimit -f`; also in the processes that are started meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def refused(ended: Ended, fragment: str = "", *, prints: bool = False) -> str:
    """Check all that holds of every refusal: status 2, one line, nothing on stdout; the line.

    A command that `prints` tells what it does as it goes: then the line is the last one.
    """
    status, out, err = ended
    assert status == 2, (status, out, err)
    *before, line = err.splitlines(keepends=True)
    assert prints or (out, before) == ("", [])
    assert "Traceback" not in err
    assert line.startswith("error: "), err
    assert line.endswith("\n")
    assert fragment in line
    return line


def files(folder: Path) -> dict[str, bytes | None]:
    """All that is below a folder: names, and what is in the files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if "__pycache__" not in path.parts
    }


def caller(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """The command line in this process: words → (status, stdout, stderr)."""

    def call(*words: Any) -> Ended:
        capsys.readouterr()
        status = main([str(word) for word in words])
        return (status, *capsys.readouterr())

    return call
