"""Terminals that are not UTF-8, streams that are closed, and surroundings that are odd."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: What a shell may have set: an encoding, and beside it what has nothing to do with encodings.
SURROUNDINGS: dict[str, dict[str, str]] = {
    "ASCII": {"PYTHONIOENCODING": "ascii", "MPLBACKEND": "no_such_backend", "COLUMNS": "1", "LINES": "1"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1", "MPLBACKEND": "TkAgg", "COLUMNS": "wide"},
    "UTF-16": {"PYTHONIOENCODING": "utf-16", "HOME": "/nonexistent"},
    "strict ASCII": {"PYTHONIOENCODING": "ascii:strict", "PYTHONWARNINGS": "error"},
    "no locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "an unknown locale": {"LC_ALL": "xx_YY.NOPE"},
}


def run(words: str, store: Path, more: dict[str, str], redirect: str = "") -> subprocess.CompletedProcess[bytes]:
    """A true process, through a shell where streams are redirected."""
    line = f'exec "$0" -m colayer.cli.app {words} {redirect}'
    command = ["sh", "-c", line, sys.executable]
    environment = {**os.environ, "MPLCONFIGDIR": str(store / "mpl"), **more}
    return subprocess.run(command, cwd=store, env=environment, capture_output=True, check=False, timeout=100)


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_odd_surroundings_change_nothing(name: str, store: Path, tmp_path: Path) -> None:
    """The table holds θ and ·; the picture is drawn."""
    done = run(f"explain model.json --plot {tmp_path}/p.svg", store, SURROUNDINGS[name])
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    assert done.stdout
    assert (tmp_path / "p.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("name", ["ASCII", "UTF-16", "no locale"])
def test_a_refusal_is_one_line_in_any_encoding(name: str, store: Path) -> None:
    done = run("solve \u03b8\u2028\U0001f600.json", store, SURROUNDINGS[name])
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode("utf-16" if name == "UTF-16" else "ascii", errors="replace")
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "redirect", "status"),
    [
        ("bound data/0000.json", ">&-", 0),
        ("bound data/0000.json", "2>&-", 0),
        ("bound data/0000.json", "<&-", 0),
        ("bound data/0000.json", "<&- >&- 2>&-", 0),
        ("bound nothing.json", "2>&-", 2),
        ("bound nothing.json", "2>/dev/full", 2),
        ("bound nothing.json", "<&- >&- 2>&-", 2),
        ("bound", "2>&-", 2),
        ("--help", ">&-", 0),
        ("--help", "2>&-", 0),
        ("--version", ">&- 2>&-", 0),
        ("bound data/0000.json", "2>/dev/full", 0),
        ("bound data/0000.json", ">/dev/full 2>/dev/full", 2),
        ("bound data/0000.json", ">/dev/full 2>&-", 2),
    ],
)
def test_streams_that_are_closed_or_full(words: str, redirect: str, status: int, store: Path) -> None:
    """The status is the same; what can still be said is."""
    done = run(words, store, {}, redirect)
    assert done.returncode == status, done
    assert b"Traceback" not in done.stderr
    if status == 0 and redirect.startswith("2>") and words.startswith("bound"):
        assert b"0000.json" in done.stdout


def test_a_closed_stderr_puts_nothing_into_a_file(store: Path, tmp_path: Path) -> None:
    """Else the next file that is opened would have its number, and get what is said."""
    out = tmp_path / "out.json"
    done = run(f"solve data/0000.json -o {out}", store, {}, "2>&- <&-")
    assert done.returncode == 0
    assert out.read_bytes().startswith(b'{"problem"')
    assert out.read_bytes().count(b"\n") == 1
