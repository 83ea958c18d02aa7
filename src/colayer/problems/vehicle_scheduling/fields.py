"""Fields of a document as read-only arrays; what is wrong is refused by name, `field[index]`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError
from colayer.files import short

Floats = NDArray[np.float64]

#: Times and costs beyond this are refused: their products must fit in float32.
LARGEST = 1e15


def number(value: Any, field: str) -> float:
    """One finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InputError(f"{short(value)} is not a number", where=field)
    try:
        converted = float(value)
    except OverflowError:
        raise InputError("a number too large for a float", where=field) from None
    if not abs(converted) <= LARGEST:  # not a number is not at most anything
        raise InputError(f"{converted:g} is out of range, expected at most {LARGEST:g}", where=field)
    return converted


def table(values: Any, field: str, shape: tuple[int | None, ...], *, gaps: bool = False) -> Floats:
    """An array of the given shape (None: any length, but at least one), from nested lists or an array.

    With `gaps`, an entry may be null (NaN in an array), which becomes NaN.
    """
    if isinstance(values, np.ndarray):
        if values.ndim != len(shape) or any(m not in (None, k) for m, k in zip(shape, values.shape, strict=True)):
            expected = ", ".join("any" if m is None else str(m) for m in shape)
            raise InputError(f"an array of shape {values.shape}, expected ({expected})", where=field)
        if values.dtype.kind not in "iuf":
            raise InputError(f"an array of {values.dtype}, expected numbers", where=field)
    else:
        _check(values, field, shape, gaps)
    if len(values) == 0:
        raise InputError("empty, expected at least one entry", where=field)
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except OverflowError:
        raise InputError("a number too large for a float", where=field) from None
    bad = ~np.isfinite(array)
    refuse(bad & ~np.isnan(array) if gaps else bad, array, field, "is not finite, expected a number")
    refuse(np.abs(array) > LARGEST, array, field, f"is out of range, expected at most {LARGEST:g}")
    array.setflags(write=False)
    return array


def refuse(bad: NDArray[np.bool_], values: Floats, field: str, what: str) -> None:
    """Raise for the first entry that is `bad`, by its name."""
    if bad.any():
        index = np.unravel_index(int(np.argmax(bad)), bad.shape)
        raise InputError(f"{values[index]:g} {what}", where=field + "".join(f"[{i}]" for i in index))


def _check(values: Any, place: str, shape: tuple[int | None, ...], gaps: bool) -> None:
    """Nested lists of these lengths, with numbers in them."""
    if not isinstance(values, list | tuple | np.ndarray):
        what = "numbers" if len(shape) == 1 else "lists"
        raise InputError(f"{short(values)} is not a list of {what}", where=place)
    if shape[0] is not None and len(values) != shape[0]:
        raise InputError(f"{len(values)} entries, expected {shape[0]}", where=place)
    if len(shape) > 1:
        for i, row in enumerate(values):
            _check(row, f"{place}[{i}]", shape[1:], gaps)
    elif not set(map(type, values)) <= {int, float}:
        for i, value in enumerate(values):
            if gaps and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise InputError(f"{short(value)} is not a number", where=f"{place}[{i}]")
