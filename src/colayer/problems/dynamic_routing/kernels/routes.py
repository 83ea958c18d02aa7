"""Routes, compiled: schedules, and what the routes of a drawn future say of the open requests.

Requests are rows of an int64 table, `requests`[n, 6], by the columns below; times in seconds. A route leaves when its
last request is released, drives, waits where it is early, and is back at the depot by `closing`.
"""

from __future__ import annotations

from colayer._runtime.compiled import njit

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


@njit(cache=True, nogil=True)
def views_into(travel, requests, closing, visits, ends, leave, votes, share, extra):  # type: ignore[no-untyped-def]
    """Add what the routes of one future say of the open requests, the first rows of `requests`.

    Route r visits visits[ends[r]] … visits[ends[r + 1] − 1]. votes[i] += 1 where the route of i leaves at `leave` and
    cannot wait for an hour; share[i] += its driving time per request; extra[i] += the driving time that leaving i out
    would save.
    """
    known = len(votes)
    for r in range(len(ends) - 1):
        route = visits[ends[r] : ends[r + 1]]
        size = len(route)
        if size == 0:
            continue
        now = not on_time(travel, requests, closing, route, size, leave + HOUR)
        for k in range(size):
            now = now and requests[route[k], RELEASE] <= leave
        mean = driven(travel, requests, route, size) / size
        for k in range(size):
            i = route[k]
            if i < known:
                before = 0 if k == 0 else requests[route[k - 1], PLACE]
                after = 0 if k == size - 1 else requests[route[k + 1], PLACE]
                place = requests[i, PLACE]
                votes[i] += now
                share[i] += mean
                extra[i] += travel[before, place] + travel[place, after] - travel[before, after]
