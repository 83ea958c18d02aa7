"""Cheapest insertion, compiled: routes in tables that tell in O(1) what a place costs and whether it is feasible.

All tables are flat. after[(n + 1)·i + j] is the time from the start of service at i to the arrival at j, the depot is
number n; `beside` holds that of j to i and of i to j, at 2·((n + 1)·i + j). Route r has its stops at width·r,
width·r + 1, …: the depot, its requests, the depot; `stop` tells which, and of each stop `arc` the time from the one
before, `start` the earliest start of service, and `latest` the latest that leaves the rest of the route feasible. So a
place is tested in O(1), but where the route has to leave later. `book`[4·r]: how many requests, their load, when the
route leaves. row[i] is the route of request i, −1 if it is left out.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, OPENING, RELEASE, SERVICE

#: What the book says of a route.
SIZE, LOAD, LEAVE = range(3)
_NO_LIMIT, _ONE = np.int64(2**62), np.uint64(1)


@inner(cache=True, nogil=True)
def lay(after, requests, n, closing, stop, arc, start, latest, book, r, base):  # type: ignore[no-untyped-def]
    """Bring the times of a route up to date, and its load and when it leaves. O(size)."""
    size, load, leave = book[4 * r + SIZE], 0, 0
    for k in range(1, size + 1):
        i = stop[base + k]
        load += requests[6 * i + DEMAND]
        leave = max(leave, requests[6 * i + RELEASE])
    book[4 * r + LOAD], book[4 * r + LEAVE] = load, leave
    stop[base], stop[base + size + 1] = n, n
    time, i = np.int64(leave), n
    start[base] = time
    for k in range(1, size + 1):
        j = stop[base + k]
        drive = after[(n + 1) * i + j]
        arc[base + k] = drive
        time = max(time + drive, np.int64(requests[6 * j + OPENING]))
        start[base + k] = time
        i = j
    arc[base + size + 1] = after[(n + 1) * i + n]
    end = np.int64(closing)
    latest[base + size + 1] = end
    for k in range(size, 0, -1):
        end = min(end - arc[base + k + 1], np.int64(requests[6 * stop[base + k] + CLOSING]))
        latest[base + k] = end


@inner(cache=True, nogil=True)
def cheapest(beside, requests, n, capacity, width, stop, arc, start, latest, book, count, i, limit):  # type: ignore[no-untyped-def]
    """Return the least extra driving time of i, with route and the stop before it; ties by index.

    Route −1: a route of its own. Route −2: no place costs less than `limit`. Routes that leave too late for i, or would
    with i, are passed over. Indices are unsigned: numba spends two thirds of such a loop on what a negative one means.
    """
    service, demand = requests[6 * i + SERVICE], requests[6 * i + DEMAND]
    opening, closing, release = requests[6 * i + OPENING], requests[6 * i + CLOSING], requests[6 * i + RELEASE]
    line = np.uint64(2 * (n + 1) * i)
    to, most = np.int64(beside[line + np.uint64(2 * n)]), limit + service
    best_route, best_stop = -2, 0
    if to + beside[line + np.uint64(2 * n + 1)] < most:
        most, best_route = to + beside[line + np.uint64(2 * n + 1)], -1
    for r in range(count):
        size, leave = book[4 * r + SIZE], book[4 * r + LEAVE]
        if size == 0 or book[4 * r + LOAD] + demand > capacity or leave + to > closing:
            continue
        base, end = np.uint64(width * r), np.uint64(width * r + size + 1)
        later = release > leave
        if later and release + arc[base + _ONE] > latest[base + _ONE]:
            continue
        come, here = to, np.int64(release)
        for k in range(base, end):
            if not later:
                here = np.int64(start[k])
            elif k > base:
                here = max(here + arc[k], np.int64(requests[6 * stop[k] + OPENING]))
                if here > latest[k] or here > closing:
                    break
            j = line + np.uint64(2) * np.uint64(stop[k + _ONE])
            go = np.int64(beside[j + _ONE])
            extra = come + go - arc[k + _ONE]
            if extra < most:
                time = max(here + come, opening)
                if time <= closing and time + go <= latest[k + _ONE]:
                    most, best_route, best_stop = extra, r, np.int64(k) - width * r
            come = np.int64(beside[j])
    return most - service, best_route, best_stop


@inner(cache=True, nogil=True)
def insert(after, requests, n, closing, width, stop, arc, start, latest, book, row, r, place, i):  # type: ignore[no-untyped-def]
    """Put i into route r after a stop; a route without requests is begun. O(size)."""
    base, size = width * r, book[4 * r + SIZE]
    row[i] = r
    book[4 * r + SIZE] = size + 1
    if size == 0 or requests[6 * i + RELEASE] > book[4 * r + LEAVE]:
        for k in range(base + size, base + place, -1):
            stop[k + 1] = stop[k]
        stop[base + place + 1] = i
        lay(after, requests, n, closing, stop, arc, start, latest, book, r, base)
        return
    book[4 * r + LOAD] += requests[6 * i + DEMAND]
    here = base + place + 1
    for k in range(base + size + 1, base + place, -1):
        stop[k + 1], arc[k + 1], start[k + 1], latest[k + 1] = stop[k], arc[k], start[k], latest[k]
    stop[here] = i
    arc[here] = after[(n + 1) * stop[here - 1] + i]
    arc[here + 1] = after[(n + 1) * i + stop[here + 1]]
    time = np.int64(start[here - 1])
    for k in range(here, base + size + 2):
        time = max(time + arc[k], np.int64(requests[6 * stop[k] + OPENING]))
        if k > here and start[k] == time:
            break
        start[k] = time
    end = np.int64(latest[here + 1])
    for k in range(here, base, -1):
        end = min(end - arc[k + 1], np.int64(requests[6 * stop[k] + CLOSING]))
        if k < here and latest[k] == end:
            break
        latest[k] = end


@inner(cache=True, nogil=True)
def write_down(width, stop, book, visits, ends):  # type: ignore[no-untyped-def]
    """Write all routes to `visits` and `ends`, without gaps. O(n)."""
    number, count = 0, 0
    for r in range(len(visits)):
        if book[4 * r + SIZE] > 0:
            for k in range(width * r + 1, width * r + book[4 * r + SIZE] + 1):
                visits[number] = stop[k]
                number += 1
            count += 1
            ends[count] = number
    for r in range(count + 1, len(ends)):
        ends[r] = number


@njit(cache=True, nogil=True)
def build_into(  # type: ignore[no-untyped-def]
    after, beside, requests, capacity, closing, width, order, stop, arc, start, latest, book, row, visits, ends
):  # fmt: skip
    """Fill all tables with routes that serve what is in `order`, and `visits` and `ends`; return the driving time.

    Requests go, in this order, where they cost least extra driving time. Each must be feasible on a route of its own:
    then all routes are. O(n²).
    """
    n, total, count = len(row), np.int64(0), 0
    for r in range(n + 1):
        book[4 * r + SIZE] = 0
    row[:] = -1
    for i in order:
        extra, r, place = cheapest(
            beside, requests, n, capacity, width, stop, arc, start, latest, book, count, i, _NO_LIMIT
        )
        if r < 0:
            r, place = count, 0
            count += 1
        insert(after, requests, n, closing, width, stop, arc, start, latest, book, row, r, place, i)
        total += extra
    write_down(width, stop, book, visits, ends)
    return total
