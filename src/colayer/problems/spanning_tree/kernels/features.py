"""The feature matrix: quantiles over neighbouring edges and over scenarios, and membership in spanning trees."""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.layers.sorting import order_into

QUANTILES = 11  # 0, 0.1, …, 1
FIRST = 2 + 2 * QUANTILES  # features of the first stage
SECOND = 1 + 4 * QUANTILES  # features of the second stage


@njit(cache=True, nogil=True)
def feature_matrix(u, v, first, costs, start, incident, in_first, paths, in_cheaper, by_cost):  # type: ignore[no-untyped-def]
    """Compute the rows of the table in features.py, (FIRST + SECOND, 2m) float32, columns by edge, stage 1 first.

    `costs` is d by edge, then scenario, (m, S). The edges at node i are incident[start[i] : start[i + 1]]. in_first[e]
    and in_cheaper[e, s] say whether the minimum spanning trees for c and min(c, d_s) hold the edge e; with `by_cost`
    such an indicator is multiplied by the cost of the edge. paths[e, s] is D_es, or whether the tree for d_s holds e.
    Sorting the costs around each edge dominates: O(S Σ_e δ(e)) expected, δ(e) being the number of edges that share a
    node with e.
    """
    m, scenarios = costs.shape
    out = np.zeros((FIRST + SECOND, 2 * m), np.float32)
    widest = 0
    for e in range(m):
        widest = max(widest, start[u[e] + 1] - start[u[e]] + start[v[e] + 1] - start[v[e]])
    near = np.empty(widest, np.int64)
    room = widest * scenarios
    values, keys, same = np.empty(room), np.empty(room), np.ones(scenarios)
    order, work = np.empty(room, np.int64), np.empty(2 * room + 1, np.int64)
    buys = np.empty(scenarios, np.bool_)
    for e in range(m):
        c, d = first[e], costs[e]
        count = _neighbours(e, u, v, start, incident, near)

        column = out[:FIRST, e]
        column[0] = c
        for k in range(count):
            values[k] = first[near[k]]
        order_into(values[:count], order, keys[:count], work)
        _quantiles(keys[:count], column[1:])
        if in_first[e]:
            column[1 + QUANTILES] = c if by_cost else 1.0
        for s in range(scenarios):
            buys[s] = in_cheaper[e, s] and c <= d[s]
            order[s] = s
            if by_cost:
                same[s] = c
        _kept_quantiles(same, order, buys, keys, column[2 + QUANTILES :])

        column = out[FIRST:, m + e]
        sum_d = 0.0
        for s in range(scenarios):
            sum_d += d[s]
            buys[s] = in_cheaper[e, s] and c > d[s]
        column[0] = sum_d / scenarios
        order_into(d, order, keys[:scenarios], work)
        _quantiles(keys[:scenarios], column[1:])
        _kept_quantiles(d if by_cost else same, order, buys, keys, column[1 + 3 * QUANTILES :])
        order_into(paths[e], order, keys[:scenarios], work)
        _quantiles(keys[:scenarios], column[1 + 2 * QUANTILES :])
        size = 0
        for k in range(count):
            for s in range(scenarios):
                values[size] = costs[near[k], s]
                size += 1
        order_into(values[:size], order, keys[:size], work)
        _quantiles(keys[:size], column[1 + QUANTILES :])
    return out


@inner(cache=True, nogil=True)
def _neighbours(e, u, v, start, incident, near):  # type: ignore[no-untyped-def]
    """Write δ(u) ∪ δ(v) of the edge e = uv, itself included, to `near`; how many there are."""
    count = 0
    for k in range(start[u[e]], start[u[e] + 1]):
        near[count] = incident[k]
        count += 1
    for k in range(start[v[e]], start[v[e] + 1]):
        other = incident[k]
        if u[other] != u[e] and v[other] != u[e]:  # parallel edges are there already
            near[count] = other
            count += 1
    return count


@inner(cache=True, nogil=True)
def _quantiles(keys, column):  # type: ignore[no-untyped-def]
    """Compute column[j], the quantile j/10 of the sorted keys, j = 0, …, 10, by linear interpolation."""
    last = len(keys) - 1
    for j in range(QUANTILES):
        below = j * last // (QUANTILES - 1)
        rest = j * last - below * (QUANTILES - 1)
        value = keys[below]
        if rest > 0:
            value += (keys[below + 1] - value) * (rest / (QUANTILES - 1))
        column[j] = value


@inner(cache=True, nogil=True)
def _kept_quantiles(values, order, kept, keys, column):  # type: ignore[no-untyped-def]
    """Compute quantiles of the values, with 0 in place of those not kept; `order` sorts the values."""
    count = len(kept)
    zeros = 0
    for s in range(count):
        zeros += not kept[s]
    place = 0
    for k in range(count):
        s = order[k]
        if kept[s]:
            if values[s] > 0.0:
                while zeros > 0:
                    keys[place] = 0.0
                    place += 1
                    zeros -= 1
            keys[place] = values[s]
            place += 1
    while place < count:
        keys[place] = 0.0
        place += 1
    _quantiles(keys[:count], column)
