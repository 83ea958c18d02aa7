"""What the methods of a problem share about an instance, computed once: an LP, a distance matrix."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

#: Instances whose results are kept: more than a training set has, and not all that a service ever solves.
MOST = 4096


class PreparedCache:
    """Results by instance, told apart by identity: an instance that is gone takes its result with it.

    What cannot be referred to weakly, a list or a tuple, is kept alive until `MOST` others have come. Threads may share
    it. A copy of it, in another process say, is empty.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # the end of an instance may come at any time, in this thread too
        self._kept: dict[int, tuple[Callable[[], Any], Any]] = {}

    def __reduce__(self) -> tuple[type[PreparedCache], tuple[()]]:
        return PreparedCache, ()

    def get(self, instance: Any, prepare: Callable[[Any], Any]) -> Any:
        """Return `prepare(instance)`, computed where it is not known; of two threads that do, the first counts."""
        key = id(instance)
        kept = self._kept.get(key)
        if kept is not None and kept[0]() is instance:
            return kept[1]
        value = prepare(instance)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept[0]() is instance:
                return kept[1]
            self._kept[key] = (self._reference(instance, key), value)
            if len(self._kept) > MOST:
                del self._kept[next(iter(self._kept))]
        return value

    def _reference(self, instance: Any, key: int) -> Callable[[], Any]:
        try:
            return weakref.ref(instance, lambda gone: self._forget(gone, key))
        except TypeError:
            return lambda: instance

    def _forget(self, gone: Callable[[], Any], key: int) -> None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept[0] is gone:  # else the place is another instance's by now
                del self._kept[key]
