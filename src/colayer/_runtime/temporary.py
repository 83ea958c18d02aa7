"""Names of files and folders on their way: hidden, beside their target, and swept away once their process is gone."""

from __future__ import annotations

import itertools
import os
import platform
import re
import shutil
import zlib
from contextlib import suppress
from pathlib import Path

_NAME = re.compile(r"\.[0-9a-f]{4}([0-9a-f]{4})([0-9a-f]{8})\.tmp")
_numbers = itertools.count()


def temporary_beside(target: Path) -> Path:
    """Return a new name in the folder of the target, which says the machine and the process that it belongs to."""
    return target.absolute().with_name(f".{next(_numbers) & 0xFFFF:04x}{_machine()}{os.getpid():08x}.tmp")


def sweep(folder: Path) -> None:
    """Remove what processes of this machine left in a folder when they were killed."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            found = _NAME.fullmatch(entry.name)
            if found and found[1] == _machine() and not _alive(int(found[2], 16)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink()


def _machine() -> str:
    """Return four digits for the machine: a process of another one that shares the folder may well be alive."""
    return f"{zlib.crc32(platform.node().encode()) & 0xFFFF:04x}"


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's
        return True
    return True
