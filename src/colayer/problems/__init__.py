"""The built-in problems, by class and by registered name. Heavy modules are imported on demand."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from colayer._runtime.text import typed_line
from colayer.errors import OptionError

if TYPE_CHECKING:
    from colayer.problem.bind import BoundProblem
    from colayer.problem.protocol import SomeProblem
    from colayer.problems.dynamic_routing import DynamicRouting
    from colayer.problems.dynamic_vehicle_scheduling import DynamicVehicleScheduling
    from colayer.problems.single_machine import SingleMachine
    from colayer.problems.spanning_tree import SpanningTree
    from colayer.problems.vehicle_scheduling import VehicleScheduling

__all__ = [
    "DynamicRouting",
    "DynamicVehicleScheduling",
    "SingleMachine",
    "SpanningTree",
    "VehicleScheduling",
    "find_problem",
    "problem_names",
]

#: registered name → where its class lives. A new problem adds one line here.
REGISTRY = {
    "single-machine": "colayer.problems.single_machine:SingleMachine",
    "spanning-tree": "colayer.problems.spanning_tree:SpanningTree",
    "vehicle-scheduling": "colayer.problems.vehicle_scheduling:VehicleScheduling",
    "dynamic-vehicle-scheduling": "colayer.problems.dynamic_vehicle_scheduling:DynamicVehicleScheduling",
    "dynamic-routing": "colayer.problems.dynamic_routing:DynamicRouting",
}
#: registered name → columns by which a CSV file is known to be of this problem; see `instance` of each.
COLUMNS = {
    "single-machine": ("release", "processing"),
    "spanning-tree": ("from", "to", "first"),
    "vehicle-scheduling": ("begin", "end"),
}
_CLASSES = {target.partition(":")[2]: target for target in REGISTRY.values()}


def problem_names() -> tuple[str, ...]:
    """Return the registered names, in the order of the documentation."""
    return tuple(REGISTRY)


def find_problem(name: str, **options: Any) -> SomeProblem:
    """Return the problem called `name`.

    Parameters:
        name: A registered name, or `MODULE:NAME` for a problem class or object of your own.
    """
    from colayer.problem.bind import bind

    target = REGISTRY.get(name, name)
    module_name, colon, attribute = target.partition(":")
    if not colon:
        known = ", ".join(REGISTRY)
        raise OptionError(f"no problem {name!r}, expected one of {known}, or MODULE:NAME", where="PROBLEM")
    found = _load(module_name, attribute, name)
    if isinstance(found, type):
        try:
            found = found()
        except TypeError as error:
            raise OptionError(f"{name} cannot be made without arguments ({error})", where="PROBLEM") from None
    problem: SomeProblem = bind(found).variant(**options).problem if options else found
    return problem


@cache
def registered(name: str) -> BoundProblem[Any, Any, Any]:
    """Return the registered problem of this name, bound, with its default options."""
    from colayer.problem.bind import bind

    return bind(find_problem(name))


def _load(module_name: str, attribute: str, name: str) -> Any:
    from colayer.problem.guard import OWN_FOLDERS

    here = str(Path.cwd())
    if name not in REGISTRY and here not in sys.path:  # a user's problem lives beside their data
        sys.path.append(here)
    try:
        with _forbid_exit():
            module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise OptionError(f"{name}: module {module_name!r} needs {error.name!r}", where="PROBLEM") from error
        raise OptionError(f"{name}: there is no module {module_name!r}", where="PROBLEM") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # anything that the user's module raises on import
        raise OptionError(f"{name}: importing {module_name!r} failed ({typed_line(error)})", where="PROBLEM") from error
    try:
        found = getattr(module, attribute)
    except AttributeError:
        raise OptionError(f"{name}: module {module_name!r} has no {attribute!r}", where="PROBLEM") from None
    if module.__file__ is not None and module_name.partition(".")[0] != "colayer":
        OWN_FOLDERS[str(Path(module.__file__).parent)] = name
    return found


@contextmanager
def _forbid_exit() -> Iterator[None]:
    """Raise an exception if a module calls `os._exit` while it is imported: it would end us without a word."""

    def refuse(status: int) -> NoReturn:
        raise SystemExit(f"os._exit({status})")

    before, os._exit = os._exit, refuse
    try:
        yield
    finally:
        os._exit = before


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name in _CLASSES:
        module_name, _, attribute = _CLASSES[name].partition(":")
        return getattr(importlib.import_module(module_name), attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
