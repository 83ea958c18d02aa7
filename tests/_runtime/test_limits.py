"""What the machine has left, and what it says of that."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

from colayer._runtime import limits


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the files of /proc say; one that is not named is not there."""
    said: dict[str, str] = {}

    def read_text(path: Path, *_: object, **__: object) -> str:
        if str(path) not in said:
            raise FileNotFoundError(path)
        return said[str(path)]

    monkeypatch.setattr(Path, "read_text", read_text)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return said


def test_memory_is_what_the_system_calls_available(files: dict[str, str]) -> None:
    files["/proc/meminfo"] = "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:    2048 kB\n"
    assert limits.memory() == 2048 * 1024


@pytest.mark.parametrize("said", [None, "", "MemAvailable:\n", "MemAvailable: lots kB\n", "MemFree: 3 kB\n"])
def test_a_system_that_does_not_say_has_no_limit(said: str | None, files: dict[str, str]) -> None:
    """Nothing is refused for want of knowledge."""
    if said is not None:
        files["/proc/meminfo"] = said
    assert limits.memory() == sys.maxsize


def test_what_ulimit_leaves_counts_as_well(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit less what the process has, and never less than nothing."""
    page = resource.getpagesize()
    files["/proc/meminfo"] = f"MemAvailable: {10**9} kB\n"
    files["/proc/self/statm"] = "100 50 1 1 0 1 0\n"
    for limit, left in ((150 * page, 50 * page), (100 * page, 0), (10 * page, 0)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, most=limit: (most, most))
        assert limits.memory() == left
    del files["/proc/self/statm"]
    assert limits.memory() == 10 * page


def test_this_machine_has_memory_and_disk(tmp_path: Path) -> None:
    assert limits.memory() > 0
    assert limits.disk(tmp_path) > 0


def test_the_disk_is_that_of_the_nearest_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one that is still to be made, also where its name has no folder before it."""
    asked: list[Path] = []
    usage = limits.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(limits.shutil, "disk_usage", lambda path: (asked.append(path), usage)[1])
    monkeypatch.chdir(tmp_path)
    assert limits.disk(tmp_path / "a" / "b") == limits.disk(Path("new")) == limits.disk(tmp_path) == usage.free
    assert asked == [tmp_path] * 3


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (1540, "1.5 kB"),
        (250_000, "250 kB"),
        (3.2e9, "3.2 GB"),
        (999e9, "999 GB"),
        (1e12, "1 TB"),
        (5.4e15, "5400 TB"),
    ],
)
def test_sizes_in_words(count: float, words: str) -> None:
    assert limits.size(count) == words
