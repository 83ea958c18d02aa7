"""Pricing of routes by labels along the acyclic graph of tasks.

Under duals π the reduced cost of a route P is vehicle_cost + delay_cost · mean_ω Σ_{v ∈ P} delay(v) − Σ_{v ∈ P} π_v. A
label is a partial route that ends at a task: its reduced cost so far, and its delay there in every scenario. Delays
only grow with the delay before them, so the cost of an arc (u, v) for a vehicle on time at u (`arc_costs`) bounds its
cost for any, and

    rest(u) = min(0, min over arcs (u, v) of arc_costs(u, v) − π_v + rest(v))

bounds from below what any continuation adds: a label whose reduced cost plus rest is not below what is looked for is
dropped.

Dominance. Let A and B be labels at v. Delays being 1-Lipschitz in the delay before them, a continuation of at most
`steps` tasks costs A at most delay_cost · steps · mean_ω max(delay_A − delay_B, 0) more than B; where the reduced cost
of A plus that is at most that of B, B is dropped. (With delay_A ≤ delay_B in all scenarios this is plain dominance.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.problems.vehicle_scheduling.kernels.delay import step_into
from colayer.problems.vehicle_scheduling.kernels.travel import Times


@njit(cache=True, nogil=True)
def longest_rest(order: Ints, indptr: Ints, heads: NDArray[np.int32]) -> Ints:
    """Return the most tasks that can follow each task on a route; in `order`, arcs point forwards."""
    steps = np.zeros(len(order), np.int64)
    for u in order[::-1]:
        for k in range(indptr[u], indptr[u + 1]):
            steps[u] = max(steps[u], steps[heads[k]] + 1)
    return steps


@njit(cache=True, nogil=True)
def rest_bounds(order: Ints, indptr: Ints, heads: NDArray[np.int32], arc_costs: Floats, duals: Floats) -> Floats:
    """Return rest(u) of every task, computed against the direction of the arcs; O(arcs)."""
    rest = np.zeros(len(duals))
    for u in order[::-1]:
        least = 0.0
        for k in range(indptr[u], indptr[u + 1]):
            v = heads[k]
            least = min(least, arc_costs[k] - duals[v] + rest[v])
        rest[u] = least
    return rest


class Labels(NamedTuple):
    """A pool of labels; those of one task are linked from the newest to the oldest."""

    value: Floats  # (size,) reduced cost
    late: Floats  # (size, S)
    task: Ints  # (size,)
    parent: Ints  # (size,) label of the route up to the task before, −1: none
    link: Ints  # (size,) next label at the same task, −1: none
    newest: Ints  # (n,)
    used: Ints  # (1,) number of labels
    lost: Floats  # (1,) lower bound on the reduced cost of all routes given up for want of room, ∞: none


def new_labels(tasks: int, scenarios: int, size: int) -> Labels:
    """Return an empty pool."""
    return Labels(
        value=np.empty(size),
        late=np.empty((size, scenarios)),
        task=np.empty(size, dtype=np.int64),
        parent=np.empty(size, dtype=np.int64),
        link=np.empty(size, dtype=np.int64),
        newest=np.full(tasks, -1, dtype=np.int64),
        used=np.zeros(1, dtype=np.int64),
        lost=np.full(1, np.inf),
    )


@njit(cache=True, nogil=True)
def price(
    times: Times,
    order: Ints,
    low: int,
    high: int,
    indptr: Ints,
    heads: NDArray[np.int32],
    arc_costs: Floats,
    duals: Floats,
    rest: Floats,
    steps: Ints,
    vehicle_cost: float,
    delay_cost: float,
    width: int,
    labels: Labels,
    ends: Ints,
) -> None:
    """Extend the labels of the tasks order[low … high − 1], all labels at them being there already.

    Keeps at most `width` labels a task, those of least reduced cost, and never drops the least one for want of room.
    `ends[v]` becomes the label of least reduced cost at v (−1: none below 0 passes there): for each last task, the
    best route. Labels from which no negative route can come are dropped for good; those given up for want of room lower
    `labels.lost`.
    """
    scenarios = times.begin.shape[1]
    late = np.empty(scenarios)
    kept = np.empty(width, np.int64)
    size = len(labels.value)
    for position in range(low, high):
        u = order[position]
        # a route that begins here
        first = vehicle_cost - duals[u]
        if first + rest[u] < 0.0:
            late[:] = 0.0
            _add(labels, size, u, -1, first, late, rest[u])
        n_here = 0
        i = labels.newest[u]
        while i >= 0:
            n_here += 1
            i = labels.link[i]
        here = np.empty(n_here, np.int64)
        values = np.empty(n_here)
        i = labels.newest[u]
        for k in range(n_here):
            here[k] = i
            values[k] = labels.value[i]
            i = labels.link[i]
        n_kept = 0
        for i in here[np.argsort(values, kind="mergesort")]:
            if _dominated(labels, i, kept, n_kept, delay_cost * steps[u] / scenarios):
                continue
            if n_kept == width:
                labels.lost[0] = min(labels.lost[0], labels.value[i] + rest[u])
                continue
            kept[n_kept] = i
            n_kept += 1
        ends[u] = kept[0] if n_kept else -1
        for j in range(n_kept):
            i = kept[j]
            value = labels.value[i]
            for k in range(indptr[u], indptr[u + 1]):
                v = heads[k]
                if value + arc_costs[k] - duals[v] + rest[v] >= 0.0:
                    continue
                step_into(times, u, v, labels.late[i], late)
                total = 0.0
                for s in range(scenarios):
                    total += late[s]
                new = value + delay_cost * (total / scenarios) - duals[v]
                if new + rest[v] < 0.0:
                    _add(labels, size, v, i, new, late, rest[v])


@njit(cache=True, nogil=True)
def _add(labels: Labels, size: int, task: int, parent: int, value: float, late: Floats, rest: float) -> None:
    """Add a label, or where the pool is full note what is lost."""
    i = labels.used[0]
    if i == size:
        labels.lost[0] = min(labels.lost[0], value + rest)
        return
    labels.used[0] = i + 1
    labels.value[i] = value
    labels.late[i] = late
    labels.task[i] = task
    labels.parent[i] = parent
    labels.link[i] = labels.newest[task]
    labels.newest[task] = i


@njit(cache=True, nogil=True)
def _dominated(labels: Labels, i: int, kept: Ints, n_kept: int, rate: float) -> bool:
    """Return whether one of the labels `kept`, of reduced cost at most that of i, makes i needless."""
    late = labels.late[i]
    for j in range(n_kept):
        room = labels.value[i] - labels.value[kept[j]]
        other = labels.late[kept[j]]
        for s in range(len(late)):
            room -= rate * max(other[s] - late[s], 0.0)
            if room < 0.0:
                break
        if room >= 0.0:
            return True
    return False


@njit(cache=True, nogil=True)
def route_of(labels: Labels, i: int) -> Ints:
    """Return the tasks of a label's route, in order."""
    length = 0
    k = i
    while k >= 0:
        length += 1
        k = labels.parent[k]
    route = np.empty(length, np.int64)
    for position in range(length - 1, -1, -1):
        route[position] = labels.task[i]
        i = labels.parent[i]
    return route
