"""Checks of the options of learners; an error names the option and `--method`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from colayer.errors import OptionError


def positive(learner: object, *keys: str) -> None:
    """Refuse options that are not positive, finite numbers."""
    for key in keys:
        value = getattr(learner, key)
        if value is not None and not 0.0 < value < math.inf:
            raise OptionError(f"{key} {value} is out of range, expected a positive number", where="--method")


def at_least_one(learner: object, *keys: str) -> None:
    """Refuse options that count something and are less than 1; None is fine."""
    for key in keys:
        value = getattr(learner, key)
        if value is not None and value < 1:
            raise OptionError(f"{key} {value} is out of range, expected at least 1", where="--method")


def one_of(learner: object, key: str, known: Sequence[str]) -> None:
    """Refuse an option that is none of the words known."""
    value = getattr(learner, key)
    if value not in known:
        raise OptionError(f"no {key} {value!r}, expected one of {', '.join(known)}", where="--method")
