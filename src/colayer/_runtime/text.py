"""Words for messages: values and errors on one line, not too long, cut between words; how numbers are written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from colayer.errors import Terminated

#: What stands for a value there is none of (no bound, no gap).
MISSING = "-"
_ROUNDING = 1e-9  # of a gap
#: How a formula of a spreadsheet begins; a sign before numbers alone is none.
_FORMULA = re.compile(r"\s*[=@]|[\t\r]|[+-](?![\d.,%±eE\s+-]*$)")

#: What ends everything, wherever it arrives.
_ENDS = (KeyboardInterrupt, Terminated)


def shortened(text: str, most: int) -> str:
    """Return `text` in at most `most` characters, cut after a word where it has blanks."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    word_end = kept.rfind(" ")
    return (kept[:word_end] if word_end > most // 2 else kept).rstrip() + "…"


def short(value: object) -> str:
    """Return the repr of a value in a line of at most 40 characters; its type where it has no repr."""
    try:
        text = repr(value)
        return shortened(" ".join(text.split()) if "\n" in text else text, 40)
    except _ENDS:
        raise
    except BaseException:  # a class of the user's
        return f"<{type(value).__name__}>"


def printable(text: str) -> str:
    """Return a text fit for one line of a message: its repr where it is long or holds control characters."""
    return text if text.isprintable() and len(text) <= 60 else short(text)


def one_line(text: str) -> str:
    """Return a text on one line: control characters, line ends among them, as Python writes them."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def inert(value: Any) -> Any:
    """Return a cell of a CSV file: a word on one line, an apostrophe first where a spreadsheet would run it."""
    if not isinstance(value, str):
        return value
    return one_line(f"'{value}" if _FORMULA.match(value) else value)


def first_line(error: BaseException) -> str:
    """Return the first line of what an exception says; its type where it says nothing."""
    try:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    except _ENDS:
        raise
    except BaseException:  # a class of the user's
        lines = []
    return shortened(lines[0], 120) if lines else type(error).__name__


def typed_line(error: BaseException) -> str:
    """Return the type of an exception and its first line."""
    said = first_line(error)
    return said if said == type(error).__name__ else f"{type(error).__name__}: {said}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `1 instance`, `2 instances`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def one_of(text: str, known: Sequence[str]) -> str:
    """Return the names to choose from, a near match first where there is one."""
    import difflib

    near = difflib.get_close_matches(text, known, 1)
    if not near or len(known) == 1:
        return ", ".join(known)
    return f"{near[0]} (or {', '.join(name for name in known if name != near[0])})"


def significant(number: float | None, digits: int = 3) -> str:
    """Return `digits` significant digits without an exponent, never fewer digits than the whole part has."""
    if number is None:
        return MISSING
    if not math.isfinite(number):
        return str(number)
    if number == 0:
        return "0"
    # the exponent after rounding: 9.996 has one digit before the point, 10.0 has two
    exponent = int(f"{abs(number):.{digits - 1}e}".partition("e")[2])
    return f"{number:.{max(0, digits - 1 - exponent)}f}"


def percent(fraction: float | None, digits: int = 3) -> str:
    """Write a gap: 0.00112 is `0.112 %`; what rounding leaves of equal numbers is `0 %`."""
    if fraction is None:
        return MISSING
    return significant(100 * fraction if abs(fraction) > _ROUNDING else 0.0, digits) + " %"


def duration(seconds: float | None, digits: int = 3) -> str:
    """Write a time: `0.0123 ms`, `4.56 ms`, `7.89 s`, `12.3 min`, `4.56 h`."""
    if seconds is None:
        return MISSING
    for limit, unit, name in ((1.0, 1e-3, "ms"), (120.0, 1.0, "s"), (7200.0, 60.0, "min")):
        if seconds < limit:
            return f"{significant(seconds / unit, digits)} {name}"
    return f"{significant(seconds / 3600, digits)} h"
