"""The sizes that a problem's generator takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.text import short
from colayer.errors import OptionError


@dataclass(frozen=True)
class Size:
    """A size of generated instances: `colayer generate PROBLEM DIR --NAME VALUE`.

    Parameters
    ----------
    name
        The argument of `generate`.
    kind
        `int`, `float`, or `str` with `choices`.
    default
        The value without the option.
    help
        The help text of the option.
    minimum
        The least value, if there is one.
    choices
        The words to choose from, if the size is a word.
    """

    name: str
    kind: type
    default: Any
    help: str
    minimum: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """Return the name as the command line spells it."""
        return "--" + self.name.replace("_", "-")

    def mistake(self) -> str | None:
        """Return in a sentence what is wrong with the size itself; None if nothing is."""
        if not isinstance(self.name, str) or not self.name.isidentifier():
            return f"{short(self.name)} is not the name of an argument of generate"
        if not isinstance(self.help, str):
            return f"the help of {self.name} is {short(self.help)}, expected text"
        if not isinstance(self.choices, tuple | list) or not all(isinstance(word, str) for word in self.choices):
            return f"the choices of {self.name} are {short(self.choices)}, expected a tuple of words"
        if self.choices:
            said = f"the default of {self.name} is {short(self.default)}, expected one of {', '.join(self.choices)}"
            return None if self.default in self.choices else said
        if self.kind not in (int, float):
            return f"the kind of {self.name} is {short(self.kind)}, expected int or float, or choices"
        numbers = (int, np.integer) if self.kind is int else (int, float, np.integer, np.floating)
        for word, value in (("default", self.default), ("minimum", self.minimum)):
            if value is None and word == "minimum":
                continue
            kinds = numbers if word == "default" else (int, float, np.integer, np.floating)
            if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
                return f"the {word} of {self.name} is {short(value)}, expected a number ({self.kind.__name__})"
        if self.minimum is not None and self.default < self.minimum:
            return f"the default of {self.name} is {self.default}, less than its minimum {self.minimum}"
        return None

    def parse(self, text: str) -> Any:
        """Return the value of one command-line word, checked."""
        if self.choices:
            if text not in self.choices:
                raise OptionError(f"{short(text)}, expected one of {', '.join(self.choices)}", where=self.option)
            return text
        try:
            value = self.kind(text)
            finite = math.isfinite(value)
        except (ValueError, OverflowError):
            kind = "a whole number" if self.kind is int else "a number"
            raise OptionError(f"{short(text)} is not {kind}", where=self.option) from None
        if not finite or (self.minimum is not None and value < self.minimum):
            least = "a finite number" if self.minimum is None else f"at least {self.minimum:g}"
            raise OptionError(f"{short(value)} is out of range, expected {least}", where=self.option)
        return value
