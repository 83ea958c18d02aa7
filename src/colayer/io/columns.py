"""Problems that speak in tables: instances made of a user's columns, solutions as columns with the user's names.

problem.instance(jobs)               a DataFrame, a dict of columns, or the rows of a CSV file
problem.table(solution, instance)    {"job": [...], "start": [...], "completion": [...]}
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from colayer.errors import InputError
from colayer.problem.answers import described, refused
from colayer.problem.faults import calling, title
from colayer.problem.protocol import Problem, X, X_contra, Y, Z

X_co = TypeVar("X_co", covariant=True)
Z_contra = TypeVar("Z_contra", contravariant=True)

Columns = dict[str, list[Any]]


@runtime_checkable
class TakesTables(Protocol[X_co]):
    """Instances from tables of the user's."""

    def instance(self, table: Any, /, **more: Any) -> X_co:
        """The instance of a table with named columns; other tables and options by name."""


@runtime_checkable
class Tabulates(Protocol[X_contra, Z_contra]):
    """Solutions as tables."""

    def table(self, solution: Z_contra, instance: X_contra, /) -> Mapping[str, Sequence[Any]]:
        """Columns of equal length by name, in the user's words: one row per job, edge or task."""


def columns_of(problem: Problem[X, Y, Z], solution: Z, instance: X) -> Columns:
    """The solution as columns, checked: words as keys, lists of one length."""
    if not isinstance(problem, Tabulates):
        raise InputError(f"{title(problem)} has no table(solution, instance), which gives a solution as columns")
    with calling(problem, "table"):
        given = problem.table(solution, instance)
    what, expected = f"table of {title(problem)}", "a dict of columns of one length"
    try:
        columns = {name: list(values) for name, values in given.items()}
    except (AttributeError, TypeError):
        raise refused(what, given, expected) from None
    if not all(isinstance(name, str) for name in columns) or len({len(values) for values in columns.values()}) > 1:
        raise refused(what, given, expected)
    return columns


def check_instance(problem: Problem[X, Y, Z], instance: object) -> None:
    """Refuse what is no instance, where the problem says by `instance_type` what its instances are."""
    kind = getattr(problem, "instance_type", None)
    if kind is None or isinstance(instance, kind):
        return
    given = type(instance)
    said = f"an instance of {given.__module__.split('.')[2]}" if _ours(given) else described(instance)
    if hasattr(instance, "columns"):  # a DataFrame, whose repr is the whole of it
        said = f"a {given.__name__}"
    make = "make one by problem.instance(...), from lists or a table"
    if isinstance(instance, str | os.PathLike):
        make = "colayer.read_instance reads one from a file"
    raise InputError(f"{said} is not an instance of {problem.name}: {make}")


def checked_instances(problem: Problem[X, Y, Z], instances: Iterable[X]) -> list[X]:
    """The instances as a list; one alone, and what is no instance, is refused."""
    kind = getattr(problem, "instance_type", None)
    if kind is not None and isinstance(instances, kind):
        raise InputError("one instance, expected a list of them", where="instances")
    if kind is not None and (hasattr(instances, "columns") or isinstance(instances, str | Mapping)):
        said = f"a {type(instances).__name__}, expected a list of instances, each made by problem.instance(...)"
        raise InputError(said, where="instances")
    listed = list(instances)
    for instance in listed:
        check_instance(problem, instance)
    return listed


def _ours(kind: type) -> bool:
    return kind.__module__.startswith("colayer.problems.")
