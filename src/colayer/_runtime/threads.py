"""Threads of this process: how many there may be, and work shared between them.

`workers` bounds all parallelism. Work that runs in one of several threads sees a limit of 1, so that kernels which
share their own work between threads do not multiply.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.deadline import deadline, look, set_deadline

T = TypeVar("T")
R = TypeVar("R")

_here = threading.local()
#: Looks at a deadline in work of the size `least` from which threads share it.
_LOOKS = 4


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def allowed() -> int:
    """Return how many threads work started here may use: the limit of the innermost `limited` block, else all cores."""
    limit: int | None = getattr(_here, "limit", None)
    return cores() if limit is None else limit


class limited:  # noqa: N801  reads as a verb: `with limited(2):`
    """Bound the threads of everything that this thread calls in the block; None leaves the bound as it is."""

    def __init__(self, workers: int | None) -> None:
        self._workers = workers

    def __enter__(self) -> None:
        self._before = getattr(_here, "limit", None)
        if self._workers is not None:
            _here.limit = self._workers

    def __exit__(self, *_: object) -> None:
        _here.limit = self._before


def use_one_thread(end: float = math.inf) -> None:
    """Let all that this thread calls from now on use one thread, and look at the deadline `end`."""
    _here.limit = 1
    set_deadline(end)


class Threads:
    """`workers` threads (`allowed()` if None) that map work over items; with one, the work runs in this thread."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or allowed()
        begin = partial(use_one_thread, deadline())
        self._pool = ThreadPoolExecutor(self.workers, initializer=begin) if self.workers > 1 else None

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Return `work(item)` of each item, in order; raise the first exception and drop work that has not begun."""
        if self._pool is None:
            with limited(1):
                return [work(item) for item in items]
        return list(self._pool.map(work, items))

    def spans(self, work: Callable[[int, int], None], cuts: Sequence[int]) -> None:
        """Call `work(low, high)` for each pair of neighbours in `cuts`."""
        self.map(lambda span: work(*span), itertools.pairwise(cuts))

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def even_cuts(before: NDArray[np.int64], parts: int) -> list[int]:
    """Cut items into at most `parts` spans of about equal work; `before` is the work before each item, and in all."""
    marks = np.linspace(before[0], before[-1], parts + 1)
    ends = [0, len(before) - 1]
    cuts: list[int] = np.unique(np.concatenate([ends, np.searchsorted(before, marks)])).clip(0, ends[1]).tolist()
    return cuts


def share(
    work: Callable[[int, int], None], before: NDArray[np.int64], *, least: int, workers: int | None = None
) -> None:
    """Call work(low, high) so as to cover all items, by `workers` threads, if the work is at least `least` in all.

    `before` is that of `even_cuts`; there are several spans per thread, which evens out what they take. Under a
    deadline they are short, and each begins with a look at it.
    """
    threads = workers or allowed() if before[-1] >= least else 1
    parts = 8 * threads if threads > 1 else 1
    if deadline() < math.inf:
        parts = max(parts, math.ceil(_LOOKS * float(before[-1]) / least))
    if parts == 1:
        work(0, len(before) - 1)
        return

    def watched(low: int, high: int) -> None:
        look()
        work(low, high)

    with Threads(threads) as pool:
        pool.spans(watched, even_cuts(before, parts))
