"""Output files and folders, checked before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from colayer._runtime.text import short
from colayer.errors import ColayerError, OptionError
from colayer.io.files import SPREADSHEETS, check_writable, unwritable

#: What pictures are written as, by the ending of the name.
PICTURES = (".png", ".svg", ".pdf")


def output_file(path: Path | None, option: str, inputs: Iterable[Path] = (), folder: Path | None = None) -> Path | None:
    """Return a writable output file; refuse an input, and a file inside the data set `folder`."""
    if path is None:
        return None
    try:
        check_writable(path)
    except ColayerError as error:
        raise error.at(option) from None
    if path.suffix.lower() in SPREADSHEETS:
        raise OptionError(f"{path}: spreadsheets are not written, expected a .json name (.csv for solve)", where=option)
    if any(same_file(path, other) for other in inputs):
        raise OptionError(f"{path} is also an input, expected another file", where=option)
    if folder is not None and same_file(path.absolute().parent, folder):
        raise OptionError(f"{path} lies in the data set, expected another folder", where=option)
    return path


def same_file(one: Path, other: Path) -> bool:
    """Tell whether two names lead to the same file; a circle of links leads nowhere."""
    return os.path.realpath(one) == os.path.realpath(other)


def picture_file(path: Path | None, option: str = "--plot", inputs: Iterable[Path | None] = ()) -> Path | None:
    """Return an output file whose name is that of a picture."""
    if path is not None and path.suffix not in PICTURES:
        raise OptionError(
            f"{short(str(path))} is not a picture, expected a name with {', '.join(PICTURES)}", where=option
        )
    return output_file(path, option, [other for other in inputs if other is not None])


def output_folder(path: Path, option: str = "-o") -> Path:
    """Return a folder that exists, or that can be made in one that does."""
    try:
        if path.exists() and not path.is_dir():
            raise OptionError(f"{path} is a file, expected a folder", where=option)
        there = path.absolute().parent.is_dir()
    except OSError as error:  # a name too long, for one
        raise unwritable(path, error).at(option) from None
    if not there:
        raise OptionError(f"{path}: its parent folder does not exist", where=option)
    return path
