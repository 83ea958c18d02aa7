"""What is refused as an instance: by its class, where a problem says what that is, and by the methods that make one.

What a method refuses or returns wrongly is about an instance, and whoever knows its number names it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from colayer._runtime.text import typed_line
from colayer.errors import ColayerError, InputError
from colayer.problem.guard import described, listed

X = TypeVar("X")

#: What a method of the user's raises where a document or a table is not what it expects.
_NOT_ONE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


def check_instance(name: str, kind: type | None, instance: object) -> None:
    """Refuse anything but an instance, of class `kind`, of the problem `name`."""
    if kind is None or isinstance(instance, kind):
        return
    given = type(instance)
    ours = given.__module__.startswith("colayer.problems.")
    said = f"an instance of {given.__module__.split('.')[2]}" if ours else described(instance)
    if hasattr(instance, "columns"):  # a DataFrame, whose repr is the whole of it
        said = f"a {given.__name__}"
    make = "make one by problem.instance(...), from lists or a table"
    if isinstance(instance, str | os.PathLike):
        make = "colayer.read_instance reads one from a file"
    raise InputError(f"{said} is not an instance of {name}: {make}")


def check_instances(name: str, kind: type | None, instances: Iterable[X]) -> list[X]:
    """Return the instances as a list; refuse a single one, and anything that is not an instance."""
    if kind is not None and isinstance(instances, kind):
        raise InputError("one instance, expected a list of them", where="instances")
    if kind is not None and (hasattr(instances, "columns") or isinstance(instances, str | Mapping)):
        said = f"a {type(instances).__name__}, expected a list of instances, each made by problem.instance(...)"
        raise InputError(said, where="instances")
    found = listed(instances, "a list of instances", "instances")
    for instance in found:
        check_instance(name, kind, instance)
    return found


def make_instance(name: str, make: Callable[..., X], given: Any, **more: Any) -> X:
    """Return the instance that `read` or `instance` of the problem `name` makes of `given`."""
    try:
        return make(given, **more)
    except ColayerError:
        raise
    except _NOT_ONE as error:
        raise InputError(f"not an instance of {name} ({typed_line(error)})") from None


@contextmanager
def numbering(instances: Sequence[object]) -> Iterator[None]:
    """Name the instance that an error is about by its place: `instance 17: …`."""
    try:
        yield
    except InputError as error:
        place = _place(error, instances)
        if place is None:
            raise
        raise error.at(f"instance {place}") from error.__cause__


@contextmanager
def placing(instances: Sequence[object]) -> Iterator[None]:
    """Let errors that go to another process say the place of their instance, in place of the instance itself."""
    try:
        yield
    except ColayerError as error:
        error.instance = _place(error, instances)
        raise


@contextmanager
def restoring(instances: Sequence[object]) -> Iterator[None]:
    """Give errors that come from `placing` in another process their instance back."""
    try:
        yield
    except ColayerError as error:
        if error.instance is not None:
            error.instance = instances[error.instance]
        raise


def _place(error: ColayerError, instances: Sequence[object]) -> int | None:
    if error.instance is None:
        return None
    return next((i for i, one in enumerate(instances) if one is error.instance), None)
