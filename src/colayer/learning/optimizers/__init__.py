"""Black-box optimisers for learning by experience, one per file."""

from __future__ import annotations

from colayer.errors import OptionError
from colayer.learning.optimizers.auto import Auto
from colayer.learning.optimizers.base import Optimizer, Task
from colayer.learning.optimizers.cma_es import CmaEs
from colayer.learning.optimizers.direct import Direct
from colayer.learning.optimizers.sgd import Sgd

__all__ = ["Auto", "CmaEs", "Direct", "Optimizer", "Sgd", "Task", "method_named", "method_names"]

_METHODS: dict[str, type[Auto] | type[CmaEs] | type[Direct] | type[Sgd]] = {
    "auto": Auto,
    "cma-es": CmaEs,
    "direct": Direct,
    "sgd": Sgd,
}


def method_names() -> tuple[str, ...]:
    """The names of the methods, the default first."""
    return tuple(_METHODS)


def method_named(name: str) -> Optimizer:
    """The method called `name`, with its default options."""
    if name not in _METHODS:
        raise OptionError(f"no method {name!r}, expected one of {', '.join(_METHODS)}", where="--method")
    return _METHODS[name]()
