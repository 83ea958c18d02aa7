"""Files: JSON in and out, and bytes written whole or not at all; errors are one line."""

from __future__ import annotations

import json
import math
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from colayer._runtime.temporary import sweep, temporary_beside
from colayer._runtime.text import printable
from colayer.errors import InputError

#: Bytes from which on a JSON text is looked through first: what is built from it takes several times as much memory.
_LARGE = 1_000_000
#: Endings of what other programs keep tables in, and nobody's JSON.
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".parquet")


def read_json(path: str | Path) -> Any:
    """Return the JSON document of a file; an `InputError` names the file."""
    return parse_json(read_bytes(Path(path)), Path(path))


def read_bytes(path: Path) -> bytes:
    """Return the content of a plain file or a pipe; refuse other files."""
    try:
        status = _status(path)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
            raise InputError("is not a plain file", where=str(path))
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except ValueError:  # a NUL in the name
        raise InputError("not the name of a file", where=printable(str(path))) from None


def parse_json(data: bytes, path: Path) -> Any:
    """Return the document of a JSON text; an error names `path`."""
    if path.suffix.lower() in SPREADSHEETS:
        raise InputError("a spreadsheet, expected JSON, npz or CSV: save it as CSV", where=str(path))
    if not data or data.isspace():
        raise InputError("empty, expected a JSON object", where=str(path))
    if data.startswith(b"\xef\xbb\xbf"):
        raise InputError("starts with a byte order mark, expected plain UTF-8", where=str(path))
    try:
        if len(data) > _LARGE:  # a fault at the end is found before anything is built
            msgspec.json.decode(data, type=msgspec.Raw)
        document = msgspec.json.decode(data)
    except RecursionError:
        raise InputError("nested too deeply, expected a JSON object", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8, expected JSON in UTF-8", where=str(path)) from None
    except msgspec.DecodeError as error:
        place = _not_finite(data)
        if place is not None:
            raise InputError("not finite, expected a number", where=f"{path}: {place}") from None
        what = str(error).removeprefix("JSON is malformed: ").replace("Input data was truncated", "it ends too early")
        table = "; a table has a name that ends with .csv" if path.suffix.lower() in (".csv", ".txt", ".tsv") else ""
        raise InputError(f"not JSON: {what[:1].lower()}{what[1:]}{table}", where=str(path)) from None
    if isinstance(document, dict):
        keys = _keys(data)
        for key in document if len(keys) > len(document) else ():
            if keys.count(key) > 1:
                raise InputError("given twice, expected a key once", where=f"{path}: {printable(key)}")
    return document


def _not_finite(data: bytes) -> str | None:
    """Return the place of the first NaN or infinity in a text that is otherwise JSON; else None."""
    try:
        parts = [("", json.loads(data))]
    except (ValueError, RecursionError):
        return None
    while parts:
        place, value = parts.pop()
        if isinstance(value, float) and not math.isfinite(value):
            return printable(place.removeprefix(".")) or "document"
        if isinstance(value, dict):
            parts += [(f"{place}.{key}", item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            parts += [(f"{place}[{i}]", value[i]) for i in reversed(range(len(value)))]
    return None


class _Key(str):
    """A key that msgspec passes to the hook."""


def _keys(data: bytes) -> list[str]:
    """Return the keys of a JSON object, duplicates included."""
    keys: list[str] = []

    def keep(kind: type[_Key], key: str) -> _Key:
        keys.append(key)
        return kind(key)

    msgspec.json.decode(data, type=dict[_Key, msgspec.Raw], dec_hook=keep)
    return keys


def encode(document: Any) -> bytes:
    """Return a document as JSON text in one line, with numpy values as plain ones."""
    return msgspec.json.encode(document, enc_hook=plain) + b"\n"


def plain(value: Any) -> Any:
    """Return a numpy value as a plain one, for encoders."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def check_writable(path: str | Path) -> Path:
    """Return `path`; raise an `InputError` now if it could not be written later."""
    target = _target(path)
    sweep(target.absolute().parent)
    trial = temporary_beside(target)
    try:  # the one sure sign: a read-only file system does not show otherwise
        trial.open("xb").close()
        trial.unlink()
    except OSError as error:
        raise unwritable(path, error) from None
    return target


def _target(path: str | Path) -> Path:
    """Return `path`; refuse it if it cannot be an output file."""
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


def is_folder(path: Path) -> bool:
    """Tell whether there is a folder of this name; an impossible name is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def write_atomic(path: str | Path, data: bytes) -> None:
    """Write to a temporary file in the same folder, then rename: a reader sees the old file or the whole new one.

    The bytes are on the disk before the name is: a power cut leaves no empty file.
    """
    write_all({Path(path): data})


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write several files as `write_atomic` does, renaming none before all are on the disk."""
    temporaries: dict[Path, Path] = {}
    path = Path()
    try:
        for path, data in files.items():
            temporary = temporaries[path] = temporary_beside(_target(path))
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for path, temporary in temporaries.items():
            temporary.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)


def append(file: FileIO, data: bytes) -> None:
    """Append to an unbuffered file; if the disk is full, undo the part written, so that lines are whole."""
    end = os.fstat(file.fileno()).st_size
    left = memoryview(data)
    try:
        while left:
            left = left[file.write(left) or 0 :]
    except OSError:
        with suppress(OSError):
            file.truncate(end)
        raise


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder and its parents; if the block fails, remove those that are empty."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:
        for path in missing:
            with suppress(OSError):
                path.rmdir()
        if isinstance(error, OSError):
            raise unwritable(folder, error) from None
        raise


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder whose files replace those of `folder` at the end of the block.

    A folder that is there stays itself, as it may be the working directory: its files are replaced one by one.
    """
    there = folder.exists()
    sweep(folder if there else folder.absolute().parent)
    temporary = temporary_beside(folder / "files" if there else folder)
    try:
        temporary.mkdir()
        yield temporary
        if there:
            stale = [path for path in folder.iterdir() if path != folder / temporary.name]
            new = {path.name for path in temporary.iterdir()}
            for name in new:
                (temporary / name).replace(folder / name)
            for path in stale:
                if path.name not in new:
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        else:
            temporary.rename(folder)
    except OSError as error:
        raise unwritable(folder, error) from None
    except InputError as error:  # name the folder that was asked for
        raise InputError(error.message, where=(error.where or "").replace(str(temporary), str(folder))) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def unwritable(path: str | Path, error: OSError) -> InputError:
    """Return the error for a path that cannot be written."""
    return InputError(f"cannot be written: {error.strerror or error}", where=str(path)[:200])


def unreadable(path: Path, error: OSError, kind: str = "file") -> InputError:
    """Return the error for a path that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"there is no such {kind}", where=str(path))
    if isinstance(error, IsADirectoryError):
        return InputError("is a folder, expected a file", where=str(path))
    if isinstance(error, NotADirectoryError):
        return InputError(f"is not a {kind}", where=str(path))
    return InputError(f"cannot be read: {error.strerror or error}", where=str(path))


def exact_keys(document: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Refuse an object whose keys are not exactly `keys`."""
    for key in document:
        if key not in keys:
            raise InputError(f"unknown key, expected {', '.join(keys)}", where=printable(str(key)))
    for key in keys:
        if key not in document:
            raise InputError("missing", where=key)
