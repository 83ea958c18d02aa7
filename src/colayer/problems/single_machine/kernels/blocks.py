"""Busy blocks: jobs between two moments at which a schedule that never waits has nothing to do."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit


@njit(cache=True, nogil=True)
def sizes_into(r: Floats, p: Floats, by_release: Ints, sequence: Ints, unit: float, out: Floats) -> None:
    """Compute four sizes of each job, (4, n): p, the jobs of its busy block after it in the sequence, the gap behind
    the block, and the number of jobs in the next block.

    Blocks are those of any schedule that never waits, here the one by release date: a job that is released after all
    earlier ones are done begins a block. Times are divided by the unit. O(n).
    """
    n = len(r)
    block, size, behind = np.empty(n, np.int64), np.zeros(n + 1, np.int64), np.zeros(n + 1)
    number, end = -1, -np.inf
    for j in by_release:
        if r[j] > end:
            if number >= 0:
                behind[number] = (r[j] - end) / unit
            number += 1
        end = max(r[j], end) + p[j]
        block[j] = number
        size[number] += 1
    left = size.copy()
    for j in sequence:
        b = block[j]
        left[b] -= 1
        out[0, j], out[1, j], out[2, j], out[3, j] = p[j] / unit, left[b], behind[b], size[b + 1]
