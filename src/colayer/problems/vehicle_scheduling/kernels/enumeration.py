"""Enumeration of all routes of small reduced cost, by a walk along the acyclic graph of tasks.

Reduced costs and the bound rest(u) on what a continuation adds are those of `labels.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.problems.vehicle_scheduling.kernels.delay import step_into
from colayer.problems.vehicle_scheduling.kernels.travel import Times


class Walk(NamedTuple):
    """The state of `enumerate_routes`, which stops and goes on: its current partial route, and the routes found."""

    depth: Ints  # (1,) tasks on the partial route
    first: Ints  # (1,) first task of the next route to begin
    path: Ints  # (n,) tasks
    arc: Ints  # (n,) next arc to try from each
    value: Floats  # (n,) reduced cost
    delay: Floats  # (n,) mean total delay
    late: Floats  # (n, S)
    found: Ints  # (1,)
    indptr: Ints  # (most + 1,) where each route found begins in `tasks`
    tasks: NDArray[np.int32]
    delays: Floats  # (most,) mean total delay of each route found


def new_walk(tasks: int, scenarios: int, most: int) -> Walk:
    """Return a walk that has not begun, with room for `most` routes."""
    return Walk(
        depth=np.zeros(1, dtype=np.int64),
        first=np.zeros(1, dtype=np.int64),
        path=np.zeros(tasks, dtype=np.int64),
        arc=np.zeros(tasks, dtype=np.int64),
        value=np.empty(tasks),
        delay=np.empty(tasks),
        late=np.empty((tasks, scenarios)),
        found=np.zeros(1, dtype=np.int64),
        indptr=np.zeros(most + 1, dtype=np.int64),
        tasks=np.empty(most * min(tasks, 16) + tasks, dtype=np.int32),
        delays=np.empty(most),
    )


@njit(cache=True, nogil=True)
def enumerate_routes(
    times: Times,
    indptr: Ints,
    heads: NDArray[np.int32],
    arc_costs: Floats,
    duals: Floats,
    rest: Floats,
    vehicle_cost: float,
    delay_cost: float,
    limit: float,
    budget: int,
    walk: Walk,
) -> int:
    """Find all routes of reduced cost at most `limit`, depth first; return 1: done, 0: budget spent, −1: no room.

    `budget` is a number of arcs to try; called again, the walk goes on where it stopped.
    """
    n = len(duals)
    most = len(walk.delays)
    scenarios = times.begin.shape[1]
    depth = walk.depth[0]
    while True:
        if depth == 0:
            u = walk.first[0]
            if u == n:
                return 1
            walk.first[0] = u + 1
            value = vehicle_cost - duals[u]
            delay = 0.0
            if value + rest[u] > limit:
                continue
            walk.late[0, :] = 0.0
        else:
            top = depth - 1
            u = walk.path[top]
            k = walk.arc[top]
            if k == indptr[u + 1]:
                depth = top
                continue
            if budget == 0:
                walk.depth[0] = depth
                return 0
            budget -= 1
            walk.arc[top] = k + 1
            v = heads[k]
            if walk.value[top] + arc_costs[k] - duals[v] + rest[v] > limit:
                continue
            step_into(times, u, v, walk.late[top], walk.late[depth])
            total = 0.0
            for s in range(scenarios):
                total += walk.late[depth, s]
            total /= scenarios
            value = walk.value[top] + delay_cost * total - duals[v]
            if value + rest[v] > limit:
                continue
            delay = walk.delay[top] + total
            u = v
        walk.path[depth] = u
        walk.arc[depth] = indptr[u]
        walk.value[depth] = value
        walk.delay[depth] = delay
        depth += 1
        if value <= limit:
            i = walk.found[0]
            begin = walk.indptr[i]
            if i == most or begin + depth > len(walk.tasks):
                return -1
            for j in range(depth):
                walk.tasks[begin + j] = walk.path[j]
            walk.indptr[i + 1] = begin + depth
            walk.delays[i] = delay
            walk.found[0] = i + 1
