"""Exceptions of a user's code in one line, with the line of their file that they come from."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path
from typing import TypeVar

from colayer.text import typed_line

E = TypeVar("E", bound=BaseException)

_CARRIED = "raised by a problem of yours, "

_OURS = (str(Path(__file__).parent), "<frozen")
_LIBRARIES = tuple(sysconfig.get_paths()[kind] for kind in ("stdlib", "purelib", "platlib"))


def raised(error: BaseException) -> str:
    """An exception in one line, with its place."""
    place = place_of(error)
    return typed_line(error) + (f" ({place})" if place else "")


def place_of(error: BaseException) -> str:
    """The line of the user's file that an exception comes from, `crews.py, line 12`: the last outside libraries."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)] or frames
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""


def carry(error: E, said: str | None) -> E:
    """`error` with the line that `own_fault` gave of it elsewhere, where its traceback was."""
    if said is not None:
        error.add_note(f"{_CARRIED}{said}")
    return error


def own_fault(error: BaseException) -> str | None:
    """What was raised in a file of the user's, in one line with its place; None where no such file is involved."""
    from colayer.problems import OWN_FOLDERS

    for note in getattr(error, "__notes__", ()):
        if note.startswith(_CARRIED):
            return str(note.removeprefix(_CARRIED))

    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = Path(frame.f_code.co_filename)
        if str(path.parent) in OWN_FOLDERS:
            return f"{OWN_FOLDERS[str(path.parent)]}: {typed_line(error)} ({path.name}, line {line})"
    return None
