"""Black-box optimisers for learning by experience, one per file."""

from __future__ import annotations

from colayer.errors import OptionError
from colayer.learning.optimizers.auto import Auto
from colayer.learning.optimizers.base import Optimizer, Task
from colayer.learning.optimizers.bayes import Bayes, need_botorch
from colayer.learning.optimizers.cma_es import CmaEs
from colayer.learning.optimizers.direct import Direct
from colayer.learning.optimizers.sgd import Sgd

__all__ = ["Auto", "Bayes", "CmaEs", "Direct", "Optimizer", "Sgd", "Task", "method_named", "method_names"]

_METHODS: dict[str, type[Auto] | type[CmaEs] | type[Direct] | type[Sgd]] = {
    "auto": Auto,
    "cma-es": CmaEs,
    "direct": Direct,
    "sgd": Sgd,
}
#: Methods that an extra brings, and what raises an error that names it where it is missing.
_EXTRAS = {"bayes": (Bayes, need_botorch)}


def method_names(*, extras: bool = False) -> tuple[str, ...]:
    """The names of the methods, the default first; with `extras` also of those that need one."""
    return (*_METHODS, *(_EXTRAS if extras else ()))


def method_named(name: str) -> Optimizer:
    """The method called `name`, with its default options."""
    if name in _EXTRAS:
        kind, need = _EXTRAS[name]
        need()  # before a journal is begun
        return kind()
    if name not in _METHODS:
        known = ", ".join(method_names(extras=True))
        raise OptionError(f"no method {name!r}, expected one of {known}", where="--method")
    return _METHODS[name]()
