"""Routes, compiled: schedules, cheapest insertion and relocation, and what drawn futures say of the open requests.

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
def _cheapest(travel, requests, capacity, closing, routes, length, load, leave, count, i):  # type: ignore[no-untyped-def]
    """Return the least extra driving time of i, with route and position; route −1: a route of its own."""
    place = requests[i, PLACE]
    least, best_route, best_position = travel[0, place] + travel[place, 0], -1, -1
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


@njit(cache=True, nogil=True)
def build_into(travel, requests, capacity, closing, order, passes, routes, length, extra):  # type: ignore[no-untyped-def]
    """Fill `routes` and `length` with routes that serve all requests; return the number of rows in use.

    Requests go, in this order, where they cost least extra driving time, then each is taken out and put in again,
    `passes` times. Each request must be feasible on a route of its own: then the routes are. `extra`[i] is the extra
    driving time of i when it was last put in. O(passes·n²·length of a route).
    """
    n = len(requests)
    load, leave, row = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.full(n, -1)
    count = 0
    for turn in range(passes + 1):
        for i in order:
            if turn > 0:
                r = row[i]
                k = 0
                while routes[r, k] != i:
                    k += 1
                length[r] -= 1
                load[r] -= requests[i, DEMAND]
                for later in range(k, length[r]):
                    routes[r, later] = routes[r, later + 1]
                leave[r] = 0
                for k in range(length[r]):
                    leave[r] = max(leave[r], requests[routes[r, k], RELEASE])
            least, r, k = _cheapest(travel, requests, capacity, closing, routes, length, load, leave, count, i)
            if r < 0:
                r, k = 0, 0
                while r < count and length[r] > 0:
                    r += 1
                count = max(count, r + 1)
            for later in range(length[r], k, -1):
                routes[r, later] = routes[r, later - 1]
            routes[r, k] = i
            leave[r] = requests[i, RELEASE] if length[r] == 0 else max(leave[r], requests[i, RELEASE])
            length[r] += 1
            load[r] += requests[i, DEMAND]
            row[i], extra[i] = r, least
    return count


@njit(cache=True, nogil=True)
def future_into(travel, requests, capacity, closing, order, passes, leave, votes, share, extra):  # type: ignore[no-untyped-def]
    """Add what one future says of the open requests, the first rows of `requests`: all others are still to come.

    Routes are built over all of them. votes[i] += 1 where the route of i leaves at `leave` and cannot wait for an
    hour; share[i] += its driving time per request; extra[i] += the extra driving time of i.
    """
    n, known = len(requests), len(votes)
    routes, length, last = np.zeros((n + 1, n), np.int64), np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    count = build_into(travel, requests, capacity, closing, order, passes, routes, length, last)
    for r in range(count):
        if length[r] == 0:
            continue
        now = not on_time(travel, requests, closing, routes[r], length[r], leave + HOUR)
        for k in range(length[r]):
            now = now and requests[routes[r, k], RELEASE] <= leave
        mean = driven(travel, requests, routes[r], length[r]) / length[r]
        for k in range(length[r]):
            i = routes[r, k]
            if i < known:
                votes[i] += now
                share[i] += mean
                extra[i] += last[i]
