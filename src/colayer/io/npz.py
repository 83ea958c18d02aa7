"""Documents as npz files: strings are 0-d arrays, nested keys are dotted, nothing is pickled."""

from __future__ import annotations

import math
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from colayer._runtime.text import first_line, printable
from colayer.errors import InputError

#: What numpy and zipfile raise on an archive that is damaged.
_DAMAGED = (
    ValueError, TypeError, OSError, EOFError, KeyError, IndexError, OverflowError, MemoryError, RuntimeError,
    SyntaxError, SystemError, tokenize.TokenError, zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error,
)  # fmt: skip


class Members(Mapping[str, Any]):
    """The object of an npz file, or a part of it; arrays are loaded when they are used."""

    def __init__(self) -> None:
        self._held: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        value = self._held[key]
        if isinstance(value, _Member):
            value = self._held[key] = value.load()
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def put(self, key: str, member: _Member) -> None:
        """Place a member under its dotted key."""
        *parents, leaf = key.split(".")
        node: Any = self
        for parent in parents:
            node = node._held.setdefault(parent, Members()) if isinstance(node, Members) else None
        if not isinstance(node, Members) or leaf in node._held:
            raise InputError("given twice, expected a key once", where=member.where)
        node._held[leaf] = member


@dataclass(frozen=True)
class _Member:
    """An array in an archive that is not loaded yet."""

    archive: zipfile.ZipFile
    info: zipfile.ZipInfo
    where: str

    def load(self) -> Any:
        """Return the array, or the value of a 0-d one; refuse one that does not have its stated size."""
        try:
            with self.archive.open(self.info) as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # numpy's, on files of Python 2
                version = np.lib.format.read_magic(file)
                read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
                if version not in read:
                    raise ValueError(f"version {version} of the format")
                shape, _, dtype = read[version](file)
                if dtype.hasobject:
                    raise ValueError("Object arrays cannot be loaded")
                count = math.prod(shape) * dtype.itemsize
                if count > self.info.file_size:
                    raise ValueError(f"{count:,} bytes are said to be in {self.info.file_size:,}")
            with self.archive.open(self.info) as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                array = np.lib.format.read_array(file, allow_pickle=False)
        except _DAMAGED as error:
            raise InputError(f"not a plain array: {first_line(error)}", where=self.where) from None
        return _value(array, self.where)


def parse_npz(data: bytes, path: Path) -> Members:
    """Return the object of an npz file, with nested keys undone; errors name `path`. Arrays load when used."""
    document = Members()
    try:
        archive = zipfile.ZipFile(BytesIO(data))
        infos = archive.infolist()
    except _DAMAGED as error:
        raise InputError(f"not an npz file: {first_line(error)}", where=str(path)) from None
    for info in infos:
        key = info.filename.removesuffix(".npy")
        document.put(key, _Member(archive, info, f"{path}: {printable(key)}"))
    return document


def npz_bytes(document: Mapping[str, Any], path: Path) -> bytes:
    """Return a document as an npz file: strings as 0-d arrays, nested keys dotted."""
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for key, value in _flat(document):
            array = _array(value)
            if array is None:
                raise InputError("has no npz form, expected numbers or text", where=f"{path}: {key}")
            content = BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            member = zipfile.ZipInfo(f"{key}.npy")  # dated 1980: the same instance gives the same bytes
            archive.writestr(member, content.getvalue(), zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _value(array: Any, where: str) -> Any:
    """Return a 0-d array as a Python value, others as arrays of numbers (floats as float64) or lists of names."""
    if array.dtype.kind not in ("biufU" if array.ndim <= 1 else "biuf"):
        raise InputError(f"an array of {array.dtype}, expected numbers", where=where)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):  # a long double beyond float64 becomes infinite, which the problem refuses
            array = array.astype(np.float64)
    try:
        listed = array.item() if array.ndim == 0 else array.tolist() if array.dtype.kind == "U" else None
    except (ValueError, SystemError) as error:  # code points that are not Unicode
        raise InputError(f"not text: {first_line(error)}", where=where) from None
    return listed if array.ndim == 0 else array


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
