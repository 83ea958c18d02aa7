"""Threads for passes over all arcs and scenarios; each thread writes the entries of its own tails."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.threads import Threads, allowed, even_cuts

_SMALL = 1_000_000  # arcs × scenarios: below, threads cost more than they save
_CHUNKS = 8  # per thread: enough to even out the work


def run_over_tails(work: Callable[[int, int], None], indptr: NDArray[np.int64], scenarios: int) -> None:
    """Call work(low, high) so as to cover the tails 0 … n − 1, in chunks of about equal numbers of arcs."""
    threads = allowed()
    if threads == 1 or int(indptr[-1]) * scenarios < _SMALL:
        work(0, len(indptr) - 1)
        return
    with Threads(threads) as pool:
        pool.spans(work, even_cuts(indptr, _CHUNKS * threads))
