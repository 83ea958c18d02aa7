"""Losses for learning by demonstration: values and gradients with respect to θ, for one instance; one per file."""

from __future__ import annotations

from colayer.errors import OptionError
from colayer.learning.losses.base import Demonstration, Example
from colayer.learning.losses.crf import Crf
from colayer.learning.losses.fenchel_young import FenchelYoung, fenchel_young, multiplicative_fenchel_young
from colayer.learning.losses.hinge import Hinge, hinge
from colayer.learning.losses.spo import SpoPlus, spo_plus

__all__ = [
    "Crf",
    "Demonstration",
    "Example",
    "FenchelYoung",
    "Hinge",
    "SpoPlus",
    "demonstration_named",
    "demonstration_names",
    "fenchel_young",
    "hinge",
    "multiplicative_fenchel_young",
    "spo_plus",
]

_METHODS: dict[str, type[Demonstration]] = {kind.name: kind for kind in (FenchelYoung, Hinge, Crf, SpoPlus)}


def demonstration_names() -> tuple[str, ...]:
    """The names of the methods, the default first."""
    return tuple(_METHODS)


def demonstration_named(name: str) -> Demonstration:
    """The method called `name`, with its default options."""
    if name not in _METHODS:
        raise OptionError(f"no method {name!r}, expected one of {', '.join(_METHODS)}", where="--method")
    return _METHODS[name]()
