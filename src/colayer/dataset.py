"""Data sets: instances on disk and in memory.

A data set is a folder of `NNNN.json` or `NNNN.npz`, with labels `NNNN.solution.json` beside them. A file is one object,
`{"format": 1, "problem": NAME, …the problem's own fields}`; in npz, strings are 0-d arrays and nested keys are dotted.
What is not so is refused by an `InputError` that names the file and the field. Nothing is ever half-written.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import shutil
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from colayer.errors import ColayerError, InputError
from colayer.files import write_atomic

#: The number of the file format, the first key of every document.
FORMAT = 1
FORMATS = ("json", "npz")
LABEL_SUFFIX = ".solution.json"
#: Keys of a label that are not the solution's own.
LABEL_KEYS = ("cost", "bound", "proved")

#: What numpy and zipfile raise on an archive that is damaged.
_DAMAGED = (
    ValueError, TypeError, OSError, EOFError, KeyError, IndexError, OverflowError, MemoryError, RuntimeError,
    SyntaxError, zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error,
)  # fmt: skip


def read_instances(path: str | os.PathLike[str], problem: Any = None) -> list[Any]:
    """The instances of a data set folder, in the order of their names, or of one file.

    The problem is `problem` where it is given, else the one the first document names; all documents must agree.
    """
    path = Path(path)
    return read_files(instance_files(path) if path.is_dir() else [path], problem)[1]


def read_files(paths: Sequence[Path], problem: Any = None) -> tuple[Any, list[Any]]:
    """The problem and the instances of these files, which must all be of one problem."""
    instances = []
    for path in paths:
        document = read_document(path)
        if problem is None:
            problem = problem_of(document, path)
        instances.append(parse_instance(document, problem, path))
    if not instances:
        raise InputError("no instance given, expected at least one")
    return problem, instances


def read_instance(path: str | os.PathLike[str], problem: Any = None) -> Any:
    """The instance of one JSON or npz file."""
    return read_files([Path(path)], problem)[1][0]


def instance_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The instance files of a data set, sorted by name; labels and hidden files are not instances."""
    folder = Path(folder)
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise _unreadable(folder, error, kind="folder") from None
    files = [folder / name for name in names if _is_instance(name)]
    if not files:
        raise InputError("an empty data set, expected a folder of NNNN.json or NNNN.npz", where=str(folder))
    for one, two in itertools.pairwise(files):
        if one.stem == two.stem:
            raise InputError(f"{one.name} and {two.name} have one name, expected only one of them", where=str(folder))
    return files


def write_instance(path: str | os.PathLike[str], instance: Any, problem: Any) -> None:
    """Write one instance, as JSON or npz by the ending of the name."""
    path = Path(path)
    write_atomic(path, _content(path, instance, problem))


def write_instances(
    folder: str | os.PathLike[str],
    instances: Iterable[Any],
    problem: Any,
    format: str = "json",  # noqa: A002
) -> list[Path]:
    """Write `0000.json`, `0001.json`, … into a folder that is new or holds no instances; all of them or none."""
    folder = Path(folder)
    if format not in FORMATS:
        raise InputError(f"no format {format!r}, expected json or npz")
    check_new_folder(folder)
    new = not folder.exists()
    if new:
        folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = (folder.parent if new else folder) / f".{folder.name}.{os.getpid()}.tmp"
    temporary.mkdir()
    try:
        count = 0
        for instance in instances:
            path = temporary / f"{count:08d}.{format}"
            path.write_bytes(_content(path, instance, problem))
            count += 1
        if count == 0:
            raise InputError("no instance to write, expected at least one", where=str(folder))
        width = max(4, len(str(count - 1)))  # names that sort as numbers do
        names = [f"{i:0{width}d}.{format}" for i in range(count)]
        for i, name in enumerate(names):
            (temporary / f"{i:08d}.{format}").rename((temporary if new else folder) / name)
        if new:
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return [folder / name for name in names]


def check_new_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that `write_instances` would refuse, before any work is done."""
    folder = Path(folder)
    if folder.is_dir():
        if any(_is_instance(entry.name) for entry in folder.iterdir()):
            raise InputError("already holds instances, expected a new or an empty folder", where=str(folder))
        nearest = folder
    elif folder.exists():
        raise InputError("is not a folder", where=str(folder))
    else:
        nearest = next(parent for parent in folder.absolute().parents if parent.exists())
    if not nearest.is_dir():
        raise InputError(f"{nearest} is not a folder", where=str(folder))
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"the folder {nearest} cannot be written to", where=str(folder))


def label_path(path: Path) -> Path:
    """Where the label of an instance file lives: `0001.npz` → `0001.solution.json`."""
    return path.with_name(path.stem + LABEL_SUFFIX)


def read_solutions(folder: str | os.PathLike[str], problem: Any, instances: Sequence[Any]) -> list[Any]:
    """The solutions of the labels in a data set folder, in the order of the instances."""
    files = instance_files(folder)
    if len(files) != len(instances):
        raise InputError(f"{len(files)} instances, expected {len(instances)}", where=str(folder))
    return [read_solution(label_path(path), problem, instance) for path, instance in zip(files, instances, strict=True)]


def read_solution(path: str | os.PathLike[str], problem: Any, instance: Any) -> Any:
    """The solution of one label, checked against its instance."""
    path = Path(path)
    document = read_document(path)
    fields = _fields(document, problem, path)
    with _located(path):
        return problem.read_solution(_Fields((k, v) for k, v in fields.items() if k not in LABEL_KEYS), instance)


def write_solution(
    path: str | os.PathLike[str], solution: Any, instance: Any, problem: Any, *, cost: float, bound: float, proved: bool
) -> None:
    """Write a label: the solution, with its cost, a lower bound, and whether it is proved optimal."""
    envelope = {"format": FORMAT, "problem": problem.name}
    label = {"cost": cost, "bound": bound, "proved": proved}
    write_document(Path(path), {**envelope, **problem.write_solution(solution, instance), **label})


def read_document(path: Path) -> dict[str, Any]:
    """The object of a JSON or npz file, whatever its keys."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    document = _read_npz(data, path) if path.suffix == ".npz" else _read_json(data, path)
    if not isinstance(document, dict):
        raise InputError("not an object, expected {...}", where=str(path))
    return document


def problem_of(document: Mapping[str, Any], path: Path) -> Any:
    """The registered problem a document names. A file never makes us import a module of its choice."""
    from colayer.problems import find_problem, problem_names

    name = document.get("problem")
    if "problem" not in document:
        raise InputError("missing", where=f"{path}: problem")
    if not isinstance(name, str) or name not in problem_names():
        known = ", ".join(problem_names())
        raise InputError(f"no problem {_short(name)}, expected one of {known}", where=f"{path}: problem")
    return find_problem(name)


def parse_instance(document: Mapping[str, Any], problem: Any, path: Path) -> Any:
    """The instance of a document: envelope and keys checked here, the fields by the problem."""
    fields = _fields(document, problem, path)
    expected = tuple(getattr(problem, "fields", ()))
    for key in fields:
        if expected and key not in expected:
            raise InputError(f"unknown key, expected {', '.join(expected)}", where=f"{path}: {_printable(key)}")
    for key in expected:
        if key not in fields:
            raise InputError("missing", where=f"{path}: {key}")
    with _located(path), np.errstate(over="ignore"):  # numbers that overflow are refused, not warned of
        return problem.read(fields)


def write_document(path: Path, document: Any) -> None:
    """Write a JSON file, whole or not at all."""
    write_atomic(path, encode(document))


def encode(document: Any) -> bytes:
    """A document as JSON text, one line; numpy values are written as plain ones."""
    return msgspec.json.encode(document, enc_hook=_plain) + b"\n"


def _content(path: Path, instance: Any, problem: Any) -> bytes:
    document = {"format": FORMAT, "problem": problem.name, **problem.write(instance)}
    if path.suffix == ".json":
        return encode(document)
    if path.suffix == ".npz":
        return _npz(document, path)
    raise InputError(f"a name that ends with {path.suffix!r}, expected .json or .npz", where=str(path))


class _Fields(dict[str, Any]):
    """The problem's own keys of a document; one that is missing is named, also to a problem that declares none."""

    def __missing__(self, key: str) -> Any:
        raise InputError("missing", where=str(key))


def _fields(document: Mapping[str, Any], problem: Any, path: Path) -> _Fields:
    """The keys of a document without the envelope, which is checked."""
    for key in ("format", "problem"):
        if key not in document:
            raise InputError("missing", where=f"{path}: {key}")
    number, name = document["format"], document["problem"]
    if type(number) is not int or number != FORMAT:
        raise InputError(f"{_short(number)}, expected {FORMAT}", where=f"{path}: format")
    if name != problem.name:
        raise InputError(f"{_short(name)}, expected {problem.name!r}", where=f"{path}: problem")
    return _Fields((k, v) for k, v in document.items() if k not in ("format", "problem"))


@contextlib.contextmanager
def _located(path: Path) -> Iterator[None]:
    """Put the file's name before the place an error names."""
    try:
        yield
    except ColayerError as error:
        raise error.at(str(path)) from None


def _is_instance(name: str) -> bool:
    return name.endswith((".json", ".npz")) and not name.endswith(LABEL_SUFFIX) and not name.startswith(".")


def _read_json(data: bytes, path: Path) -> Any:
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
            return _printable(place.removeprefix(".")) or "document"
        if isinstance(value, dict):
            todo.extend((f"{place}.{key}", item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            todo.extend((f"{place}[{i}]", value[i]) for i in reversed(range(len(value))))
    return None


def _read_npz(data: bytes, path: Path) -> dict[str, Any]:
    document: dict[str, Any] = {}
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            arrays = {info.filename: archive.read(info) for info in archive.infolist()}
    except _DAMAGED as error:
        raise InputError(f"not an npz file: {_first_line(error)}", where=str(path)) from None
    for member, content in arrays.items():
        key = member.removesuffix(".npy")
        where = f"{path}: {_printable(key)}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # numpy's, on files of Python 2
                array = np.lib.format.read_array(BytesIO(content), allow_pickle=False)
        except _DAMAGED as error:
            raise InputError(f"not a plain array: {_first_line(error)}", where=where) from None
        *parents, leaf = key.split(".")
        node: Any = document
        for parent in parents:
            node = node.setdefault(parent, {}) if isinstance(node, dict) else None
        if not isinstance(node, dict) or leaf in node:
            raise InputError("given twice, expected a key once", where=where)
        node[leaf] = _value(array, where)
    return document


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
            raise InputError(f"not text: {_first_line(error)}", where=where) from None
    return array


def _npz(document: Mapping[str, Any], path: Path) -> bytes:
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


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _unreadable(path: Path, error: OSError, kind: str = "file") -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"there is no such {kind}", where=str(path))
    if isinstance(error, IsADirectoryError):
        return InputError("is a folder, expected a file", where=str(path))
    if isinstance(error, NotADirectoryError):
        return InputError(f"is not a {kind}", where=str(path))
    return InputError(f"cannot be read: {error.strerror or error}", where=str(path))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _printable(text: str) -> str:
    """Text of a file, fit for one line of an error."""
    return text if text.isprintable() and len(text) <= 60 else _short(text)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0][:80] or type(error).__name__
