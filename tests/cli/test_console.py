"""What commands give back: one document, a reader that goes away, and progress where someone looks."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from colayer.cli import console as output
from colayer.cli.console import (
    SearchProgress,
    bar,
    emit,
    exact_limit,
    note,
    progress,
    say,
    search,
    terminal_text,
    verbosity,
)
from colayer.display.tables import Table
from colayer.errors import InputError, OptionError
from support.errors import rejects


def test_the_document_is_printed_or_the_text_and_written_either_way(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {"cost": np.float64(1.5), "solution": np.arange(2)}
    emit(document, "a table\n", as_json=False, out=place / "a.json")
    assert capsys.readouterr().out == "a table\n"
    emit(document, "a table\n", as_json=True, out=place / "b.json")
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"cost": 1.5, "solution": [0, 1]}
    assert (place / "a.json").read_text() == (place / "b.json").read_text() == printed
    emit(document, "a table\n", as_json=True, out=None)
    assert sorted(path.name for path in place.iterdir()) == ["a.json", "b.json"]


def test_names_that_would_move_the_cursor_are_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """In JSON they are escaped already."""
    say("a\x1b[31m\u202e\n  θ\n")
    note("b\x1b[31m")
    assert capsys.readouterr() == ("a\\x1b[31m\\u202e\n  θ\n", "b\\x1b[31m\n")
    emit({"name": "a\x1b\u202e"}, "", as_json=True, out=None)
    assert json.loads(capsys.readouterr().out) == {"name": "a\x1b\u202e"}


def test_a_picture_and_a_document_are_written_both_or_neither(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with rejects(InputError, where="a.svg"):
        emit({}, "a table", as_json=False, out=place / "a.json", plot=place / "nowhere/a.svg", draw=Figure)
    assert list(place.iterdir()) == []
    assert capsys.readouterr().out == ""
    emit({}, "a table", as_json=False, out=place / "a.json", plot=place / "a.svg", draw=Figure)
    assert sorted(path.name for path in place.iterdir()) == ["a.json", "a.svg"]


def test_the_limit_of_the_exact_solver_needs_its_flag() -> None:
    assert exact_limit(None, "--tight", given=True) == 60.0
    assert exact_limit(3.0, "--tight", given=True) == 3.0
    assert exact_limit(None, "--tight", given=False) is None
    with rejects(OptionError, where="--time-limit"):
        exact_limit(3.0, "--tight", given=False)


def test_closed_streams_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a service starts the command without them."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    say("nobody listens")
    note("nobody reads")
    assert not output.on_terminal()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_goes_away_is_no_fault(data: Path) -> None:
    """`colayer … | head` ends quietly, whatever was still to be printed."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "colayer.cli.app", "bound", "-q", str(data / "0000.json")]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_note_is_a_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    note("left out")
    assert capsys.readouterr() == ("", "left out\n")


def test_nothing_is_shown_where_stderr_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("comparing") as shown:
        assert shown is None
    with search("bounding", 2) as bounding:
        assert bounding.progress is None
        bounding.next()
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar_that_goes_when_it_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress("comparing") as shown:
        assert shown is not None
        shown(1, 2)
    with search("bounding", 3) as bounding:
        assert bounding.progress is not None
        bounding.progress(10.0, 12.0)
        bounding.next()
    assert "comparing" in terminal.getvalue()
    assert "bounding" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_a_message_leaves_no_bar_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands above the bar, on a line of its own, though the command began to listen before there was a bar."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with verbosity(quiet=False, verbose=False), bar("learning"):
        time.sleep(0.2)  # the bar is drawn ten times a second
        logging.getLogger("colayer.somewhere").warning("compiling kernels, once")
    drawn, message, _ = terminal.getvalue().partition("compiling kernels, once")
    assert message
    assert "0/?" in drawn
    assert drawn.endswith(("\n", "\x1b[2K")), "the bar before it is not cleared"


def test_the_line_of_a_search_has_both_bounds_and_their_gap() -> None:
    seen: list[dict[str, Any]] = []

    class Bar:
        def update(self, task: int, **fields: Any) -> None:
            seen.append({"task": task, **fields})

    line = SearchProgress(Bar(), 7)
    assert line.progress is not None
    line.progress(10.0, 12.0)
    line.progress(0.0, 5.0)  # no gap to a bound of 0
    line.next()
    assert seen == [
        {"task": 7, "state": "bound 10, best 12, gap 20.0000%"},
        {"task": 7, "state": "bound 0, best 5"},
        {"task": 7, "advance": 1, "state": ""},
    ]


@pytest.mark.parametrize("width", [60, 80, 140])
def test_a_table_on_a_terminal_breaks_no_number(width: int) -> None:
    """Words wrap; numbers, and a difference with its error, stay in one piece; the best row is set apart."""
    cells = (
        ("best single feature (second_bought_q30)", "0.126 %", "-2.58 ± 0.086 %", "no measurable difference"),
        ("learned", "12.5 %", "reference", ""),
    )
    headers = ("contender", "mean gap", "difference", "verdict")
    text = terminal_text(Table(headers, cells, frozenset({0})), width)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= width
    for number in ("0.126 %", "12.5 %", "-2.58 ± 0.086 %"):
        assert number in plain
    assert "\x1b[1;32m" in text


def test_columns_without_room_go_below_and_begin_with_the_first_again() -> None:
    """Nothing is cut off, whatever the width: ten columns fit no screen of 80."""
    headers = ("contender", *(f"gap at {k}.00 ms" for k in range(8)), "against best single feature")
    cells = (
        ("shortest-available", *["0.0254 %"] * 8, "-0.00462 ± 0.00462 %"),
        ("/a/path/without/any/blank/that/is/long.json", *["12.5 %"] * 8, "reference"),
    )
    table = Table(headers, cells, frozenset({1}))
    for width, blocks in ((40, 5), (80, 2), (140, 1)):
        text = terminal_text(table, width)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert max(map(len, plain.splitlines())) <= width
        assert plain.count("0.0254 %") == 8
        assert "-0.00462 ± 0.00462 %" in plain
        assert "shortest-available" in plain
        assert plain.count("contender") == blocks
        assert text.count("\x1b[1;32m") >= blocks
    for width in (1, 7, 20):  # little can be read there, and nothing fails
        assert all(
            len(line) <= max(width, 3) for line in terminal_text(table, width).splitlines() if "\x1b" not in line
        )


def test_names_in_a_table_move_no_cursor() -> None:
    cells = (("\x1b[2Jgone",),)
    assert "\x1b[2J" not in terminal_text(Table(("name",), cells), 80)


@pytest.mark.parametrize(("flags", "shown"), [((False, False), True), ((True, False), False), ((False, True), True)])
def test_quiet_says_no_notes(flags: tuple[bool, bool], shown: bool, capsys: pytest.CaptureFixture[str]) -> None:
    with verbosity(*flags):
        note("a note")
        logging.getLogger("colayer.somewhere").warning("a warning")
    assert capsys.readouterr().err.count("a note\n") == shown
    note("an error, later")
    assert capsys.readouterr().err == "an error, later\n"


def test_verbose_shows_what_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    for verbose in (False, True):
        with verbosity(quiet=False, verbose=verbose):
            logging.getLogger("colayer.somewhere").info("more")
        assert capsys.readouterr().err == "more\n" * verbose
    with rejects(OptionError, where="--verbose"), verbosity(quiet=True, verbose=True):
        pass
