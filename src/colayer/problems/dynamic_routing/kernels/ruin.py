"""Ruin and recreate, compiled: routes of little driving time, and prizes of what is left out.

The search of Christiaens and Vanden Berghe (Slack induction by string removals, Transportation Science 2020), written
anew for requests with release times and prizes. An iteration removes strings of neighbouring routes around a request
and puts what it removed back, one after the other, where it costs least; a request that need not be served is left out
where its prize is less. The result is kept if value < current − T·ln(u), u uniform in (0, 1), as T falls.

    value = driving time + Σ prizes of the requests that are left out

Invariant: routes are feasible, and row[i] is the route of request i, −1 if it is left out. An iteration touches a few
routes; those of the last accepted solution are kept beside them, and copied back if it is rejected. O(positions) per
request that is put back.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, OPENING, PLACE, RELEASE, cheapest, insert

#: Requests removed at most in an iteration, and of one route.
_MOST, _STRING = 20, 10
_NO_LIMIT = np.int64(2**62)


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
def _remove(travel, requests, near, state, routes, length, load, leave, row, prizes, removed, out, touched, list_):  # type: ignore[no-untyped-def]
    """Remove strings around a random request; return how many requests, how many routes, and the change in value."""
    n = len(requests)
    target = 1 + int(_uniform(state) * _MOST)
    centre = int(_uniform(state) * n)
    count, routes_touched, change = 0, 0, 0.0
    for a in range(near.shape[1] + 1):
        if count >= target:
            break
        i = centre if a == 0 else near[centre, a - 1]
        r = row[i]
        if out[i]:
            continue
        if r < 0:
            removed[count], out[i] = i, True
            count += 1
            change -= prizes[i]
            continue
        if touched[r]:
            continue
        touched[r], list_[routes_touched] = True, r
        routes_touched += 1
        size = length[r]
        k = 0
        while routes[r, k] != i:
            k += 1
        string = min(1 + int(_uniform(state) * min(_STRING, size)), target - count)
        first = max(0, min(k - int(_uniform(state) * string), size - string))
        before = 0 if first == 0 else requests[routes[r, first - 1], PLACE]
        place = before
        for q in range(first, first + string):
            j = routes[r, q]
            removed[count], out[j], row[j] = j, True, -1
            count += 1
            load[r] -= requests[j, DEMAND]
            change -= travel[place, requests[j, PLACE]]
            place = requests[j, PLACE]
        after = 0 if first + string == size else requests[routes[r, first + string], PLACE]
        change -= travel[place, after]
        if size > string:
            change += travel[before, after]
        length[r] = size - string
        for q in range(first, length[r]):
            routes[r, q] = routes[r, q + string]
        leave[r] = 0
        for q in range(length[r]):
            leave[r] = max(leave[r], requests[routes[r, q], RELEASE])
    return count, routes_touched, change


@inner(cache=True, nogil=True)
def _sort(travel, requests, state, removed, count, keys):  # type: ignore[no-untyped-def]
    """Sort what was removed: at random, by demand, by distance from the depot, or by width of window."""
    rule = _uniform(state)
    for q in range(count):
        i = removed[q]
        if rule < 0.4:
            keys[q] = _uniform(state)
        elif rule < 0.6:
            keys[q] = -requests[i, DEMAND]
        elif rule < 0.8:
            keys[q] = -travel[0, requests[i, PLACE]]
        elif rule < 0.9:
            keys[q] = travel[0, requests[i, PLACE]]
        else:
            keys[q] = requests[i, CLOSING] - requests[i, OPENING]
    for q in range(1, count):  # insertion sort: a few, and stable
        key, i, k = keys[q], removed[q], q
        while k > 0 and keys[k - 1] > key:
            keys[k], removed[k] = keys[k - 1], removed[k - 1]
            k -= 1
        keys[k], removed[k] = key, i


@inner(cache=True, nogil=True)
def _copy(  # type: ignore[no-untyped-def]
    touched, list_, number, removed, size, routes, length, load, leave, row,
    to_routes, to_length, to_load, to_leave, to_row,
):  # fmt: skip
    """Copy the touched routes, and where what was removed is; nothing is touched then. O(their lengths)."""
    for q in range(number):
        r = list_[q]
        touched[r] = False
        to_length[r], to_load[r], to_leave[r] = length[r], load[r], leave[r]
        for k in range(length[r]):
            to_routes[r, k] = routes[r, k]
            to_row[routes[r, k]] = r
    for q in range(size):
        to_row[removed[q]] = row[removed[q]]


@njit(cache=True, nogil=True)
def improve_into(  # type: ignore[no-untyped-def]
    travel, requests, capacity, closing, prizes, required, near, iterations, hot, cold, state, routes, length, row,
    best_routes, best_length, best_row, values,
):  # fmt: skip
    """Go on with a search for some iterations, as the temperature falls from `hot` to `cold`.

    `routes`, `length` and `row` hold the current solution and `best_*` the best one; values[0] and values[1] are their
    values. `near`[i] lists requests near request i, nearest first; `state` (uint64[1]) is the random generator.
    """
    n = len(requests)
    load, leave, count = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), 0
    for r in range(n + 1):
        for k in range(length[r]):
            count = r + 1
            load[r] += requests[routes[r, k], DEMAND]
            leave[r] = max(leave[r], requests[routes[r, k], RELEASE])
    kept_routes, kept_length, kept_row = routes.copy(), length.copy(), row.copy()
    kept_load, kept_leave = load.copy(), leave.copy()
    touched, list_ = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.int64)
    removed, out, keys = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.zeros(n)
    temperature, fall = hot, (cold / hot) ** (1.0 / max(1, iterations))
    for _ in range(iterations):
        temperature *= fall
        before = count
        size, number, change = _remove(
            travel, requests, near, state, routes, length, load, leave, row, prizes, removed, out, touched, list_
        )
        _sort(travel, requests, state, removed, size, keys)
        value = values[0] + change
        for q in range(size):
            i = removed[q]
            out[i] = False
            limit = _NO_LIMIT if required[i] else np.int64(prizes[i])
            extra, r, k = cheapest(travel, requests, capacity, closing, routes, length, load, leave, count, i, limit)
            if r == -2:
                value += prizes[i]
                continue
            if r == -1:
                r, k = 0, 0
                while r < count and length[r] > 0:
                    r += 1
                count = max(count, r + 1)
            if not touched[r]:
                touched[r], list_[number] = True, r
                number += 1
            insert(requests, routes, length, load, leave, row, r, k, i)
            value += extra
        if value < values[0] - temperature * np.log(max(1e-300, _uniform(state))):
            values[0] = value
            _copy(
                touched, list_, number, removed, size, routes, length, load, leave, row,
                kept_routes, kept_length, kept_load, kept_leave, kept_row,
            )  # fmt: skip
            if value < values[1]:
                values[1] = value
                best_length[:] = length
                best_row[:] = row
                for r in range(count):
                    for k in range(length[r]):
                        best_routes[r, k] = routes[r, k]
        else:
            count = before
            _copy(
                touched, list_, number, removed, size, kept_routes, kept_length, kept_load, kept_leave, kept_row,
                routes, length, load, leave, row,
            )  # fmt: skip
