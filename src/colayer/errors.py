"""Typed errors. Everything colayer raises on purpose is a `ColayerError`.

The command line turns a `ColayerError`, and an exception raised in a user's file, into one line on stderr,
`error: WHERE: what is wrong`, and exit status 2. Any other exception is a fault of ours and ends with status 1. Where
an option is named, Python names the argument.
"""

from __future__ import annotations

import re
from typing import Any

#: A message that begins with the value of the argument.
_VALUE = re.compile(r"('[^']*'?|-?[\d.][\w.+-]*|-?inf|nan|True|False|None) is (out of range|not |no )")


class ColayerError(Exception):
    """The base class of the errors a user can act upon."""

    #: The instance that the error is about, until its number is in `where` (see `problem.instances.numbering`).
    instance: Any = None

    def __init__(self, message: str, *, where: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where

    def at(self, where: str) -> ColayerError:
        """Return the same error with `where` put before the place it names."""
        return type(self)(self.message, where=f"{where}: {self.where}" if self.where else where)

    @property
    def line(self) -> str:
        """What the command line prints, with options as typed: `--samples: -1 is out of range`."""
        return f"{self.where}: {self.message}" if self.where else self.message

    def __str__(self) -> str:
        """Return what Python prints, with arguments as written: `samples=-1 is out of range`."""
        if self.where is None or not self.where.startswith("--"):
            return self.line
        argument = self.where[2:].replace("-", "_")
        return f"{argument}{'=' if _VALUE.match(self.message) else ': '}{self.message}"


class InputError(ColayerError, ValueError):
    """A file, field or argument is not as expected; `where` names it (`FILE`, `field[index]`)."""


class OptionError(ColayerError, ValueError):
    """An option value cannot be used; `where` is the option as typed (`--rho`), shown in Python as `rho`."""


class JournalError(ColayerError):
    """A journal belongs to another run, or has damaged lines."""


class TimeOver(ColayerError):  # noqa: N818  no error: a solve catches it and returns what it has
    """The time of a solve is over in the midst of a long step."""


class Terminated(BaseException):
    """SIGTERM as an exception, so that the program ends in order and leaves no process behind."""


class MissingExtraError(ColayerError, ImportError):
    """A feature needs an optional dependency; the message names the pip command."""


def need_extra(package: str, what: str, extra: str, *, where: str | None = None) -> None:
    """Import an optional package; if it is missing, raise an error that names the pip command."""
    import importlib

    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != package.partition(".")[0]:
            raise
        raise MissingExtraError(f"{what}: pip install 'colayer[{extra}]'", where=where) from None
