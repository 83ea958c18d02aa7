"""A deadline for what this thread, and the threads it starts, compute: long work looks at it between its parts."""

from __future__ import annotations

import math
import threading

from colayer._runtime.clock import clock
from colayer.errors import TimeOver

_here = threading.local()


def deadline() -> float:
    """Return the time on the clock at which work started here should end; infinite where there is none."""
    end: float = getattr(_here, "end", math.inf)
    return end


def set_deadline(end: float) -> None:
    """Set the deadline of this thread."""
    _here.end = end


class until:  # noqa: N801  reads as a preposition: `with until(end):`
    """Let `look` raise in the block once it is `end` on the clock, or the deadline around it."""

    def __init__(self, end: float) -> None:
        self._end = end

    def __enter__(self) -> None:
        self._before = deadline()
        set_deadline(min(self._end, self._before))

    def __exit__(self, *_: object) -> None:
        set_deadline(self._before)


def look(expected: float = 0.0) -> None:
    """Raise `TimeOver` if work of so many expected seconds would not be done by the deadline."""
    end = deadline()
    if end < math.inf and clock() + expected > end:
        raise TimeOver("the time is over")
