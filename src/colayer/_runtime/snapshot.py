"""What a Python object holds, all the way down, kept so that it can be compared later, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ATOMS = (type(None), bool, int, float, complex, str, bytes, Enum, type, FunctionType, BuiltinFunctionType, ModuleType)
_DEPTH = 20


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A copy of what was there: one atom, one array, or parts by name (`.attribute`, `[index]`)."""

    kind: str
    atom: str = ""
    array: NDArray[Any] | None = None
    parts: Mapping[str, Snapshot] | None = None
    #: Parts may be added: attributes of objects, which may cache what they computed.
    grows: bool = False


def snapshot(value: Any, above: tuple[int, ...] = ()) -> Snapshot:
    """Keep what `value` holds, inside of the objects with the ids `above`; what cannot be looked into as its type."""
    kind = type(value).__qualname__
    if type(value) is float or type(value) is int or type(value) is str:  # most of what there is
        return Snapshot(kind, atom=repr(value))
    if isinstance(value, np.ndarray | np.generic):
        array = np.array(value)
        if array.dtype != object:
            return Snapshot("array", array=array)
        value = array.ravel().tolist()
    if isinstance(value, _ATOMS):
        return Snapshot(kind, atom=repr(value))
    if id(value) in above or len(above) > _DEPTH or hasattr(value, "py_func"):  # a cycle, too deep, a compiled function
        return Snapshot(kind)

    def parts(named: Mapping[str, Any], grows: bool = False) -> Snapshot:
        inside = {key: snapshot(item, (*above, id(value))) for key, item in named.items()}
        return Snapshot(kind, parts=inside, grows=grows)

    if isinstance(value, np.random.Generator):
        return Snapshot(kind, atom=repr(value.bit_generator.state))
    if isinstance(value, Mapping):
        return parts({f"[{key!r}]": item for key, item in value.items()})
    if isinstance(value, list | tuple):
        return parts({f"[{i}]": item for i, item in enumerate(value)})
    if isinstance(value, set | frozenset):
        return Snapshot(kind, atom=repr(sorted(map(repr, value))))
    attributes = _attributes(value)
    if not attributes and hasattr(value, "__array__"):
        return Snapshot("array", array=np.array(value))
    return parts({f".{name}": item for name, item in attributes.items()}, grows=True)


def _attributes(value: Any) -> dict[str, Any]:
    named = dict(getattr(value, "__dict__", {}))
    for owner in type(value).__mro__:
        slots = owner.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                named[name] = getattr(value, name)
    return named


def difference(before: Snapshot, after: Snapshot, path: str) -> str | None:
    """Return where the two differ first, below the name `path`; None where they are equal.

    What objects cache is no difference: attributes that were not there, or private ones that were None or dicts which
    now have more entries.
    """
    if before.kind != after.kind or before.atom != after.atom:
        return path
    if before.array is not None and after.array is not None:
        return _array_difference(before.array, after.array, path)
    old, new = before.parts or {}, after.parts or {}
    for key, item in old.items():
        if key not in new:
            return path + key
        private = before.grows and key.startswith("._")
        if private and item.kind == "NoneType":
            continue
        if private and item.kind == "dict":
            item = Snapshot(item.kind, parts=item.parts, grows=True)
        place = difference(item, new[key], path + key)
        if place is not None:
            return place
    added = [key for key in new if key not in old]
    return path + added[0] if added and not before.grows else None


def _array_difference(before: NDArray[Any], after: NDArray[Any], path: str) -> str | None:
    if before.dtype != after.dtype or before.shape != after.shape:
        return path
    if before.tobytes() == after.tobytes():
        return None
    index = next(i for i in np.ndindex(before.shape) if before[i].tobytes() != after[i].tobytes())
    return f"{path}[{', '.join(map(str, index))}]" if index else path
