"""Ruin and recreate, compiled: routes of little driving time, and prizes of what is left out.

The search of Christiaens and Vanden Berghe (Slack induction by string removals, Transportation Science 2020), written
anew for requests with release times and prizes. An iteration removes strings of neighbouring routes around a request
and puts what it removed back, one after the other, where it costs least; a request that need not be served is left out
where its prize is less. The result is kept if value < current − T·ln(u), u uniform in (0, 1), as T falls.

    value = driving time + Σ prizes of the requests that are left out

A route often pays only together, and no single request opens it: so in a part of the iterations all prizes count
several times, or a fraction, while requests are put back. The value that decides is the true one.

Invariant: routes are feasible, and a request that is left out has row −1. An iteration touches a few routes; those of
the last accepted solution are kept beside them, and copied back if it is rejected.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, OPENING
from colayer.problems.dynamic_routing.kernels.tour import (
    LATE,
    LENGTH,
    NEXT,
    NONE,
    OWN,
    PREVIOUS,
    ROW,
    best_place,
    copy_route,
    cut,
    put,
)

#: Requests removed at most in an iteration, and of one route.
_MOST, _STRING = 20, 10
#: The share of iterations in which prizes count more, the same of less, and how often they count at most.
_BOLD, _TIMES = 0.1, 4.0
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
def _remove(times, requests, around, state, tour, route, prizes, removed, out, touched, list_):  # type: ignore[no-untyped-def]
    """Remove strings around a random request; return how many requests, how many routes, and the change in value."""
    n = len(requests)
    target = 1 + int(_uniform(state) * _MOST)
    centre = int(_uniform(state) * n)
    count, number, change = 0, 0, 0.0
    for a in range(around.shape[1] + 1):
        i = centre if a == 0 else around[centre, a - 1]
        if count >= target or i < 0:
            break
        r = tour[i, ROW]
        if out[i]:
            continue
        if r < 0:
            removed[count], out[i] = i, True
            count += 1
            change -= prizes[i]
            continue
        if touched[r]:
            continue
        touched[r], list_[number] = True, r
        number += 1
        size = route[r, LENGTH]
        string = min(1 + int(_uniform(state) * min(_STRING, size)), target - count)
        first = i
        for _ in range(int(_uniform(state) * string)):
            if tour[first, PREVIOUS] == n:
                break
            first = tour[first, PREVIOUS]
        last = first
        removed[count], out[last] = last, True
        count += 1
        for _ in range(string - 1):
            if tour[last, NEXT] == n:
                break
            last = tour[last, NEXT]
            removed[count], out[last] = last, True
            count += 1
        change += cut(times, requests, tour, route, first, last, r)
    return count, number, change


@inner(cache=True, nogil=True)
def _sort(times, requests, state, removed, count, keys):  # type: ignore[no-untyped-def]
    """Sort what was removed: at random, by demand, by distance from the depot, or by width of window."""
    rule, depot = _uniform(state), len(requests)
    for q in range(count):
        i = removed[q]
        if rule < 0.4:
            keys[q] = _uniform(state)
        elif rule < 0.6:
            keys[q] = -requests[i, DEMAND]
        elif rule < 0.8:
            keys[q] = -times[depot, i]
        elif rule < 0.9:
            keys[q] = times[depot, i]
        else:
            keys[q] = requests[i, CLOSING] - requests[i, OPENING]
    for q in range(1, count):  # insertion sort: a few, and stable
        key, i, k = keys[q], removed[q], q
        while k > 0 and keys[k - 1] > key:
            keys[k], removed[k] = keys[k - 1], removed[k - 1]
            k -= 1
        keys[k], removed[k] = key, i


@inner(cache=True, nogil=True)
def _put_back(  # type: ignore[no-untyped-def]
    times, into, requests, capacity, before, after, prizes, required, factor, state, tour, route, removed, count,
    touched, list_, number,
):  # fmt: skip
    """Put requests back where they cost least, in their order; return how many routes were touched, and the change."""
    change, choices = 0.0, 2.0 * before.shape[1]
    for q in range(count):
        i = removed[q]
        limit = _NO_LIMIT if required[i] else np.int64(factor * prizes[i])
        blink = int(_uniform(state) * choices)
        extra, p, r = best_place(times, into, requests, capacity, before, after, tour, route, i, limit, blink)
        if r == NONE:
            change += prizes[i]
            continue
        if r == OWN:
            r = 0
            while route[r, LENGTH] > 0:
                r += 1
        if not touched[r]:
            touched[r], list_[number] = True, r
            number += 1
        put(times, requests, tour, route, i, p, r)
        change += extra
    return number, change


@njit(cache=True, nogil=True)
def build_into(times, into, requests, capacity, closing, before, after, order, tour, route):  # type: ignore[no-untyped-def]
    """Fill a tour with routes that serve all requests, put in this order; return their driving time.

    Each request must be feasible on a route of its own: then all routes are.
    """
    n = len(requests)
    tour[:], route[:] = 0, 0
    tour[:, ROW], tour[n, LATE] = -1, closing
    touched, list_ = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.int64)
    state, all_ = np.ones(1, np.uint64), np.ones(n, np.bool_)
    _, total = _put_back(
        times, into, requests, capacity, before, after, np.zeros(n), all_, 1.0, state, tour, route, order, n,
        touched, list_, 0,
    )  # fmt: skip
    return total


@njit(cache=True, nogil=True)
def improve_into(  # type: ignore[no-untyped-def]
    times, into, requests, capacity, before, after, around, prizes, required, iterations, hot, cold, state,
    tour, route, best_tour, best_route, values,
):  # fmt: skip
    """Go on with a search for some iterations, as the temperature falls from `hot` to `cold`.

    `tour` and `route` hold the current solution and `best_*` the best one; values[0] and values[1] are their values.
    `state` (uint64[1]) is the random generator.
    """
    n = len(requests)
    kept_tour, kept_route = tour.copy(), route.copy()
    touched, list_ = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.int64)
    removed, out, keys = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.zeros(n)
    temperature, fall = hot, (cold / hot) ** (1.0 / max(1, iterations))
    for _ in range(iterations):
        temperature *= fall
        size, number, change = _remove(
            times, requests, around, state, tour, route, prizes, removed, out, touched, list_
        )
        _sort(times, requests, state, removed, size, keys)
        for q in range(size):
            out[removed[q]] = False
        bold, factor = _uniform(state), 1.0
        if bold < _BOLD:
            factor = 1.0 + (_TIMES - 1.0) * _uniform(state)
        elif bold < 2 * _BOLD:
            factor = _uniform(state)
        number, more = _put_back(
            times, into, requests, capacity, before, after, prizes, required, factor, state, tour, route,
            removed, size, touched, list_, number,
        )  # fmt: skip
        value = values[0] + change + more
        if value < values[0] - temperature * np.log(max(1e-300, _uniform(state))):
            values[0] = value
            for q in range(number):
                touched[list_[q]] = False
                copy_route(tour, route, list_[q], kept_tour, kept_route)
            for q in range(size):
                kept_tour[removed[q], ROW] = tour[removed[q], ROW]
            if value < values[1]:
                values[1] = value
                best_tour[:], best_route[:] = tour, route
        else:
            for q in range(size):
                tour[removed[q], ROW] = -1
            for q in range(number):
                touched[list_[q]] = False
                copy_route(kept_tour, kept_route, list_[q], tour, route)
