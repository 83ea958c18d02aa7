"""The folder of a new data set: what may be there already, and instances put into it at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from colayer._runtime.temporary import sweep
from colayer.errors import InputError

LABEL_SUFFIX = ".solution.json"
#: In a folder with other files, while instances are being put there.
INCOMPLETE = ".incomplete"


def is_instance(name: str) -> bool:
    """Tell whether a file of this name is an instance."""
    if name.endswith(".csv"):  # one with a further word is another table of the instance
        return name.count(".") == 1 and not name.startswith(".")
    return name.endswith((".json", ".npz")) and not name.endswith(LABEL_SUFFIX) and not name.startswith(".")


def instances_in(folder: Path) -> list[Path]:
    """Return the instances of a folder by name; none if they are not complete, or if there is no folder."""
    if not folder.is_dir() or (folder / INCOMPLETE).exists():
        return []
    return sorted(path for path in folder.iterdir() if is_instance(path.name))


def refuse_instances(folder: Path) -> InputError:
    """Return the error of a folder that holds other instances."""
    return InputError("already holds instances, expected a new or an empty folder", where=str(folder))


def check_new_folder(folder: str | os.PathLike[str], *, again: bool = False) -> None:
    """Refuse a folder that `write_instances` would refuse, before the work.

    With `again`, instances may be there: whether they are the same shows as they are made.
    """
    folder = Path(folder)
    try:
        there = folder.is_dir()
    except OSError as error:  # a name too long, for one
        raise InputError(f"cannot be made: {error.strerror}", where=str(folder)[:80]) from None
    if there:
        if not again and instances_in(folder):
            raise refuse_instances(folder)
        nearest = folder
    elif folder.exists():
        raise InputError("is not a folder", where=str(folder))
    else:
        nearest = next(parent for parent in folder.absolute().parents if parent.exists())
    if not nearest.is_dir():
        raise InputError(f"{nearest} is not a folder", where=str(folder))
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"the folder {nearest} cannot be written to", where=str(folder))
    sweep(folder.absolute().parent)


def put(temporary: Path, folder: Path, names: Sequence[str]) -> None:
    """Move the new data set into place: at once, or beside other files with a mark until it is complete."""
    if not folder.exists() or not any(folder.iterdir()):
        temporary.replace(folder.resolve())
        return
    (folder / INCOMPLETE).touch()
    for path in list(folder.iterdir()):  # of a command that was killed here
        if is_instance(path.name):
            path.unlink()
    for name in names:
        (temporary / name).rename(folder / name)
    (folder / INCOMPLETE).unlink()
