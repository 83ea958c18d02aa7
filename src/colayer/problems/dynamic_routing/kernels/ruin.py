"""Ruin and recreate, compiled: routes of little driving time, and prizes of what is left out.

The search of Christiaens and Vanden Berghe (Slack induction by string removals, Transportation Science 2020), written
anew for requests with release times and prizes. An iteration removes strings of neighbouring routes around a request
and puts what it removed back, one after the other, where it costs least; a request that need not be served is left out
where its prize is less. In every other iteration nothing is: so routes are opened that pay only together, and a whole
route is taken away in some. The result is kept if value < current − T·ln(u), u uniform in (0, 1), as T falls.

    value = driving time + Σ prizes of the requests that are left out

All tables are flat. after[(n + 1)·i + j] is the time from the start of service at i to the arrival at j, the depot is
number n; `beside` holds that of j to i and of i to j, at 2·((n + 1)·i + j). Route r has its stops at width·r,
width·r + 1, …: the depot, its requests, the depot; `stop` tells which, and of each stop `arc` the time from the one
before, `start` the earliest start of service, and `latest` the latest that leaves the rest of the route feasible. So a
place is tested in O(1), but where the route has to leave later. `book`[4·r]: how many requests, their load, when the
route leaves. row[i] is the route of request i, −1 if it is left out.

Invariant: routes are feasible, and all tables are up to date. An iteration touches a few routes; those of the last
accepted solution are kept beside them, and copied back if it is rejected.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, OPENING, RELEASE, SERVICE

#: Requests removed at most in an iteration, and of one route.
_MOST, _STRING = 20, 10
#: The share of iterations that leave nothing out, and of those that take away a whole route.
_ALL, _WHOLE = 0.5, 0.2
#: What the book says of a route.
SIZE, LOAD, LEAVE = range(3)
_NO_LIMIT, _ONE = np.int64(2**62), np.uint64(1)


@inner(cache=True, nogil=True)
def _uniform(state):  # type: ignore[no-untyped-def]
    """Return the next number of [0, 1) of a 64-bit xorshift generator (Marsaglia 2003); state is never 0."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.float64(x >> np.uint64(11)) / 9007199254740992.0


@inner(cache=True, nogil=True)
def _lay(after, requests, n, closing, stop, arc, start, latest, book, r, base):  # type: ignore[no-untyped-def]
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
        come = to
        if release <= leave:
            for k in range(base, end):
                j = line + np.uint64(2) * np.uint64(stop[k + _ONE])
                go = np.int64(beside[j + _ONE])
                extra = come + go - arc[k + _ONE]
                if extra < most:
                    time = max(start[k] + come, opening)
                    if time <= closing and time + go <= latest[k + _ONE]:
                        most, best_route, best_stop = extra, r, np.int64(k) - width * r
                come = np.int64(beside[j])
        elif release + arc[base + _ONE] <= latest[base + _ONE]:
            here = np.int64(release)
            for k in range(base, end):
                if k > base:
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
def _insert(after, requests, n, closing, width, stop, arc, start, latest, book, row, r, place, i):  # type: ignore[no-untyped-def]
    """Put i into route r after a stop; a route without requests is begun. O(size)."""
    base, size = width * r, book[4 * r + SIZE]
    row[i] = r
    book[4 * r + SIZE] = size + 1
    if size == 0 or requests[6 * i + RELEASE] > book[4 * r + LEAVE]:
        for k in range(base + size, base + place, -1):
            stop[k + 1] = stop[k]
        stop[base + place + 1] = i
        _lay(after, requests, n, closing, stop, arc, start, latest, book, r, base)
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
def _write_down(width, stop, book, visits, ends):  # type: ignore[no-untyped-def]
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
        _insert(after, requests, n, closing, width, stop, arc, start, latest, book, row, r, place, i)
        total += extra
    _write_down(width, stop, book, visits, ends)
    return total


@inner(cache=True, nogil=True)
def _remove(  # type: ignore[no-untyped-def]
    after, requests, n, closing, near, state, width, stop, arc, start, latest, book, row, prizes, removed, out, touched,
    list_,
):  # fmt: skip
    """Remove strings around a random request; return how many requests, how many routes, and the change in value."""
    target, whole = 1 + int(_uniform(state) * _MOST), _uniform(state) < _WHOLE
    centre = int(_uniform(state) * n)
    count, number, change = 0, 0, 0.0
    for a in range(near.shape[1] + 1):
        if count >= target:
            break
        i = centre if a == 0 else near[centre, a - 1]
        if out[i]:
            continue
        r = row[i]
        if r < 0:
            removed[count], out[i] = i, True
            count += 1
            change -= prizes[i]
            continue
        if touched[r]:
            continue
        touched[r], list_[number] = True, r
        number += 1
        base, size = width * r, np.int64(book[4 * r + SIZE])
        k = 1
        while stop[base + k] != i:
            k += 1
        string = min(1 + int(_uniform(state) * min(_STRING, size)), target - count)
        if whole and number == 1:
            string = int(size)
        first = max(1, min(k - int(_uniform(state) * string), size - string + 1))
        for q in range(base + first, base + first + string):
            j = stop[q]
            removed[count], out[j], row[j] = j, True, -1
            count += 1
            change -= arc[q] - requests[6 * j + SERVICE]
        change -= arc[base + first + string]
        book[4 * r + SIZE] = size - string
        if size > string:
            for q in range(base + first, base + size - string + 1):
                stop[q] = stop[q + string]
            _lay(after, requests, n, closing, stop, arc, start, latest, book, r, base)
            change += arc[base + first]
    return count, number, change


@inner(cache=True, nogil=True)
def _sort(after, requests, n, state, removed, count, keys):  # type: ignore[no-untyped-def]
    """Sort what was removed: at random, by demand, by distance from the depot, or by width of window."""
    rule = _uniform(state)
    for q in range(count):
        i = removed[q]
        if rule < 0.4:
            keys[q] = _uniform(state)
        elif rule < 0.6:
            keys[q] = -requests[6 * i + DEMAND]
        elif rule < 0.8:
            keys[q] = -after[n * (n + 1) + i]
        elif rule < 0.9:
            keys[q] = after[n * (n + 1) + i]
        else:
            keys[q] = requests[6 * i + CLOSING] - requests[6 * i + OPENING]
    for q in range(1, count):  # insertion sort: a few, and stable
        key, i, k = keys[q], removed[q], q
        while k > 0 and keys[k - 1] > key:
            keys[k], removed[k] = keys[k - 1], removed[k - 1]
            k -= 1
        keys[k], removed[k] = key, i


@inner(cache=True, nogil=True)
def _copy(  # type: ignore[no-untyped-def]
    touched, list_, number, removed, size, width, stop, arc, start, latest, book, row,
    to_stop, to_arc, to_start, to_latest, to_book, to_row,
):  # fmt: skip
    """Copy the touched routes, and where what was removed is; nothing is touched then. O(their sizes)."""
    for q in range(number):
        r = list_[q]
        touched[r] = False
        for k in range(4 * r, 4 * r + 3):
            to_book[k] = book[k]
        base = width * r
        for k in range(base, base + book[4 * r + SIZE] + 2):
            to_stop[k], to_arc[k], to_start[k], to_latest[k] = stop[k], arc[k], start[k], latest[k]
    for q in range(size):
        to_row[removed[q]] = row[removed[q]]


@njit(cache=True, nogil=True)
def improve_into(  # type: ignore[no-untyped-def]
    after, beside, requests, capacity, closing, prizes, required, near, iterations, hot, cold, state, width, stop, arc,
    start, latest, book, row, visits, ends, values,
):  # fmt: skip
    """Go on with a search for some iterations, as the temperature falls from `hot` to `cold`.

    The tables hold the current solution, `visits` and `ends` the best one: its route r visits visits[ends[r]] …
    visits[ends[r + 1] − 1]; values[0] and values[1] are their values. `near`[i] lists requests near request i, nearest
    first; `state` (uint64[1]) is the random generator.

    The random number of the acceptance is drawn first: an iteration ends where no place is left that would be kept.
    """
    n, count = len(row), 0
    for r in range(n + 1):
        if book[4 * r + SIZE] > 0:
            count = r + 1
    kept_stop, kept_arc, kept_start, kept_latest = stop.copy(), arc.copy(), start.copy(), latest.copy()
    kept_book, kept_row = book.copy(), row.copy()
    touched, list_ = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.int64)
    removed, out, keys = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.zeros(n)
    temperature, fall = hot, (cold / hot) ** (1.0 / max(1, iterations))
    for _ in range(iterations):
        temperature *= fall
        routes = count
        most = values[0] - temperature * np.log(max(1e-300, _uniform(state)))
        size, number, change = _remove(
            after, requests, n, closing, near, state, width, stop, arc, start, latest, book, row, prizes, removed, out,
            touched, list_,
        )  # fmt: skip
        _sort(after, requests, n, state, removed, size, keys)
        value, every = values[0] + change, _uniform(state) < _ALL
        for q in range(size):
            i = removed[q]
            out[i] = False
            if value >= most:
                continue
            must = every or required[i]
            room = most - value if must else min(most - value, prizes[i])
            extra, r, place = cheapest(
                beside, requests, n, capacity, width, stop, arc, start, latest, book, count, i,
                np.int64(np.ceil(room)),
            )  # fmt: skip
            if r == -2:
                value = most if must else value + prizes[i]
                continue
            if r == -1:
                r, place = 0, 0
                while r < count and book[4 * r + SIZE] > 0:
                    r += 1
                count = max(count, r + 1)
            if not touched[r]:
                touched[r], list_[number] = True, r
                number += 1
            _insert(after, requests, n, closing, width, stop, arc, start, latest, book, row, r, place, i)
            value += extra
        if value < most:
            values[0] = value
            _copy(
                touched, list_, number, removed, size, width, stop, arc, start, latest, book, row,
                kept_stop, kept_arc, kept_start, kept_latest, kept_book, kept_row,
            )  # fmt: skip
            if value < values[1]:
                values[1] = value
                _write_down(width, stop, book, visits, ends)
        else:
            count = routes
            _copy(
                touched, list_, number, removed, size, width, kept_stop, kept_arc, kept_start, kept_latest, kept_book,
                kept_row, stop, arc, start, latest, book, row,
            )  # fmt: skip
