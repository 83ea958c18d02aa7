"""Pickle problems and instances for the nodes of a cluster.

A module of the user's own need not be there: what it defines travels with the data, so that the nodes run the code that
was meant, not the copy they may have. Installed packages are imported on the nodes; Ray also looks for modules in the
folders in which this process does.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from colayer.errors import InputError
from colayer.evaluators.ray.connection import ray_module


class Shipper:
    """Pickles what belongs to one problem."""

    def __init__(self, problem: object, instances: Sequence[object]) -> None:
        kinds = {type(problem), *(type(x) for x in instances)}
        roots = {kind.__module__.partition(".")[0] for kind in kinds}
        self._modules = [module for root in sorted(roots) if (module := sys.modules.get(root)) and _is_own(module)]

    def pickled(self, thing: object) -> bytes:
        """Return the bytes of a problem, or of instances; the user's own modules by value where possible."""
        cloudpickle = ray_module("ray.cloudpickle")
        if self._modules:
            try:
                with _by_value(self._modules):
                    return bytes(cloudpickle.dumps(thing))
            except Exception:  # a lock or an open file among its globals: the nodes must then import the module
                self._modules = []
        try:
            return bytes(cloudpickle.dumps(thing))
        except Exception as error:
            raise InputError(f"{type(thing).__name__} cannot travel to other machines ({error})") from error


@contextmanager
def _by_value(modules: Sequence[ModuleType]) -> Iterator[None]:
    cloudpickle = ray_module("ray.cloudpickle")
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _is_own(module: ModuleType) -> bool:
    """Return whether a module lies outside of what is installed, and is not this package."""
    # a folder without __init__.py is a module without a file
    place = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if module.__name__ in ("colayer", "__main__") or not place:
        return False
    file = Path(str(place)).resolve()
    installed = {Path(path).resolve() for path in sysconfig.get_paths().values()}
    return not any(file.is_relative_to(folder) for folder in installed)
