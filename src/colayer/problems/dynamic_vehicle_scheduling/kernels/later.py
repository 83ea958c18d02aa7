"""What a request would cost later, compiled: its price in the best routes of days that are drawn.

Of a drawn day the requests after epoch e are covered by paths of least travel time. Two requests may share a route
only if one is known before the other's last vehicle leaves; beyond pairs, when a route leaves is not looked at. The
duals α (of the arc out of a request) and π (of the arc into it) price a request i that would join them,

    min(t_i0, min_j t_ij − π_j) + min(t_0i, min_j t_ji − α_j),

over the j that can be after, or before, i on a route: with i the duals are still feasible, so no cover that serves i
as well costs less. A request that nothing to come can join has its trip as its price.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import njit
from colayer.layers.kernels.matching import match_into
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import HOUR, follows


@njit(cache=True, nogil=True)
def last_into(epoch, location, start, travel, epochs, last):  # type: ignore[no-untyped-def]
    """Compute the last epoch whose vehicles reach each request, one of `epochs`; `must_into` marks it from there on."""
    for i in range(len(epoch)):
        e = epoch[i]
        while e < epochs - 1 and HOUR * (e + 1) + HOUR + travel[0, location[i]] <= start[i]:
            e += 1
        last[i] = e


@njit(cache=True, nogil=True)
def shared_arcs(epoch, location, start, duration, last, travel):  # type: ignore[no-untyped-def]
    """Return the arcs between requests that one vehicle can take: indptr, heads and travel times. O(n²)."""
    n = len(epoch)
    indptr, heads, costs = np.empty(n + 1, np.int64), np.empty(n * n, np.int32), np.empty(n * n)
    size = 0
    for u in range(n):
        indptr[u] = size
        for v in range(n):
            known = epoch[u] <= last[v] and epoch[v] <= last[u]
            if u != v and known and follows(u, v, location, start, duration, travel):
                heads[size], costs[size] = v, travel[location[u], location[v]]
                size += 1
    indptr[n] = size
    return indptr, heads[:size].copy(), costs[:size].copy()


@njit(cache=True, nogil=True)
def cover_into(epoch, location, start, duration, last, travel, successor, out_duals, in_duals):  # type: ignore[no-untyped-def]
    """Fill the cover of all requests, −1 where a path ends, and its duals α (`out_duals`) and π (`in_duals`)."""
    n = len(epoch)
    indptr, heads, costs = shared_arcs(epoch, location, start, duration, last, travel)
    origins, destinations = np.empty(n), np.empty(n)
    for i in range(n):
        origins[i], destinations[i] = travel[0, location[i]], travel[location[i], 0]
    order = np.argsort(-start, kind="mergesort")
    match_into(indptr, heads, costs, origins, destinations, order, successor, out_duals, in_duals)


@njit(cache=True, nogil=True)
def duals_into(day_ends, epoch, location, start, duration, last, travel, duals):  # type: ignore[no-untyped-def]
    """Fill duals[e, 0] with α and duals[e, 1] with π of the requests after epoch e, day by day.

    Day k has the requests day_ends[k − 1] … day_ends[k] − 1, by epoch.
    """
    begin = 0
    for end in day_ends:
        for e in range(len(duals)):
            f = begin
            while f < end and epoch[f] <= e:
                f += 1
            if f < end:
                cover_into(
                    epoch[f:end], location[f:end], start[f:end], duration[f:end], last[f:end], travel,
                    np.empty(end - f, np.int64), duals[e, 0, f:end], duals[e, 1, f:end],
                )  # fmt: skip
        begin = end


@njit(cache=True, nogil=True)
def later_into(  # type: ignore[no-untyped-def]
    epoch, location, start, duration, last, travel,
    day_ends, drawn_epoch, drawn_location, drawn_start, drawn_duration, duals, later,
):  # fmt: skip
    """Fill later[i, e] with the mean price of request i over the drawn days, for the epochs in which it may be open.

    The drawn days and their duals are those of `duals_into`. O(drawn requests) for each pair of i and e.
    """
    for i in range(len(epoch)):
        place = location[i]
        for e in range(epoch[i], last[i] + 1):
            total, begin = 0.0, 0
            for end in day_ends:
                out, into = travel[place, 0], travel[0, place]
                for j in range(begin, end):
                    if not e < drawn_epoch[j] <= last[i]:
                        continue
                    other = drawn_location[j]
                    if start[i] + duration[i] + travel[place, other] <= drawn_start[j]:
                        out = min(out, travel[place, other] - duals[e, 1, j])
                    if drawn_start[j] + drawn_duration[j] + travel[other, place] <= start[i]:
                        into = min(into, travel[other, place] - duals[e, 0, j])
                total += out + into
                begin = end
            later[i, e] = total / len(day_ends)
