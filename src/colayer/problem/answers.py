"""What the methods of a problem return, by kind: checked, and refused by the name of the method.

    cost of crews returned None, expected a finite number
    exact of crews returned 'low' as bound, expected a number

`what` is the name of the method and its problem, `cost of crews`; `part` is what the value is in a larger answer.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.text import printable, short, typed_line
from colayer.errors import InputError
from colayer.io.files import plain

T = TypeVar("T")

#: What Python or numpy would convert to a number, and which is none.
_NO_NUMBERS = (str, bytes, bytearray, complex, np.complexfloating, np.str_)
#: What a conversion to numbers, or to JSON, may raise.
_NO = (TypeError, ValueError, ArithmeticError, RecursionError)
_DEPTH = 20


def refused(what: str, value: object, expected: str, part: str = "") -> InputError:
    """The error of an answer of the wrong kind."""
    if inspect.iscoroutine(value):
        value.close()  # nobody will await it
    said = f"{described(value)} as {part}" if part else described(value)
    return InputError(f"{what} returned {said}, expected {expected}")


def described(value: object) -> str:
    """A value in a few words: the shape of an array, the type of what has no repr of its own, else the repr."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    text = short(value)
    if not text.startswith("<"):
        return text
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def given(value: T | None, what: str, expected: str, part: str = "") -> T:
    """An answer that is there: not None, and not a coroutine."""
    if value is None or inspect.iscoroutine(value):
        raise refused(what, value, expected, part)
    return value


def real(value: object, what: str, expected: str = "a number", part: str = "") -> float:
    """One number that is not NaN, maybe infinite; text, complex numbers and arrays are none."""
    try:
        plain_number = isinstance(value, float | int)
        if not plain_number and (isinstance(value, _NO_NUMBERS) or np.ndim(value) != 0):  # type: ignore[arg-type]
            raise TypeError
        number = float(value)  # type: ignore[arg-type]
    except _NO:
        raise refused(what, value, expected, part) from None
    if math.isnan(number):
        raise refused(what, value, expected, part)
    return number


def finite(value: object, what: str, expected: str = "a finite number", part: str = "") -> float:
    """One finite number."""
    number = real(value, what, expected, part)
    if math.isinf(number):
        raise refused(what, value, expected, part)
    return number


def array(value: Any, what: str, expected: str) -> NDArray[Any]:
    """An array of real numbers, of any shape and type; lists of numbers are taken as one."""
    try:
        found = np.asarray(value)
        if found.dtype == object:
            found = np.array([real(item, what) for item in found.flat]).reshape(found.shape)
    except _NO:
        raise refused(what, value, expected) from None
    if found.dtype.kind not in "biuf":
        raise refused(what, value, expected)
    return found


def vector(value: Any, length: int, what: str) -> Floats:
    """`length` finite numbers."""
    expected = f"an array of {length} numbers, one per row of the features"
    found = array(value, what, expected).astype(np.float64)
    if found.shape != (length,):
        raise refused(what, value, expected)
    if not np.isfinite(found).all():
        at = int(np.argmin(np.isfinite(found)))
        raise InputError(f"{what} returned {found[at]} in entry {at}, expected finite numbers")
    return found


def parts(value: Any, count: int, what: str, expected: str) -> tuple[Any, ...]:
    """A tuple of `count` parts."""
    if not isinstance(value, tuple) or len(value) != count:
        raise refused(what, value, expected)
    return value


def document(value: Any, what: str, expected: str = "a dict with words as keys") -> dict[str, Any]:
    """A JSON object: a dict with words as keys."""
    if not isinstance(value, Mapping):
        raise refused(what, value, expected)
    for key in value:
        if not isinstance(key, str):
            raise InputError(f"{what} returned a dict with the key {short(key)}, expected words as keys")
    return dict(value)


def json_text(value: Any, what: str, *, ordered: bool = False) -> bytes:
    """A document as JSON text, or with its keys in order; what has no JSON form is named by its place in it."""
    try:
        return msgspec.json.encode(value, enc_hook=plain, order="deterministic" if ordered else None)
    except _NO as error:
        place, said = _culprit(value, "", error)
        raise InputError(f"{what}{place and f': {printable(place)}'} cannot be written as JSON: {said}") from None


def _culprit(value: Any, place: str, error: Exception, depth: int = 0) -> tuple[str, str]:
    """The place of the innermost part that cannot be written, and why."""
    items: list[tuple[str, Any]] = []
    if isinstance(value, Mapping):
        items = [(f"{place}.{key}".removeprefix("."), item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        items = [(f"{place}[{i}]", item) for i, item in enumerate(value)]
    for inside, item in items if depth < _DEPTH else ():
        try:
            msgspec.json.encode(item, enc_hook=plain)
        except _NO as reason:
            return _culprit(item, inside, reason, depth + 1)
    return place, typed_line(error)
