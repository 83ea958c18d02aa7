"""Tours, compiled: routes as linked lists with their schedules, and the cheapest place for a request.

Requests are 0 … n − 1, the depot is n. `times`[i, j] drives from i to j, `into`[i, j] from j to i, so that all that an
insertion of i reads lies in two rows. `tour`[i] says where request i is, by the columns below; `route`[r] what route r
is. An insertion is checked in O(1): READY is when a vehicle leaves a request, LATE when it must be there at the latest
so that all that follow are in time. A route leaves when its last request is released; only an insertion that delays
that walks along the route, O(its length).

Invariant: all routes are feasible, and READY, LATE and ARC are those of the lists.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, OPENING, RELEASE, SERVICE

#: Columns of a request on a tour: neighbours, route (−1: left out), times, and the driving time to the next one.
NEXT, PREVIOUS, ROW, READY, LATE, ARC = range(6)
#: Columns of a route.
FIRST, LOAD, LEAVE, LENGTH = range(4)
TOUR_COLUMNS, ROUTE_COLUMNS = 6, 4
#: Of `best_place`: a route of its own, and no place.
OWN, NONE = -1, -2


@njit(cache=True, nogil=True)
def near_into(times, requests, waiting, before, after, around):  # type: ignore[no-untyped-def]
    """List for each request those that may come before it, after it, and around it, nearest first; −1 where none.

    The distance of an arc is its driving time and `waiting` times what a vehicle waits at least. O(n²) and the lists.
    """
    n = len(requests)
    far = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            ready = requests[i, SERVICE] + times[i, j]
            slack = requests[j, CLOSING] - ready - max(requests[i, OPENING], requests[i, RELEASE] + times[n, i])
            if i == j or slack < 0:
                far[i, j] = np.inf
            else:
                far[i, j] = times[i, j] + waiting * max(0, requests[j, OPENING] - requests[i, CLOSING] - ready)
    for i in range(n):
        _nearest(far[:, i], before[i])
        _nearest(far[i], after[i])
        _nearest(np.minimum(far[:, i], far[i]), around[i])


@inner(cache=True, nogil=True)
def _nearest(far, found):  # type: ignore[no-untyped-def]
    """Fill `found` with the nearest, in order; ties by index."""
    size = 0
    for j in range(len(far)):
        if far[j] == np.inf or (size == len(found) and far[j] >= far[found[size - 1]]):
            continue
        k = size if size < len(found) else size - 1
        while k > 0 and far[found[k - 1]] > far[j]:
            found[k] = found[k - 1]
            k -= 1
        found[k] = j
        size = min(size + 1, len(found))
    found[size:] = -1


@inner(cache=True, nogil=True)
def _fits(times, into, requests, tour, route, i, p, q, r):  # type: ignore[no-untyped-def]
    """Tell whether route r is in time with i between p and q."""
    depot, leave, release = len(requests), route[r, LEAVE], requests[i, RELEASE]
    if release <= leave:
        ready = leave if p == depot else tour[p, READY]
    else:
        ready, here = release, depot
        while here != p:
            j = route[r, FIRST] if here == depot else tour[here, NEXT]
            arrival = max(ready + times[here, j], requests[j, OPENING])
            if arrival > tour[j, LATE]:
                return False
            ready, here = arrival + requests[j, SERVICE], j
    arrival = max(ready + into[i, p], requests[i, OPENING])
    return arrival <= requests[i, CLOSING] and arrival + requests[i, SERVICE] + times[i, q] <= tour[q, LATE]


@inner(cache=True, nogil=True)
def best_place(times, into, requests, capacity, before, after, tour, route, i, limit, blink):  # type: ignore[no-untyped-def]
    """Return the least extra driving time of i, the request it follows there, and its route.

    Places beside the requests near i are tried, but number `blink`, and a route of its own. Route OWN: a new one.
    Route NONE: no place costs less than `limit`.
    """
    depot, most = len(requests), capacity - requests[i, DEMAND]
    least, best, best_route = limit, depot, NONE
    if times[depot, i] + times[i, depot] < limit:
        least, best_route = np.int64(times[depot, i] + times[i, depot]), OWN
    for a in range(before.shape[1]):
        p = before[i, a]
        if p < 0:
            break
        r = tour[p, ROW]
        if r < 0 or a == blink:
            continue
        q = tour[p, NEXT]
        extra = np.int64(into[i, p]) + times[i, q] - tour[p, ARC]
        if extra < least and route[r, LOAD] <= most and _fits(times, into, requests, tour, route, i, p, q, r):
            least, best, best_route = extra, p, r
    for a in range(after.shape[1]):
        q = after[i, a]
        if q < 0:
            break
        r = tour[q, ROW]
        if r < 0 or a + before.shape[1] == blink:
            continue
        p = tour[q, PREVIOUS]
        extra = np.int64(into[i, p]) + times[i, q] - (times[depot, q] if p == depot else tour[p, ARC])
        if extra < least and route[r, LOAD] <= most and _fits(times, into, requests, tour, route, i, p, q, r):
            least, best, best_route = extra, p, r
    return least, best, best_route


@inner(cache=True, nogil=True)
def put(times, requests, tour, route, i, p, r):  # type: ignore[no-untyped-def]
    """Put i behind p on route r (p is the depot: at its start). O(length), less where times stay."""
    depot = len(requests)
    q = depot if route[r, LENGTH] == 0 else route[r, FIRST]
    if p == depot:
        route[r, FIRST] = i
    else:
        q = tour[p, NEXT]
        tour[p, NEXT], tour[p, ARC] = i, times[p, i]
    if q != depot:
        tour[q, PREVIOUS] = i
    tour[i, NEXT], tour[i, PREVIOUS], tour[i, ROW], tour[i, ARC] = q, p, r, times[i, q]
    route[r, LOAD] += requests[i, DEMAND]
    route[r, LENGTH] += 1
    if requests[i, RELEASE] > route[r, LEAVE]:
        route[r, LEAVE] = requests[i, RELEASE]
        _forward(times, requests, tour, route[r, LEAVE], route[r, FIRST], -1)
    _forward(times, requests, tour, route[r, LEAVE], i, i)
    _backward(times, requests, tour, i, i)


@inner(cache=True, nogil=True)
def cut(times, requests, tour, route, first, last, r):  # type: ignore[no-untyped-def]
    """Take the requests from `first` to `last` off route r; return the change in driving time. O(length)."""
    depot = len(requests)
    p, q = tour[first, PREVIOUS], tour[last, NEXT]
    change, i = -np.int64(times[p, first]), first
    while True:
        change -= tour[i, ARC]
        tour[i, ROW] = -1
        route[r, LOAD] -= requests[i, DEMAND]
        route[r, LENGTH] -= 1
        if i == last:
            break
        i = tour[i, NEXT]
    if p == depot:
        route[r, FIRST] = q
    else:
        tour[p, NEXT], tour[p, ARC] = q, times[p, q]
    if q != depot:
        tour[q, PREVIOUS] = p
    if route[r, LENGTH] == 0:
        route[r, LEAVE] = 0
        return change
    leave, i = np.int64(0), route[r, FIRST]
    while i != depot:
        leave = max(leave, requests[i, RELEASE])
        i = tour[i, NEXT]
    if leave != route[r, LEAVE]:
        route[r, LEAVE] = leave
        _forward(times, requests, tour, leave, route[r, FIRST], -1)
    _forward(times, requests, tour, leave, q, -1)
    if p != depot:
        _backward(times, requests, tour, p, -1)
    return change + times[p, q]


@inner(cache=True, nogil=True)
def _forward(times, requests, tour, leave, i, new):  # type: ignore[no-untyped-def]
    """Set READY from request i on, until it stays (not at `new`, which had none)."""
    depot = len(requests)
    if i == depot:
        return
    here = tour[i, PREVIOUS]
    ready = leave if here == depot else tour[here, READY]
    while i != depot:
        ready = max(ready + times[here, i], requests[i, OPENING]) + requests[i, SERVICE]
        if ready == tour[i, READY] and i != new:
            return
        tour[i, READY] = ready
        here, i = i, tour[i, NEXT]


@inner(cache=True, nogil=True)
def _backward(times, requests, tour, i, new):  # type: ignore[no-untyped-def]
    """Set LATE from request i back, until it stays (not at `new`, which had none)."""
    depot = len(requests)
    while i != depot:
        late = min(requests[i, CLOSING], tour[tour[i, NEXT], LATE] - tour[i, ARC] - requests[i, SERVICE])
        if late == tour[i, LATE] and i != new:
            return
        tour[i, LATE] = late
        i = tour[i, PREVIOUS]


@inner(cache=True, nogil=True)
def copy_route(tour, route, r, other_tour, other_route):  # type: ignore[no-untyped-def]
    """Copy route r and what is known of its requests to another tour."""
    depot = len(tour) - 1
    for column in range(route.shape[1]):
        other_route[r, column] = route[r, column]
    if route[r, LENGTH] > 0:
        i = route[r, FIRST]
        while i != depot:
            for column in range(tour.shape[1]):
                other_tour[i, column] = tour[i, column]
            i = tour[i, NEXT]


@njit(cache=True, nogil=True)
def lists_into(tour, route, order, length):  # type: ignore[no-untyped-def]
    """Write the requests of all routes, one route after the other, and how many each has."""
    k = 0
    for r in range(len(route)):
        length[r] = route[r, LENGTH]
        i = route[r, FIRST]
        for _ in range(length[r]):
            order[k] = i
            k += 1
            i = tour[i, NEXT]
