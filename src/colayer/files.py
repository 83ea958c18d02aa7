"""Files: JSON in and out, and bytes written whole or not at all; errors are one line."""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from colayer.errors import InputError
from colayer.text import printable


def read_json(path: str | Path) -> Any:
    """The decoded JSON document of a file; `InputError` names the file and what is wrong."""
    return parse_json(read_bytes(Path(path)), Path(path))


def read_bytes(path: Path) -> bytes:
    """What is in a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None


def parse_json(data: bytes, path: Path) -> Any:
    """The decoded text of a JSON file; an error names `path`."""
    if not data.strip():
        raise InputError("empty, expected a JSON object", where=str(path))
    if data.startswith(b"\xef\xbb\xbf"):
        raise InputError("starts with a byte order mark, expected plain UTF-8", where=str(path))
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        raise InputError("nested too deeply, expected a JSON object", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8, expected JSON in UTF-8", where=str(path)) from None
    except msgspec.DecodeError as error:
        place = _not_finite(data)
        if place is not None:
            raise InputError("not finite, expected a number", where=f"{path}: {place}") from None
        what = str(error).removeprefix("JSON is malformed: ").replace("Input data was truncated", "it ends too early")
        raise InputError(f"not JSON: {what[:1].lower()}{what[1:]}", where=str(path)) from None


def _not_finite(data: bytes) -> str | None:
    """Where the first NaN or infinity is, in a text that would be JSON without it (as other writers leave it)."""
    try:
        todo: list[tuple[str, Any]] = [("", json.loads(data))]
    except (ValueError, RecursionError):
        return None
    while todo:
        place, value = todo.pop()
        if isinstance(value, float) and not math.isfinite(value):
            return printable(place.removeprefix(".")) or "document"
        if isinstance(value, dict):
            todo.extend((f"{place}.{key}", item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            todo.extend((f"{place}[{i}]", value[i]) for i in reversed(range(len(value))))
    return None


def encode(document: Any) -> bytes:
    """A document as JSON text, one line; numpy values are written as plain ones."""
    return msgspec.json.encode(document, enc_hook=plain) + b"\n"


def plain(value: Any) -> Any:
    """For encoders: numpy values as plain ones."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def check_writable(path: str | Path) -> Path:
    """`path` as an output file; an `InputError` before the work where it could not be written after it."""
    target = _target(path)
    trial = _temporary(target)
    try:  # the one sure sign: a read-only file system does not show otherwise
        trial.open("xb").close()
        trial.unlink()
    except OSError as error:
        raise unwritable(path, error) from None
    return target


def _target(path: str | Path) -> Path:
    """`path`, refused where it is seen not to be one for an output file."""
    target = Path(path)
    try:
        target.stat()
    except FileNotFoundError:
        pass
    except OSError as error:  # a name too long, for one
        raise unwritable(path, error) from None
    if target.is_dir():
        raise InputError("is a folder, expected a file name", where=str(path))
    if target.exists() and not target.is_file():  # a device: the rename at the end would replace it
        raise InputError("is not a plain file, expected a file name", where=str(path))
    if not target.absolute().parent.is_dir():
        raise InputError("the folder to write to does not exist", where=str(path))
    if not os.access(target.absolute().parent, os.W_OK):
        raise InputError("the folder to write to is not writable", where=str(path))
    return target


def write_atomic(path: str | Path, data: bytes) -> None:
    """Write to a temporary file in the same folder, then rename: a reader sees the old file or the whole new one.

    The bytes are on the disk before the name is: a power cut leaves no empty file.
    """
    target = _target(path)
    temporary = _temporary(target)
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _temporary(target: Path) -> Path:
    """A new name in the same folder."""
    return target.absolute().with_name(f".{secrets.token_hex(8)}.tmp")


def unwritable(path: str | Path, error: OSError) -> InputError:
    """The error of a path that cannot be written."""
    return InputError(f"cannot be written: {error.strerror or error}", where=str(path)[:200])


def unreadable(path: Path, error: OSError, kind: str = "file") -> InputError:
    """The error of a path that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"there is no such {kind}", where=str(path))
    if isinstance(error, IsADirectoryError):
        return InputError("is a folder, expected a file", where=str(path))
    if isinstance(error, NotADirectoryError):
        return InputError(f"is not a {kind}", where=str(path))
    return InputError(f"cannot be read: {error.strerror or error}", where=str(path))


def exact_keys(document: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Refuse an object with a key that is not one of `keys`, or without one of them."""
    for key in document:
        if key not in keys:
            raise InputError(f"unknown key, expected {', '.join(keys)}", where=printable(str(key)))
    for key in keys:
        if key not in document:
            raise InputError("missing", where=key)
