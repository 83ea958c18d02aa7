"""Dominance: which jobs may come next, and which beginnings can be improved; `branch_and_bound.py` has the rules."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.problems.single_machine.kernels.search_state import Search, dominated

#: Places at the end of a partial sequence at which moves of rule 5 are tried.
DEPTH = 8


@njit(cache=True, nogil=True)
def precedes(s: Search, t: float, rest: Ints, i: int, j: int) -> bool:
    """Return whether some schedule that starts with i is better than any that starts with j (rules 2 to 4). O(m)."""
    p = s.processing
    if p[i] == p[j]:
        return i < j
    m = len(rest)
    head_i, head_j = max(t, s.release[i]), max(t, s.release[j])
    lead = head_j + p[j] - head_i - p[i]
    if lead >= 0.0 and head_i - head_j + (m - 2) * max(0.0, p[j] - p[i]) < -s.tolerance:
        return True
    delay = max(0.0, head_i + p[i] - head_j)
    after = max(0.0, delay - p[i])
    change = delay + (m - 2) * after - lead - p[i]
    for k in rest:
        if change >= -s.tolerance:
            return False
        if p[k] < delay - after and k != i and k != j:
            change += delay - after - p[k]
    return bool(change < -s.tolerance)


@njit(cache=True, nogil=True)
def candidates(s: Search, t: float, rest: Ints, out: Ints) -> int:
    """Write the jobs of `rest` that may come next by rules 1 to 4 to `out`; return their number k. O(m + k²m)."""
    soonest, first = np.inf, 0
    for a in range(len(rest)):
        end = max(t, s.release[rest[a]]) + s.processing[rest[a]]
        if end < soonest:
            soonest, first = end, a
    active = 0
    while active < len(rest) and max(t, s.release[rest[active]]) < soonest:
        active += 1
    count = 0
    for j in rest[:active]:
        # Most of those that are left out are left out by the one that can complete first.
        keep = rest[first] == j or not precedes(s, t, rest, rest[first], j)
        for i in rest[:active]:
            if not keep:
                break
            keep = i == j or not precedes(s, t, rest, i, j)
        if keep:
            out[count] = j
            count += 1
    return count


@njit(cache=True, nogil=True)
def improvable(s: Search, path: Ints, times: Floats, costs: Floats, depth: int, release: float) -> bool:
    """Return whether moving one job within the last places of `path[:depth]` gives a strictly dominating state (rule
    5).

    `times[k]`, `costs[k]` belong to the first k jobs; `release` is the earliest one of the jobs left. O(DEPTH²).
    """
    r, p = s.release, s.processing
    m = len(r) - depth
    end, cost = max(times[depth], release), costs[depth]
    last = path[depth - 1]
    for k in range(depth - 2, max(0, depth - DEPTH) - 1, -1):
        for move in range(3 if k < depth - 2 else 1):
            t, c = times[k], costs[k]
            if move < 2:  # the last job goes to place k ...
                t = max(t, r[last]) + p[last]
                c += t
            if move == 0:  # ... before the job there, or in exchange for it
                t = max(t, r[path[k]]) + p[path[k]]
                c += t
            for x in path[k + 1 : depth - 1]:
                t = max(t, r[x]) + p[x]
                c += t
            if move == 2:
                t = max(t, r[last]) + p[last]
                c += t
            if move > 0:
                t = max(t, r[path[k]]) + p[path[k]]
                c += t
            if dominated(s, m, max(t, release), c, end, cost, True):
                return True
    return False
