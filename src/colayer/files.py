"""Files: JSON in, and bytes out whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from colayer.errors import InputError


def read_json(path: str | Path) -> Any:
    """The decoded JSON document of a file; `InputError` names the file and what is wrong."""
    try:
        return msgspec.json.decode(Path(path).read_bytes())
    except OSError as error:
        raise InputError(_reason(error), where=str(path)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not valid JSON ({error})", where=str(path)) from None
    except RecursionError:
        raise InputError("not valid JSON (nested too deeply)", where=str(path)) from None


def check_writable(path: str | Path) -> Path:
    """`path` as an output file; an `InputError` before the work where it could not be written after it."""
    target = Path(path)
    if target.is_dir():
        raise InputError("is a folder, expected a file name", where=str(path))
    if not target.absolute().parent.is_dir():
        raise InputError("the folder to write to does not exist", where=str(path))
    if not os.access(target.absolute().parent, os.W_OK):
        raise InputError("the folder to write to is not writable", where=str(path))
    return target


def write_atomic(path: str | Path, data: bytes) -> None:
    """Write to a temporary file in the same folder, then rename: a reader sees the old file or the whole new one."""
    target = check_writable(path)
    handle, temporary = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
