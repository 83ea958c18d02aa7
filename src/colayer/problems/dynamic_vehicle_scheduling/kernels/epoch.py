"""One epoch, compiled: who must go, the arcs, the features, the layer, the routes that wait, what is driven.

The open requests of an epoch are arrays by request: location int64[n], start and duration float64[n]. `travel` is that
of the city, place 0 the depot. The vehicles of an epoch leave at `leave`.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.layers.prize_path_cover import prize_path_cover_into

#: Seconds of an epoch. The vehicles of epoch e leave at (e + 1)·HOUR.
HOUR = 3600.0
#: Features of a request.
FEATURES = 9
_NEAREST = 3  # open requests in the feature `near requests`


@njit(cache=True, nogil=True)
def must_into(location, start, travel, leave, last, must):  # type: ignore[no-untyped-def]
    """Mark the requests that a vehicle which leaves an hour later does not reach; all, in the last epoch."""
    for i in range(len(location)):
        must[i] = last or leave + HOUR + travel[0, location[i]] > start[i]


@inner(cache=True, nogil=True)
def follows(u, v, location, start, duration, travel):  # type: ignore[no-untyped-def]
    """Tell whether v can be visited after u: start_u + duration_u + travel_uv ≤ start_v; ties of start by index."""
    if start[u] + duration[u] + travel[location[u], location[v]] > start[v]:
        return False
    return start[u] < start[v] or (start[u] == start[v] and u < v)


@njit(cache=True, nogil=True)
def arcs(location, start, duration, travel):  # type: ignore[no-untyped-def]
    """Return the arcs between requests in compressed rows: indptr, heads and travel times. O(n²)."""
    n = len(location)
    indptr, heads, costs = np.empty(n + 1, np.int64), np.empty(n * n, np.int32), np.empty(n * n)
    size = 0
    for u in range(n):
        indptr[u] = size
        for v in range(n):
            if u != v and follows(u, v, location, start, duration, travel):
                heads[size], costs[size] = v, travel[location[u], location[v]]
                size += 1
    indptr[n] = size
    return indptr, heads[:size].copy(), costs[:size].copy()


@njit(cache=True, nogil=True)
def layer_into(theta, location, start, duration, must, travel, successor):  # type: ignore[no-untyped-def]
    """Fill `successor` with the cover of least travel − Σ θ of what is served: −1 ends a route, itself: left out.

    theta holds the prizes of the requests and, where it is longer, those of the arcs in the order of `arcs`.
    """
    n = len(location)
    indptr, heads, costs = arcs(location, start, duration, travel)
    if len(theta) > n:
        for k in range(len(heads)):
            costs[k] -= theta[n + k]
    origins, destinations = np.empty(n), np.empty(n)
    for i in range(n):
        origins[i] = travel[0, location[i]]
        destinations[i] = travel[location[i], 0]
    order = np.argsort(-start, kind="mergesort")
    prize_path_cover_into(indptr, heads, costs, origins, destinations, theta[:n], must, order, successor)


@njit(cache=True, nogil=True)
def first_of_routes(successor):  # type: ignore[no-untyped-def]
    """Return which requests begin a route; one that is its own successor is on none. O(n)."""
    n = len(successor)
    begins = np.empty(n, np.bool_)
    for u in range(n):
        begins[u] = successor[u] != u
    for u in range(n):
        if successor[u] >= 0 and successor[u] != u:
            begins[successor[u]] = False
    return begins


@njit(cache=True, nogil=True)
def wait_into(must, successor):  # type: ignore[no-untyped-def]
    """Leave out the routes none of whose requests must go. O(n).

    Such a route can leave an hour later, when more is known, at the same cost: no policy is better for sending it now.
    """
    begins = first_of_routes(successor)
    for u in range(len(must)):
        if begins[u]:
            some = False
            v = u
            while v >= 0:
                some |= must[v]
                v = successor[v]
            v = u
            while v >= 0 and not some:
                after = successor[v]
                successor[v] = v
                v = after


@njit(cache=True, nogil=True)
def driven(location, travel, successor):  # type: ignore[no-untyped-def]
    """Return the travel time of the routes, from and to the depot included, summed by request."""
    begins = first_of_routes(successor)
    total = 0.0
    for u in range(len(location)):
        if begins[u]:
            total += travel[0, location[u]]
        if successor[u] < 0:
            total += travel[location[u], 0]
        elif successor[u] != u:
            total += travel[location[u], location[successor[u]]]
    return total


@njit(cache=True, nogil=True)
def features_into(location, start, duration, later, travel, near, leave, epochs_left, out):  # type: ignore[no-untyped-def]
    """Fill `out` (FEATURES, n), in the order of `features.COLUMNS`; `later` are the prices of `later.py`. O(n²)."""
    n = len(location)
    for i in range(n):
        place = location[i]
        trip = travel[0, place] + travel[place, 0]
        slack = (start[i] - travel[0, place] - leave) / HOUR
        joint = 0
        nearest = np.full(_NEAREST, np.inf)
        for j in range(n):
            if j == i:
                continue
            joint += follows(i, j, location, start, duration, travel) or follows(
                j, i, location, start, duration, travel
            )
            distance = min(travel[place, location[j]], travel[location[j], place])
            k = _NEAREST
            while k > 0 and nearest[k - 1] > distance:
                if k < _NEAREST:
                    nearest[k] = nearest[k - 1]
                k -= 1
            if k < _NEAREST:
                nearest[k] = distance
        count, total = 0, 0.0
        for k in range(min(_NEAREST, n - 1)):
            total += nearest[k]
            count += 1
        out[0, i] = trip
        out[1, i] = trip * slack
        out[2, i] = trip * epochs_left
        out[3, i] = trip * joint / max(1, n - 1)
        out[4, i] = later[i]
        out[5, i] = total / count if count > 0 else trip / 2.0
        out[6, i] = near[place]
        out[7, i] = slack
        out[8, i] = 1.0
