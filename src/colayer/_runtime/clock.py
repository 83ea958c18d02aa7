"""A clock that stands still while kernels are compiled or read from the cache, which happens once.

All times that are reported, and all time limits, are by it. Python's garbage collector waits meanwhile: the compiler
makes millions of objects that live until it is done.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import sys
import time
from typing import Any

from numba.core.event import Listener, register

from colayer._runtime.signals import stop_if_asked

#: Who waits is told here, once in a process.
LOG = logging.getLogger("colayer.compiling")
#: Seconds of compiling before that, at a terminal and elsewhere.
_PATIENCE = 0.5, 2.0


def _at_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _Clock(Listener):
    """Numba lets one thread at a time compile or read what was compiled: these calls never overlap."""

    def __init__(self) -> None:
        self._depth, self._compiling, self._begin, self._compiled, self._said = 0, 0, 0.0, 0.0, False
        self._collected = False  # whether garbage was, before
        self._state: tuple[float | None, float] = (None, 0.0)  # since when it stands still, for how long it did before

    def seconds(self) -> float:
        """Return the time on the clock; never less than before."""
        since, still = self._state
        return (time.monotonic() if since is None else since) - still

    def stop(self) -> None:
        """Stand still."""
        if self._depth == 0:
            self._state = (time.monotonic(), self._state[1])
        self._depth += 1

    def go(self) -> None:
        """Go on, once this was called as often as `stop`."""
        self._depth -= 1
        since, still = self._state
        if self._depth == 0 and since is not None:
            self._state = (None, still + time.monotonic() - since)

    def on_start(self, event: Any) -> None:
        """Stop while numba compiles a kernel that was not in the cache."""
        if self._compiling == 0:
            self._begin, self._collected = time.monotonic(), gc.isenabled()
            gc.disable()
        self._compiling += 1
        self.stop()

    def on_end(self, event: Any) -> None:
        """Go on once it is compiled."""
        self._compiling -= 1
        if self._compiling == 0:
            self._compiled += time.monotonic() - self._begin
            if self._collected:
                gc.enable()
                gc.collect(0)  # all that the compiler made is young: the next object would bring it about
        self.go()
        if not self._said and self._compiled > _PATIENCE[not _at_terminal()]:
            self._said = True
            if multiprocessing.parent_process() is None:
                LOG.warning("compiling kernels, once: about 10 s")
        stop_if_asked()  # the compiler may have swallowed Ctrl-C

    def compiled(self) -> float:
        """Return the seconds of compiling so far, in this process."""
        return self._compiled


the_clock = _Clock()
register("numba:compile", the_clock)  # type: ignore[no-untyped-call]

clock = the_clock.seconds
