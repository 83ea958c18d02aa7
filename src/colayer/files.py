"""Files: JSON in and out, and bytes written whole or not at all; errors are one line."""

from __future__ import annotations

import math
import os
import re
import secrets
import select
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from colayer.errors import InputError
from colayer.limits import memory, size
from colayer.text import printable

#: The part of the memory that is left which a file may take: what is read from it takes some more.
_SHARE = 0.25
#: Seconds without a word from the other end of a pipe.
_PATIENCE = 30.0
#: Strings and brackets of a JSON text, and how many of them a place is looked for among.
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_MOST_TOKENS = 1_000_000
_COLON = re.compile(rb"\s*:")


def read_json(path: str | Path) -> Any:
    """The decoded JSON document of a file; `InputError` names the file and what is wrong."""
    return parse_json(read_bytes(Path(path)), Path(path))


def read_bytes(path: Path) -> bytes:
    """What is in a plain file, or comes through a pipe; other files, and those that memory cannot hold, are refused."""
    try:
        status = path.stat()
        if stat.S_ISFIFO(status.st_mode):
            return _read_pipe(path)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(status.st_mode):
            raise InputError("is not a plain file", where=str(path))
        if status.st_size > _SHARE * memory():
            raise InputError(f"{size(status.st_size)}, more than the memory that is left allows", where=str(path))
        return path.read_bytes()
    except ValueError:  # a NUL in the name
        raise InputError("not the name of a file", where=printable(str(path))) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _read_pipe(path: Path) -> bytes:
    """What comes through a pipe until its other end is closed; one without a writer is empty: nobody waits for it."""
    parts: list[bytes] = []
    total = 0
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while True:
            ready, _, _ = select.select([number], [], [], _PATIENCE)
            if not ready:
                raise InputError(f"nothing came through this pipe within {_PATIENCE:g} s", where=str(path))
            part = os.read(number, 1 << 20)
            if not part:
                return b"".join(parts)
            parts.append(part)
            total += len(part)
            if total > _SHARE * memory():
                raise InputError("more than the memory that is left allows", where=str(path))
    finally:
        os.close(number)


def parse_json(data: bytes, path: Path) -> Any:
    """The decoded text of a JSON file; an error names `path`."""
    if not data.strip():
        raise InputError("empty, expected a JSON object", where=str(path))
    if data.startswith(b"\xef\xbb\xbf"):
        raise InputError("starts with a byte order mark, expected plain UTF-8", where=str(path))
    try:
        document = msgspec.json.decode(data)
    except RecursionError:
        raise InputError("nested too deeply, expected a JSON object", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8, expected JSON in UTF-8", where=str(path)) from None
    except msgspec.DecodeError as error:
        place = _not_finite(data, str(error))
        if place is not None:
            raise InputError("not finite, expected a number", where=f"{path}: {place}") from None
        what = str(error).removeprefix("JSON is malformed: ").replace("Input data was truncated", "it ends too early")
        raise InputError(f"not JSON: {what[:1].lower()}{what[1:]}", where=str(path)) from None
    if isinstance(document, dict):
        for key in document:
            if data.count(f'"{key}"'.encode(errors="replace")) > 1 and key in _twice(data):
                raise InputError("given twice, expected a key once", where=f"{path}: {printable(key)}")
    return document


def _not_finite(data: bytes, error: str) -> str | None:
    """The place of the NaN or infinity at which decoding stopped, as other writers leave them; None of other errors."""
    if "out of range" in error:  # 1e999: a number, but not of a float
        return _first_overflow(data)
    found = re.search(r"\(byte (\d+)\)", error)
    offset = int(found[1]) if found else -1
    # the decoder stops inside a word that begins like another one: `Nan` is none, `-Infinity` begins like a number
    for start in range(max(0, offset - 9), offset + 1):
        if re.match(rb"(NaN|-?Infinity)\b", data[start : start + 9]) and not re.match(rb"\w", data[start - 1 : start]):
            stack = _enclosing(data, start)
            return f"byte {start}" if stack is None else printable("".join(stack).removeprefix(".")) or "document"
    return None


def _first_overflow(data: bytes) -> str | None:
    """The place of the first number that is infinite as a float."""
    for number in re.finditer(rb"-?\d[\d.]*(?:[eE][+-]?\d+)?", data):
        if b"e" in number[0].lower() and math.isinf(float(number[0])):
            stack = _enclosing(data, number.start())
            return f"byte {number.start()}" if stack is None else printable("".join(stack).removeprefix("."))
    return None


def _twice(data: bytes) -> set[str]:
    """The keys of the outermost object that come twice."""
    seen: set[str] = set()
    twice: set[str] = set()
    depth = 0
    for token in _TOKENS.finditer(data):
        mark = token[0][:1]
        if mark in b"[{":
            depth += 1
        elif mark in b"]}":
            depth -= 1
        elif depth == 1 and _COLON.match(data, token.end()):
            key = msgspec.json.decode(token[0])
            (twice if key in seen else seen).add(key)
    return twice


def _enclosing(data: bytes, end: int) -> list[str] | None:
    """Keys and indices of the objects and lists around a byte of a JSON text; None where there are too many parts."""
    if data.count(b"[", 0, end) + data.count(b"{", 0, end) + data.count(b'"', 0, end) > _MOST_TOKENS:
        return None
    stack: list[tuple[bytes, int, str]] = []  # kind, commas so far, last key
    before = 0
    for token in _TOKENS.finditer(data, 0, end):
        if stack:
            kind, commas, key = stack[-1]
            stack[-1] = kind, commas + data.count(b",", before, token.start()), key
        before = token.end()
        mark = token[0][:1]
        if mark in b"[{":
            stack.append((mark, 0, ""))
        elif mark in b"]}":
            stack.pop()
        elif stack and stack[-1][0] == b"{":
            stack[-1] = b"{", stack[-1][1], str(msgspec.json.decode(token[0]))
    if stack:
        kind, commas, key = stack[-1]
        stack[-1] = kind, commas + data.count(b",", before, end), key
    return [f"[{commas}]" if kind == b"[" else f".{key}" for kind, commas, key in stack]


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


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder to write to, which takes the place of `folder` at the end of the block, whole or not at all."""
    temporary = _temporary(folder)
    before = _temporary(folder)
    try:
        temporary.mkdir()
        yield temporary
        if folder.exists():
            folder.rename(before)
        temporary.rename(folder)
    except OSError as error:
        raise unwritable(folder, error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if before.exists() and not folder.exists():
            before.rename(folder)
        shutil.rmtree(before, ignore_errors=True)


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
