"""Numbers and arrays from files and constructors: checked, and refused by name (`field[index]`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.text import short
from colayer.errors import InputError

#: Beyond this, whole numbers are not exact in float64.
WHOLE = 2.0**53


def number(value: object, field: str, *, largest: float = math.inf) -> float:
    """Return one finite number, at most `largest` in absolute value."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{short(value)} is not a number", where=field)
    try:
        converted = float(value)
    except OverflowError:
        raise InputError("a number too large for a float", where=field) from None
    if not math.isfinite(converted):
        raise InputError(f"{converted} is not finite, expected a number", where=field)
    if abs(converted) > largest:
        raise InputError(f"{converted:g} is out of range, expected at most {largest:g}", where=field)
    return converted


def whole(value: object, field: str, *, least: int = 0) -> int:
    """Return one whole number, at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InputError(f"{short(value)} is not a whole number", where=field)
    if value < least:
        raise InputError(f"{short(int(value))} is out of range, expected at least {least}", where=field)
    return int(value)


def table(
    values: Any,
    field: str,
    shape: tuple[int | None, ...],
    *,
    gaps: bool = False,
    largest: float = math.inf,
    read_only: bool = True,
) -> Floats:
    """Return a float64 array of the given shape (None: any length but 0), from nested lists or an array.

    With `gaps`, an entry may be null (NaN in an array), which becomes NaN.
    """
    if isinstance(values, np.ndarray):
        if values.ndim != len(shape):
            dimensions = f"{values.ndim} dimension{'' if values.ndim == 1 else 's'}"
            raise InputError(f"an array of {dimensions}, expected {_shape(shape)}", where=field)
        if any(m not in (None, k) for m, k in zip(shape, values.shape, strict=True)):
            raise InputError(f"an array of shape {values.shape}, expected {_shape(shape)}", where=field)
        if values.dtype.kind not in "iuf":
            raise InputError(f"an array of {values.dtype}, expected numbers", where=field)
    else:
        _check_lists(values, field, shape, gaps)
    if len(values) == 0:
        raise InputError("empty, expected at least one entry", where=field)
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except OverflowError:
        raise InputError("a number too large for a float", where=field) from None
    except ValueError:  # lists of different lengths where any length will do
        raise InputError("rows of different lengths", where=field) from None
    bad = ~np.isfinite(array)
    refuse(bad & ~np.isnan(array) if gaps else bad, array, field, "is not finite, expected a number")
    with np.errstate(invalid="ignore"):
        refuse(np.abs(array) > largest, array, field, f"is out of range, expected {-largest:g} to {largest:g}")
    array.setflags(write=not read_only)
    return array


def names(values: Any, field: str, count: int) -> tuple[Any, ...] | None:
    """Return `count` distinct names, all whole numbers or all words, as a tuple; None if there are none."""
    if values is None:
        return None
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(listed, list | tuple):
        raise InputError(f"{short(values)} is not a list of names", where=field)
    if len(listed) != count:
        raise InputError(f"{len(listed)} entries, expected {count}", where=field)
    kind = int if all(isinstance(name, int | np.integer) for name in listed) else str
    seen: set[Any] = set()
    for i, name in enumerate(listed):
        if isinstance(name, bool) or not isinstance(name, str | int | np.integer) or name == "":
            raise InputError(f"{short(name)} is not a name, expected a word or a whole number", where=f"{field}[{i}]")
        if kind(name) in seen:
            raise InputError(f"{short(name)} is given twice, expected distinct names", where=f"{field}[{i}]")
        seen.add(kind(name))
    return tuple(kind(name) for name in listed)


def named(indices: Any, all_names: tuple[Any, ...] | None) -> list[Any]:
    """Return indices as a list, each by its name if there are names."""
    listed: list[Any] = np.asarray(indices).tolist()
    return listed if all_names is None else [all_names[i] for i in listed]


def unnamed(values: Any, all_names: tuple[Any, ...] | None, field: str) -> Any:
    """Return the indices of a list of names, the inverse of `named`; refuse an unknown name."""
    if all_names is None or not isinstance(values, list | tuple | np.ndarray):
        return values
    place = {name: i for i, name in enumerate(all_names)}
    for i, name in enumerate(values):
        if isinstance(name, list) or name not in place:
            raise InputError(f"{short(name)} is not a name of the instance", where=f"{field}[{i}]")
    return [place[name] for name in values]


def refuse(bad: NDArray[np.bool_], values: NDArray[Any], field: str, what: str) -> None:
    """Raise an error that names the first entry of `values` that is `bad`."""
    if bad.any():
        index = np.unravel_index(int(np.argmax(bad)), bad.shape)
        raise InputError(f"{values[index]:g} {what}", where=field + "".join(f"[{i}]" for i in index))


def numbers(values: Floats) -> list[Any]:
    """Return an array as lists for JSON, with integers if all numbers are whole."""
    exact = bool(np.all(np.abs(values) < WHOLE) and np.all(values == np.floor(values)))
    listed: list[Any] = (values.astype(np.int64) if exact else values).tolist()
    return listed


def _check_lists(values: Any, place: str, shape: tuple[int | None, ...], gaps: bool) -> None:
    """Refuse anything but nested lists of numbers with these lengths."""
    if not isinstance(values, list | tuple | np.ndarray):
        what = "numbers" if len(shape) == 1 else "lists of numbers"
        raise InputError(f"{short(values)} is not a list of {what}", where=place)
    if shape[0] is not None and len(values) != shape[0]:
        raise InputError(f"{len(values)} entries, expected {shape[0]}", where=place)
    if len(shape) > 1:
        for i, row in enumerate(values):
            _check_lists(row, f"{place}[{i}]", shape[1:], gaps)
    elif not set(map(type, values)) <= {int, float}:
        for i, value in enumerate(values):
            if gaps and value is None:
                continue
            if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
                raise InputError(f"{short(value)} is not a number", where=f"{place}[{i}]")


def _shape(shape: tuple[int | None, ...]) -> str:
    if len(shape) == 1:
        return "a list of numbers" if shape[0] is None else f"{shape[0]} numbers"
    return f"({', '.join('any' if m is None else str(m) for m in shape)})"
