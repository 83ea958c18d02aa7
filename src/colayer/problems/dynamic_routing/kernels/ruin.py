"""Ruin and recreate, compiled: routes of little driving time, and prizes of what is left out.

The search of Christiaens and Vanden Berghe (Slack induction by string removals, Transportation Science 2020), written
anew for requests with release times and prizes. An iteration removes strings of neighbouring routes around a request
and puts what it removed back, one after the other, where it costs least; a request that need not be served is left out
where its prize is less. In every other iteration nothing is: so routes are opened that pay only together, and a whole
route is taken away in some. The result is kept if value < current − T·ln(u), u uniform in (0, 1), as T falls.

    value = driving time + Σ prizes of the requests that are left out

The tables are those of `insertion`. Invariant: routes are feasible, and all tables are up to date. An iteration touches
a few routes; those of the last accepted solution are kept beside them, and copied back if it is rejected.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.problems.dynamic_routing.kernels.insertion import SIZE, cheapest, insert, lay, write_down
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, OPENING, SERVICE

#: Requests removed at most in an iteration, and of one route.
_MOST, _STRING = 20, 10
#: The share of iterations that leave nothing out, and of those that take away a whole route.
_ALL, _WHOLE = 0.5, 0.2


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
            lay(after, requests, n, closing, stop, arc, start, latest, book, r, base)
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
            insert(after, requests, n, closing, width, stop, arc, start, latest, book, row, r, place, i)
            value += extra
        if value < most:
            values[0] = value
            _copy(
                touched, list_, number, removed, size, width, stop, arc, start, latest, book, row,
                kept_stop, kept_arc, kept_start, kept_latest, kept_book, kept_row,
            )  # fmt: skip
            if value < values[1]:
                values[1] = value
                write_down(width, stop, book, visits, ends)
        else:
            count = routes
            _copy(
                touched, list_, number, removed, size, width, kept_stop, kept_arc, kept_start, kept_latest, kept_book,
                kept_row, stop, arc, start, latest, book, row,
            )  # fmt: skip
