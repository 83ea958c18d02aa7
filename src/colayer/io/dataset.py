"""Data sets: instances on disk and in memory.

A data set is a folder of `NNNN.json` or `NNNN.npz`, with labels `NNNN.solution.json` beside them. A file is one object,
`{"format": 1, "problem": NAME, …the problem's own fields}`; in npz, strings are 0-d arrays and nested keys are dotted.
What is not so is refused by an `InputError` that names the file and the field. Nothing is ever half-written.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from colayer._runtime.temporary import temporary_beside
from colayer._runtime.text import printable, short
from colayer.errors import ColayerError, InputError
from colayer.io.csv_files import csv_instance
from colayer.io.files import (
    is_folder,
    made_folder,
    parse_json,
    read_bytes,
    unreadable,
    unwritable,
    write_atomic,
)  # fmt: skip
from colayer.io.new_folder import (
    INCOMPLETE,
    LABEL_SUFFIX,
    check_new_folder,
    instances_in,
    is_instance,
    put,
    refuse_instances,
)
from colayer.io.npz import npz_bytes, parse_npz
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.guard import json_text
from colayer.problem.instances import make_instance
from colayer.problem.protocol import Problem, X, Y, Z

#: The number of the file format, the first key of every document.
FORMAT = 1
FORMATS = ("json", "npz")
ENVELOPE = ("format", "problem")
#: Keys of a label that are not the solution's own.
LABEL_KEYS = {"cost": (int, float), "bound": (int, float), "proved": (bool,)}


def read_instances(path: str | os.PathLike[str], problem: Problem[X, Y, Z] | None = None) -> list[X]:
    """Return the instances of a data set folder, sorted by file name, or of one file.

    Parameters
    ----------
    path
        A folder, or a file.
    problem
        The problem of all files; by default the registered one that the first file names.

    Returns
    -------
    list
        The instances.
    """
    path = Path(path)
    files = instance_files(path) if is_folder(path) else [path]
    return read_files(files, None if problem is None else bind(problem))[1]


def read_instance(path: str | os.PathLike[str], problem: Problem[X, Y, Z] | None = None) -> X:
    """Return the instance of one JSON, npz or CSV file.

    Parameters
    ----------
    path
        The file.
    problem
        Its problem; by default the registered one that the file names.
    """
    instance: X = read_file(Path(path), None if problem is None else bind(problem))[1]
    return instance


def read_files(
    paths: Sequence[Path], problem: BoundProblem[X, Y, Z] | None = None
) -> tuple[BoundProblem[X, Y, Z], list[X]]:
    """Return the problem and the instances of these files, all of one problem."""
    instances = []
    for path in paths:
        problem, instance = read_file(path, problem)
        instances.append(instance)
    if problem is None or not instances:
        raise InputError("no instance given, expected at least one")
    return problem, instances


def read_file(path: Path, problem: BoundProblem[X, Y, Z] | None = None) -> tuple[BoundProblem[X, Y, Z], X]:
    """Return the problem and the instance of one file; without `problem`, of the one the file names."""
    if path.suffix == ".csv":
        return csv_instance(path, problem)
    document = read_document(path)
    found = _named_problem(document, path) if problem is None else problem
    return found, parse_instance(document, found, path)


def instance_files(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the instance files of a data set, sorted by name; labels and hidden files are not instances."""
    folder = Path(folder)
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise unreadable(folder, error, kind="folder") from None
    if INCOMPLETE in names:
        raise InputError("incomplete, since writing was interrupted: generate the data set again", where=str(folder))
    files = [folder / name for name in names if is_instance(name)]
    if not files:
        raise InputError("no instances, expected a folder of NNNN.json, NNNN.npz or NAME.csv", where=str(folder))
    for one, two in itertools.pairwise(files):
        if one.stem == two.stem:
            raise InputError(f"{one.name} and {two.name} name the same instance, expected one file", where=str(folder))
    return files


def write_instance(path: str | os.PathLike[str], instance: X, problem: Problem[X, Y, Z]) -> None:
    """Write one instance.

    Parameters
    ----------
    path
        The file; its suffix, `.json` or `.npz`, says the format.
    instance, problem
        The instance and its problem.
    """
    path = Path(path)
    write_atomic(path, _content(path, instance, bind(problem)))


def write_instances(
    folder: str | os.PathLike[str],
    instances: Iterable[X],
    problem: Problem[X, Y, Z],
    format: str = "json",  # noqa: A002
) -> list[Path]:
    """Write a data set, `0000.json`, `0001.json`, …: all of it, or nothing if something fails.

    Parameters
    ----------
    folder
        A new folder, or one without instances; one that holds these very instances stays as it is.
    instances, problem
        The instances and their problem.
    format
        `json` or `npz`.

    Returns
    -------
    list of Path
        The files.
    """
    folder = Path(folder)
    if format not in FORMATS:
        raise InputError(f"no format {format!r}, expected json or npz")
    check_new_folder(folder, again=True)
    own, before = bind(problem), instances_in(folder)
    temporary = temporary_beside(folder)
    with made_folder(temporary.parent):
        try:
            temporary.mkdir()
            count = 0
            for instance in instances:
                path = temporary / f"{count:08d}.{format}"
                data = _content(path, instance, own)
                if before and (count == len(before) or before[count].read_bytes() != data):
                    raise refuse_instances(folder)
                path.write_bytes(data)
                count += 1
            if count == 0:
                raise InputError("no instance to write, expected at least one", where=str(folder))
            width = max(4, len(str(count - 1)))  # names that sort as numbers do
            names = [f"{i:0{width}d}.{format}" for i in range(count)]
            if before:
                if [path.name for path in before] != names:
                    raise refuse_instances(folder)
                return before
            for i, name in enumerate(names):
                (temporary / f"{i:08d}.{format}").rename(temporary / name)
            put(temporary, folder, names)
        except OSError as error:
            raise unwritable(folder, error) from None
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return [folder / name for name in names]


def label_path(path: Path) -> Path:
    """Return the path of an instance's label: `0001.npz` → `0001.solution.json`."""
    return path.with_name(path.stem + LABEL_SUFFIX)


def read_document(path: Path) -> Mapping[str, Any]:
    """Return the object of a JSON or npz file, whatever its keys."""
    data = read_bytes(path)
    document = parse_npz(data, path) if path.suffix == ".npz" else parse_json(data, path)
    if not isinstance(document, Mapping):
        raise InputError("not an object, expected {...}", where=str(path))
    return document


def _named_problem(document: Mapping[str, Any], path: Path) -> BoundProblem[Any, Any, Any]:
    """Return the registered problem a document names; a file never makes us import a module."""
    from colayer.problems import problem_names, registered

    if "problem" not in document:
        raise InputError("missing", where=f"{path}: problem")
    name = document["problem"]
    if not isinstance(name, str) or name not in problem_names():
        names = ", ".join(problem_names())
        said = f"no problem {short(name)}, expected one of {names}, or --problem MODULE:NAME"
        raise InputError(said, where=f"{path}: problem")
    return registered(name)


def parse_instance(document: Mapping[str, Any], problem: BoundProblem[X, Y, Z], path: Path) -> X:
    """Return the instance of a document; keys are checked here, their values by the problem."""
    check_envelope(document, problem, path)
    fields = Fields((key, document[key]) for key in document if key not in ENVELOPE)
    for key in fields if problem.fields else ():
        if key not in (*problem.fields, *problem.optional_fields):
            raise InputError(f"unknown key, expected {', '.join(problem.fields)}", where=f"{path}: {printable(key)}")
    for key in problem.fields:
        if key not in fields:
            raise InputError("missing", where=f"{path}: {key}")
    with located(path), np.errstate(over="ignore"):  # numbers that overflow are refused, not warned of
        instance: X = make_instance(problem.name, problem.need("read"), fields)
        return instance


def _content(path: Path, instance: X, problem: BoundProblem[X, Y, Z]) -> bytes:
    document = {"format": FORMAT, "problem": problem.name, **problem.need("write")(instance)}
    if path.suffix == ".json":
        return json_text(document, f"write of {problem.name}") + b"\n"
    if path.suffix == ".npz":
        return npz_bytes(document, path)
    raise InputError(f"a name that ends with {path.suffix!r}, expected .json or .npz", where=str(path))


class Fields(dict[str, Any]):
    """The problem's own keys of a document; reading a missing one raises an error that names it."""

    def __missing__(self, key: str) -> Any:
        raise InputError("missing", where=str(key))


def check_envelope(document: Mapping[str, Any], problem: BoundProblem[X, Y, Z], path: Path) -> None:
    """Refuse a document of another format or problem."""
    for key, expected in (("format", FORMAT), ("problem", problem.name)):
        if key not in document:
            raise InputError("missing", where=f"{path}: {key}")
        if type(document[key]) is not type(expected) or document[key] != expected:
            raise InputError(f"{short(document[key])}, expected {expected!r}", where=f"{path}: {key}")


@contextlib.contextmanager
def located(path: Path) -> Iterator[None]:
    """Put the file's name before the place that an error names."""
    try:
        yield
    except ColayerError as error:
        raise error.at(str(path)) from None
