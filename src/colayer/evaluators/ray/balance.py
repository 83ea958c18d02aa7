"""Which worker holds which instances: blocks of about equal size, spread by cost, moved where one is done too late."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from colayer._runtime.arrays import Floats, Ints


def blocks(sizes: Floats, count: int) -> list[Ints]:
    """Consecutive instances in at most `count` blocks of about equal size, each instance alone where that many do."""
    if len(sizes) <= count:
        return [np.array([x], dtype=np.int64) for x in range(len(sizes))]
    before = np.concatenate([[0.0], np.cumsum(sizes)])
    marks = np.linspace(0.0, before[-1], count + 1)
    cuts = np.unique(np.concatenate([np.searchsorted(before, marks), [0, len(sizes)]]).clip(0, len(sizes)))
    return [np.arange(low, high) for low, high in pairwise(cuts)]


def spread(costs: Floats, speeds: Floats, owner: Ints) -> Ints:
    """`owner` with a worker for every block that has none (−1): the costliest first, each where it is done first.

    Longest processing time first; on idle workers of equal speed the last one is done within 4/3 of the best possible
    time (R. L. Graham, Bounds on multiprocessing timing anomalies, 1969).
    """
    owner = owner.copy()
    load = _loads(costs, len(speeds), owner)
    homeless = np.flatnonzero(owner < 0)
    for block in homeless[np.argsort(-costs[homeless], kind="stable")]:
        worker = int(np.argmin((load + costs[block]) / speeds))
        owner[block] = worker
        load[worker] += costs[block]
    return owner


def evened(costs: Floats, speeds: Floats, owner: Ints) -> Ints:
    """`owner` after moves of single blocks away from the worker that is done last, as long as one helps.

    Each move leaves both workers done before the time at which the first of them was, so the sorted times fall and the
    moves come to an end. Few blocks move: what a worker holds, it need not compute again.
    """
    owner = owner.copy()
    load = _loads(costs, len(speeds), owner)
    while True:
        last = int(np.argmax(load / speeds))
        held = np.flatnonzero(owner == last)
        until = (load + costs[held, None]) / speeds  # of each worker, given one of these blocks
        until[:, last] = np.inf
        target = np.argmin(until, axis=1)
        later = np.maximum(until[np.arange(len(held)), target], (load[last] - costs[held]) / speeds[last])
        best = int(np.argmin(later)) if len(held) else 0
        if len(held) == 0 or later[best] >= load[last] / speeds[last] * (1 - 1e-9):
            return owner
        block, worker = int(held[best]), int(target[best])
        owner[block] = worker
        load[last] -= costs[block]
        load[worker] += costs[block]


def makespan(costs: Floats, speeds: Floats, owner: Ints) -> float:
    """When the last worker is done."""
    return float((_loads(costs, len(speeds), owner) / speeds).max())


def _loads(costs: Floats, workers: int, owner: Ints) -> Floats:
    known = owner >= 0
    return np.bincount(owner[known], weights=costs[known], minlength=workers).astype(np.float64)
