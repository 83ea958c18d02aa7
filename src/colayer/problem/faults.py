"""Exceptions of a user's code in one line, with the method and the line of their file that they come from."""

from __future__ import annotations

import sysconfig
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from colayer._runtime.text import typed_line
from colayer.errors import ColayerError, InputError, Terminated

E = TypeVar("E", bound=BaseException)

#: folder of a module that MODULE:NAME named → MODULE:NAME: what is raised in a file there is the user's to mend.
OWN_FOLDERS: dict[str, str] = {}

_CARRIED = "raised by a problem of yours, "

_OURS = (str(Path(__file__).parents[1]), "<frozen")
_LIBRARIES = tuple(sysconfig.get_paths()[kind] for kind in ("stdlib", "purelib", "platlib"))
#: What would end a loop, a pipe or the command line, which were not meant.
_MISTAKABLE = (StopIteration, StopAsyncIteration, EOFError)


class calling:  # noqa: N801  reads as a verb: `with calling(problem, "cost"):`
    """The call of a method of a problem. What a method of the user's raises is known by the name of that method.

    An exception passes with a note that names the method. One that would mean something else further up (SystemExit,
    StopIteration, EOFError, …) becomes an `InputError`. Errors of colayer's own, and Ctrl-C, pass as they are.
    """

    __slots__ = ("_method", "_problem")

    def __init__(self, problem: object, method: str) -> None:
        self._problem, self._method = problem, method

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, ColayerError) or ends(error) or built_in(self._problem):
            return
        said = f"{self._method} of {title(self._problem)} raised {raised(error)}"
        if isinstance(error, _MISTAKABLE) or not isinstance(error, Exception):
            raise InputError(said) from error
        carry(error, said)


def title(problem: object) -> str:
    """How messages call a problem: its name, or its class where that is no word."""
    try:
        name = getattr(problem, "name", None)
    except BaseException as error:  # a property of the user's
        if ends(error):
            raise
        name = None
    return name if isinstance(name, str) and name else type(problem).__name__


def built_in(problem: object) -> bool:
    """Whether the class of a problem is ours: then what it raises is a fault of ours."""
    return type(problem).__module__.partition(".")[0] == "colayer"


def ends(error: BaseException) -> bool:
    """Whether an exception is Ctrl-C or SIGTERM, which end everything."""
    return type(error) is KeyboardInterrupt or isinstance(error, Terminated)


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
    """`error` with the line that is to be said of it, where there is none yet."""
    if said is not None and _carried(error) is None:
        with suppress(Exception):  # a class of the user's that takes no notes
            error.add_note(f"{_CARRIED}{said}")
    return error


def own_fault(error: BaseException) -> str | None:
    """What was raised in a file of the user's, in one line with its place; None where no such file is involved."""
    said = _carried(error)
    if said is not None:
        return said
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = Path(frame.f_code.co_filename)
        if str(path.parent) in OWN_FOLDERS:
            return f"{OWN_FOLDERS[str(path.parent)]}: {typed_line(error)} ({path.name}, line {line})"
    return None


def _carried(error: BaseException) -> str | None:
    notes = [note for note in getattr(error, "__notes__", ()) if str(note).startswith(_CARRIED)]
    return str(notes[0]).removeprefix(_CARRIED) if notes else None
