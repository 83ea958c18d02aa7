"""Documents as npz files: strings are 0-d arrays, nested keys are dotted, nothing is pickled."""

from __future__ import annotations

import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from colayer.errors import InputError
from colayer.text import first_line, printable

#: What numpy and zipfile raise on an archive that is damaged.
_DAMAGED = (
    ValueError, TypeError, OSError, EOFError, KeyError, IndexError, OverflowError, MemoryError, RuntimeError,
    SyntaxError, zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error,
)  # fmt: skip


def parse_npz(data: bytes, path: Path) -> dict[str, Any]:
    """The object of an npz file, nested keys undone; an error names `path`."""
    document: dict[str, Any] = {}
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            arrays = {info.filename: archive.read(info) for info in archive.infolist()}
    except _DAMAGED as error:
        raise InputError(f"not an npz file: {first_line(error)}", where=str(path)) from None
    for member, content in arrays.items():
        key = member.removesuffix(".npy")
        where = f"{path}: {printable(key)}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # numpy's, on files of Python 2
                array = np.lib.format.read_array(BytesIO(content), allow_pickle=False)
        except _DAMAGED as error:
            raise InputError(f"not a plain array: {first_line(error)}", where=where) from None
        *parents, leaf = key.split(".")
        node: Any = document
        for parent in parents:
            node = node.setdefault(parent, {}) if isinstance(node, dict) else None
        if not isinstance(node, dict) or leaf in node:
            raise InputError("given twice, expected a key once", where=where)
        node[leaf] = _value(array, where)
    return document


def npz_bytes(document: Mapping[str, Any], path: Path) -> bytes:
    """A document as an npz file: strings as 0-d arrays, nested keys dotted."""
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for key, value in _flat(document):
            array = _array(value)
            if array is None:
                raise InputError("neither numbers nor text: it has no npz form", where=f"{path}: {key}")
            content = BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            member = zipfile.ZipInfo(f"{key}.npy")  # dated 1980: the same instance gives the same bytes
            archive.writestr(member, content.getvalue(), zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _value(array: Any, where: str) -> Any:
    """A 0-d array as a Python value, any other with numbers as it is, floats as float64."""
    if array.dtype.kind not in ("biufU" if array.ndim == 0 else "biuf"):
        raise InputError(f"an array of {array.dtype}, expected numbers", where=where)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):  # a long double beyond float64 becomes infinite, which the problem refuses
            array = array.astype(np.float64)
    if array.ndim == 0:
        try:
            return array.item()
        except ValueError as error:  # code points that are not Unicode
            raise InputError(f"not text: {first_line(error)}", where=where) from None
    return array


def _array(value: Any) -> Any:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return None
    return array if array.dtype.kind in "biufU" else None


def _flat(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in document.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
