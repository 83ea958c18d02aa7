"""Ctrl-C and SIGTERM as exceptions that nothing swallows.

Numba compiles in callbacks of LLVM, from which no exception comes out: one raised there is lost, or returns as another.
So a signal is remembered: the clock asks after each kernel that was compiled, the command line when all has ended.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from colayer.errors import Terminated

_asked: type[BaseException] | None = None
_listening = False


def asked() -> type[BaseException] | None:
    """Return the exception of the signal that arrived in the block of `stopping`; None if none did."""
    return _asked


def stop_if_asked() -> None:
    """Raise the exception of a signal that arrived in the block of `stopping`, once more, while it lasts."""
    if _listening and _asked is not None:
        raise _asked


@contextmanager
def stopping() -> Iterator[None]:
    """Raise KeyboardInterrupt on Ctrl-C in the block, `Terminated` on SIGTERM, and remember them.

    Outside the main thread nothing is changed; Ctrl-C that is ignored, or that others handle, is left to them.
    """
    global _asked, _listening
    _asked = None
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    errors: dict[signal.Signals, type[BaseException]] = {signal.SIGTERM: Terminated}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        errors[signal.SIGINT] = KeyboardInterrupt

    def stop(number: int, frame: Any) -> None:
        global _asked
        _asked = errors[signal.Signals(number)]
        raise _asked

    def unraisable(lost: Any) -> None:
        if not isinstance(lost.exc_value, tuple(errors.values())):
            told(lost)

    told, sys.unraisablehook = sys.unraisablehook, unraisable  # what is lost is raised again: no need to tell
    before = {number: signal.signal(number, stop) for number in errors}
    _listening = True
    try:
        yield
    finally:
        _listening = False
        sys.unraisablehook = told
        for number, handler in before.items():
            signal.signal(number, handler)
