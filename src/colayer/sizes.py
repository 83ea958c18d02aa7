"""The sizes that a problem's generator takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from colayer.errors import OptionError
from colayer.text import short


@dataclass(frozen=True)
class Size:
    """A size that `generate` takes: `colayer generate PROBLEM DIR --NAME VALUE`."""

    name: str
    kind: type
    default: Any
    help: str
    minimum: float | None = None
    #: Where the size is a word (`kind` is str): those to choose from.
    choices: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """How the command line spells it."""
        return "--" + self.name.replace("_", "-")

    def parse(self, text: str) -> Any:
        """The value of one command-line word, checked."""
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
