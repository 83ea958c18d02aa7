"""How jobs relate: they stand in a line, by the middle of their time in a schedule."""

from __future__ import annotations

import numpy as np

from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.lookahead import dispatch_lookahead
from colayer.problems.single_machine.kernels.schedule import completion_times, srpt
from colayer.structure import Floats, Order


def structure(instance: Instance, listed: bool = False) -> Order:
    """Jobs by their middle: completion − p/2 in the SRPT schedule, or, if `listed`, in the list schedule look-ahead.

    Moments are this middle, the release date and start and completion under SRPT. Amounts are the processing time, how
    many jobs of the same busy block follow, the gap behind that block, and the jobs of the next one. The unit of time
    is the mean processing time.
    """
    r, p = instance.arrays
    unit = float(p.mean())
    start, completion, *_ = srpt(r, p)
    if listed:
        sequence = dispatch_lookahead(r, p)
        middle = completion_times(sequence, r, p) - 0.5 * p
    else:
        middle = completion - 0.5 * p
        sequence = np.argsort(middle, kind="stable")
    moments = np.column_stack([middle, r, start, completion]) / unit
    return Order(sequence, moments, np.column_stack([p / unit, *_blocks(r, p, sequence, unit)]))


def _blocks(r: Floats, p: Floats, sequence: np.ndarray, unit: float) -> tuple[Floats, Floats, Floats]:
    """By job: jobs of its busy block after it in the sequence, the gap behind the block, the jobs of the next one."""
    n = len(r)
    order = np.argsort(r, kind="stable")
    work = np.cumsum(p[order])
    end = work + np.maximum.accumulate(r[order] - (work - p[order]))  # of a schedule that never waits
    first = np.concatenate([[True], r[order][1:] > end[:-1]])
    number = np.cumsum(first) - 1
    block = np.empty(n, dtype=np.int64)
    block[order] = number
    size = np.bincount(number)
    begins = np.flatnonzero(first)
    gap = np.zeros(len(size))
    gap[:-1] = (r[order][begins[1:]] - end[begins[1:] - 1]) / unit
    following = np.concatenate([size[1:], [0]])
    along = block[sequence]
    by_block = np.argsort(along, kind="stable")
    within = np.empty(n)
    within[by_block] = np.arange(n) - np.concatenate([[0], np.cumsum(size)])[along[by_block]]
    after = np.empty(n)
    after[sequence] = size[along] - 1 - within
    return after, gap[block], following[block].astype(np.float64)
