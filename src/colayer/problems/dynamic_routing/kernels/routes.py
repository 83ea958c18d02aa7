"""Routes, compiled: schedules, cheapest insertion, and what the routes of a drawn future say of the open requests.

Requests are rows of an int64 table, `requests`[n, 6], by the columns below; times in seconds. A route leaves when its
last request is released, drives, waits where it is early, and is back at the depot by `closing`. Routes are rows of
`routes`[n, n]; `length`[r] of them are filled, 0: no route.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit

#: Seconds of an epoch; the vehicles of epoch e leave at (e + 1)·HOUR.
HOUR = 3600
#: Columns of a request: when a vehicle may leave with it, its place, its window, its demand and its service time.
RELEASE, PLACE, OPENING, CLOSING, DEMAND, SERVICE = range(6)


@njit(cache=True, nogil=True)
def on_time(travel, requests, closing, route, length, leave):  # type: ignore[no-untyped-def]
    """Tell whether a route that leaves at `leave` meets all windows and is back in time. O(length)."""
    time, place = leave, 0
    for k in range(length):
        i = route[k]
        time = max(time + travel[place, requests[i, PLACE]], requests[i, OPENING])
        if time > requests[i, CLOSING]:
            return False
        time += requests[i, SERVICE]
        place = requests[i, PLACE]
    return time + travel[place, 0] <= closing


@njit(cache=True, nogil=True)
def driven(travel, requests, route, length):  # type: ignore[no-untyped-def]
    """Return the driving time of a route."""
    time, place = 0, 0
    for k in range(length):
        after = requests[route[k], PLACE]
        time += travel[place, after]
        place = after
    return time + travel[place, 0]


@inner(cache=True, nogil=True)
def cheapest(travel, requests, capacity, closing, routes, length, load, leave, count, i, limit):  # type: ignore[no-untyped-def]
    """Return the least extra driving time of i, with route and position; ties by index.

    Route −1: a route of its own. Route −2: no place costs less than `limit`.
    """
    place = requests[i, PLACE]
    least, best_route, best_position = limit, -2, -1
    if travel[0, place] + travel[place, 0] < limit:
        least, best_route = travel[0, place] + travel[place, 0], -1
    for r in range(count):
        if length[r] == 0 or load[r] + requests[i, DEMAND] > capacity:
            continue
        time, before = max(leave[r], requests[i, RELEASE]), 0
        for k in range(length[r] + 1):
            after = 0 if k == length[r] else requests[routes[r, k], PLACE]
            extra = travel[before, place] + travel[place, after] - travel[before, after]
            if extra < least:
                arrival = max(time + travel[before, place], requests[i, OPENING])
                if arrival <= requests[i, CLOSING]:
                    ready, here, fits = arrival + requests[i, SERVICE], place, True
                    for later in range(k, length[r]):
                        j = routes[r, later]
                        ready = max(ready + travel[here, requests[j, PLACE]], requests[j, OPENING])
                        if ready > requests[j, CLOSING]:
                            fits = False
                            break
                        ready += requests[j, SERVICE]
                        here = requests[j, PLACE]
                    if fits and ready + travel[here, 0] <= closing:
                        least, best_route, best_position = extra, r, k
            if k < length[r]:
                j = routes[r, k]
                time = max(time + travel[before, requests[j, PLACE]], requests[j, OPENING])
                if time > requests[j, CLOSING] or time > requests[i, CLOSING]:
                    break
                time += requests[j, SERVICE]
                before = requests[j, PLACE]
    return least, best_route, best_position


@inner(cache=True, nogil=True)
def insert(requests, routes, length, load, leave, row, r, k, i):  # type: ignore[no-untyped-def]
    """Put i into route r at position k. O(length)."""
    for later in range(length[r], k, -1):
        routes[r, later] = routes[r, later - 1]
    routes[r, k] = i
    leave[r] = max(leave[r], requests[i, RELEASE])
    length[r] += 1
    load[r] += requests[i, DEMAND]
    row[i] = r


@njit(cache=True, nogil=True)
def build_into(travel, requests, capacity, closing, order, routes, length, row):  # type: ignore[no-untyped-def]
    """Fill `routes`, `length` and `row` with routes that serve all requests; return their driving time.

    Requests go, in this order, where they cost least extra driving time. Each must be feasible on a route of its own:
    then all routes are. O(n²·length of a route) at most.
    """
    n = len(requests)
    load, leave, count, total = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), 0, 0
    for i in order:
        extra, r, k = cheapest(
            travel, requests, capacity, closing, routes, length, load, leave, count, i, np.int64(2**62)
        )
        if r < 0:
            r, k = count, 0
            count += 1
        insert(requests, routes, length, load, leave, row, r, k, i)
        total += extra
    return total


@njit(cache=True, nogil=True)
def views_into(travel, requests, closing, routes, length, leave, votes, share, extra):  # type: ignore[no-untyped-def]
    """Add what the routes of one future say of the open requests, the first rows of `requests`.

    votes[i] += 1 where the route of i leaves at `leave` and cannot wait for an hour; share[i] += its driving time per
    request; extra[i] += the driving time that leaving i out would save.
    """
    known = len(votes)
    for r in range(len(length)):
        size = length[r]
        if size == 0:
            continue
        now = not on_time(travel, requests, closing, routes[r], size, leave + HOUR)
        for k in range(size):
            now = now and requests[routes[r, k], RELEASE] <= leave
        mean = driven(travel, requests, routes[r], size) / size
        for k in range(size):
            i = routes[r, k]
            if i < known:
                before = 0 if k == 0 else requests[routes[r, k - 1], PLACE]
                after = 0 if k == size - 1 else requests[routes[r, k + 1], PLACE]
                place = requests[i, PLACE]
                votes[i] += now
                share[i] += mean
                extra[i] += travel[before, place] + travel[place, after] - travel[before, after]
