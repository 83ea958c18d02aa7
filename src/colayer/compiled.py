"""`njit`, numba's, with a cache that never stands in the way: one that cannot be written or read is done without.

Kernels import it from here. They are `@njit(cache=True, nogil=True)`: compiled when first called, then kept beside
their module, in the user's cache folder, or where NUMBA_CACHE_DIR says.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
from numba.core.caching import FunctionCache

_log = logging.getLogger(__name__)
_said: set[str] = set()


class _SoundCache(FunctionCache):
    """A cache on disk whose damaged or unwritable files are no worse than none."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled before, or None: then it is compiled again."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # truncated, of another version, unreadable: whatever the file holds
            _say(f"kernels that were kept cannot be read ({type(error).__name__}): they are compiled again")
            with suppress(Exception):
                self.flush()  # an index that is damaged would not take new ones either
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where that can be done."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a full disk, a damaged index
            _say(f"kernels cannot be kept ({type(error).__name__}: {error}): they are compiled again next time")


def njit(**options: Any) -> Any:
    """`numba.njit(**options)`; where there is no place for a cache, without one."""

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            kernel = numba.njit(**options)(function)
            if options.get("cache"):
                kernel._cache = _SoundCache(kernel.py_func)
        except RuntimeError:  # numba found no folder that it can write to
            _say(
                "there is no folder for compiled kernels: each process compiles them anew. "
                "Set NUMBA_CACHE_DIR to a folder that can be written to"
            )
            kernel = numba.njit(**{**options, "cache": False})(function)
        return kernel

    return compiled


def _say(message: str) -> None:
    if message not in _said:
        _said.add(message)
        _log.warning(message)
