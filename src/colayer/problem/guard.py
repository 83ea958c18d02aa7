"""The guard around a user's methods: what they raise is named, and what they return is checked.

    cost of crews returned None, expected a finite number
    layer of crews raised KeyError: 'crew' (crews.py, line 12)

Built-in problems run without it. The checks of returned values take `what`, the method and its problem
(`cost of crews`), and `part`, what the value is in a larger answer.
"""

from __future__ import annotations

import inspect
import math
import sysconfig
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.text import printable, short, typed_line
from colayer.errors import ColayerError, InputError, Terminated
from colayer.io.files import plain

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)

#: folder of a module that MODULE:NAME named → MODULE:NAME: what is raised in a file there is the user's to fix.
OWN_FOLDERS: dict[str, str] = {}

_NOTE = "raised by a problem of yours, "
_OURS = (str(Path(__file__).parents[1]), "<frozen")
_LIBRARIES = tuple(sysconfig.get_paths()[kind] for kind in ("stdlib", "purelib", "platlib"))
#: Exceptions that would end a loop, a pipe or the command line if they passed.
_MISTAKABLE = (StopIteration, StopAsyncIteration, EOFError)
#: What Python or numpy would convert to a number although it is none.
_NO_NUMBERS = (str, bytes, bytearray, complex, np.complexfloating, np.str_)
#: What a conversion to numbers, or to JSON, may raise; a tensor with gradients, for one, raises RuntimeError.
_NO = (TypeError, ValueError, ArithmeticError, RuntimeError)
_DEPTH = 20
#: method → the place of the instance among its arguments, for errors to name it.
INSTANCE_AT = {
    **dict.fromkeys(("features", "context", "scale", "bound", "group", "quick"), 0),
    **dict.fromkeys(("layer", "decode", "cost", "baseline"), 1),
}

#: (value, method and problem) → the value, converted; raises an `InputError`.
Check = Callable[[Any, str], Any]


@dataclass(frozen=True)
class Guard:
    """A wrapper of a problem's methods that names the method in every exception they raise.

    An exception of the user's code passes with a note that names the method. One that would mean something else further
    up (SystemExit, StopIteration, EOFError, …) becomes an `InputError`. Errors of colayer's own, and Ctrl-C, pass as
    they are. Where `collecting`, as in `colayer check`, all but Ctrl-C become an `InputError`.
    """

    name: str
    collecting: bool = False

    def wrap(self, method: str, function: Callable[..., Any], check: Check | None = None) -> Callable[..., Any]:
        """Return `function` under guard; `check` takes its result and returns it converted."""
        what, place = f"{method} of {self.name}", INSTANCE_AT.get(method)

        def call(*arguments: Any, **options: Any) -> Any:
            try:
                value = function(*arguments, **options)
            except BaseException as error:
                if place is not None and isinstance(error, InputError):
                    error.instance = arguments[place]
                self.name_method(method, error)
                raise
            if check is None:
                return value
            try:
                return check(value, what)
            except InputError as error:
                if place is not None:
                    error.instance = arguments[place]
                raise

        call.__wrapped__ = function  # type: ignore[attr-defined]  # its signature is that of the method
        return call

    def name_method(self, method: str, error: BaseException) -> None:
        """Add a note to an exception, or raise an `InputError` in its place."""
        if ends(error) or (isinstance(error, ColayerError) and not self.collecting):
            return
        said = f"{method} of {self.name} raised {raised(error)}"
        if self.collecting or isinstance(error, _MISTAKABLE) or not isinstance(error, Exception):
            raise InputError(said) from error
        with_note(error, said)


def ends(error: BaseException) -> bool:
    """Tell whether an exception is Ctrl-C or SIGTERM, which stop the program."""
    return type(error) is KeyboardInterrupt or isinstance(error, Terminated)


def raised(error: BaseException) -> str:
    """Return an exception in one line, with its place."""
    place = place_of(error)
    return typed_line(error) + (f" ({place})" if place else "")


def place_of(error: BaseException) -> str:
    """Return the line of the user's file that an exception comes from, `crews.py, line 12`."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)] or frames
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""


def with_note(error: E, said: str | None) -> E:
    """Return `error` with a note of what to say of it, unless it has one."""
    if said is not None and _note_of(error) is None:
        with suppress(Exception):  # a class of the user's that takes no notes
            error.add_note(f"{_NOTE}{said}")
    return error


def with_place(error: BaseException, place: str) -> None:
    """Put a place before the note of an exception."""
    notes = getattr(error, "__notes__", [])
    for k, note in enumerate(notes):
        if str(note).startswith(_NOTE):
            notes[k] = f"{_NOTE}{place}: {str(note).removeprefix(_NOTE)}"


def own_fault(error: BaseException) -> str | None:
    """Describe an exception raised in a user's file in one line; return None if no such file is involved."""
    said = _note_of(error)
    if said is not None:
        return said
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = Path(frame.f_code.co_filename)
        if str(path.parent) in OWN_FOLDERS:
            return f"{OWN_FOLDERS[str(path.parent)]}: {typed_line(error)} ({path.name}, line {line})"
    return None


def _note_of(error: BaseException) -> str | None:
    notes = [note for note in getattr(error, "__notes__", ()) if str(note).startswith(_NOTE)]
    return str(notes[0]).removeprefix(_NOTE) if notes else None


def refused(what: str, value: object, expected: str, part: str = "") -> InputError:
    """Return the error for a value of the wrong kind."""
    if inspect.iscoroutine(value):
        value.close()  # nobody will await it
    said = f"{described(value)} as {part}" if part else described(value)
    return InputError(f"{what} returned {said}, expected {expected}")


def described(value: object) -> str:
    """Describe a value in a few words: the shape of an array, else its repr, else its type."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    text = short(value)
    if not text.startswith("<"):
        return text
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def listed(value: Any, expected: str, where: str) -> list[Any]:
    """Return what is given as a list; refuse what has no items."""
    try:
        items = iter(value)
    except TypeError:
        raise InputError(f"{described(value)}, expected {expected}", where=where) from None
    return list(items)


def given(value: T | None, what: str, expected: str, part: str = "") -> T:
    """Return the value; refuse None and coroutines."""
    if value is None or inspect.iscoroutine(value):
        raise refused(what, value, expected, part)
    return value


def real(value: object, what: str, expected: str = "a number", part: str = "") -> float:
    """Return one number, maybe infinite; refuse NaN, text, complex numbers and arrays."""
    if type(value) is not float:
        try:
            plain_number = isinstance(value, float | int)
            if not plain_number and (isinstance(value, _NO_NUMBERS) or np.ndim(value) != 0):  # type: ignore[arg-type]
                raise TypeError
            value = float(value)  # type: ignore[arg-type]
        except _NO:
            raise refused(what, value, expected, part) from None
    if math.isnan(value):
        raise refused(what, value, expected, part)
    return value


def finite(value: object, what: str, expected: str = "a finite number", part: str = "") -> float:
    """Return one finite number."""
    if type(value) is float and math.isfinite(value):
        return value
    number = real(value, what, expected, part)
    if math.isinf(number):
        raise refused(what, value, expected, part)
    return number


def array(value: Any, what: str, expected: str) -> NDArray[Any]:
    """Return an array of real numbers of any shape and type; lists of numbers are converted."""
    try:
        found = np.asarray(value)
        if found.dtype == object:
            found = np.array([real(item, what) for item in found.flat]).reshape(found.shape)
    except _NO as error:
        raise refused(what, value, expected) from error
    if found.dtype.kind not in "biuf":
        raise refused(what, value, expected)
    return found


def vector(value: Any, length: int, what: str, of: str = "row of the features") -> Floats:
    """Return `length` finite numbers, one per row of something."""
    expected = f"an array of {length} numbers, one per {of}"
    found = array(value, what, expected).astype(np.float64)
    if found.shape != (length,):
        raise refused(what, value, expected)
    if not np.isfinite(found).all():
        at = int(np.argmin(np.isfinite(found)))
        raise InputError(f"{what} returned {found[at]} in entry {at}, expected finite numbers")
    return found


def parts(value: Any, count: int, what: str, expected: str) -> tuple[Any, ...]:
    """Return a tuple of `count` parts."""
    if not isinstance(value, tuple) or len(value) != count:
        raise refused(what, value, expected)
    return value


def document(value: Any, what: str, expected: str = "a dict with words as keys") -> dict[str, Any]:
    """Return a JSON object: a dict whose keys are words."""
    if not isinstance(value, Mapping):
        raise refused(what, value, expected)
    for key in value:
        if not isinstance(key, str):
            raise InputError(f"{what} returned a dict with the key {short(key)}, expected words as keys")
    return dict(value)


def json_text(value: Any, what: str, *, ordered: bool = False) -> bytes:
    """Return a document as JSON text, with its keys in order if `ordered`."""
    try:
        return msgspec.json.encode(value, enc_hook=plain, order="deterministic" if ordered else None)
    except _NO as error:
        _refuse_part(value, "", what, error)


def _refuse_part(value: Any, place: str, what: str, error: Exception, depth: int = 0) -> NoReturn:
    """Name the innermost part of a document that has no JSON form."""
    items: list[tuple[str, Any]] = []
    if isinstance(value, Mapping):
        items = [(f"{place}.{key}".removeprefix("."), item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        items = [(f"{place}[{i}]", item) for i, item in enumerate(value)]
    for inside, item in items if depth < _DEPTH else ():
        try:
            msgspec.json.encode(item, enc_hook=plain)
        except _NO as reason:
            _refuse_part(item, inside, what, reason, depth + 1)
    said = f"{what}{place and f': {printable(place)}'} cannot be written as JSON: {typed_line(error)}"
    raise InputError(said) from None
