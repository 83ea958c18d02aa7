"""Passes over all arcs and scenarios, by threads: each writes the entries of its own tails."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from colayer.cores import cores

_SMALL = 1_000_000  # arcs × scenarios: below, threads cost more than they save
_CHUNKS = 8  # per thread: enough to even out the work


def by_tails(work: Callable[[int, int], None], indptr: NDArray[np.int64], scenarios: int) -> None:
    """Call work(low, high) so as to cover the tails 0 … n − 1, in chunks of about equal numbers of arcs."""
    n = len(indptr) - 1
    threads = cores()
    if threads == 1 or int(indptr[-1]) * scenarios < _SMALL:
        work(0, n)
        return
    marks = np.linspace(0, indptr[-1], _CHUNKS * threads + 1)
    cuts = np.unique(np.concatenate([[0, n], np.searchsorted(indptr, marks)])).clip(0, n).tolist()
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, cuts[:-1], cuts[1:]):
            pass
