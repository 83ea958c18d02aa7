"""A start for the matching of many rows: an auction, whose work per row does not grow with the rows.

Rows bid for columns. A row without a column takes the one of least θ_uv − π_v, if that is below the cost of staying
alone, and lowers π_v until the column is worse by `step` than the second best; who had it bids anew. Duals only fall,
by at least `step` a bid, so the auction ends; each row is then matched within `step` of its best (Bertsekas, "The
auction algorithm: a distributed relaxation method for the assignment problem", 1988). `rematch_into` mends the rest:
shortest augmenting paths from such duals visit tens of rows, whereas from none they visit a part of all rows.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import njit
from colayer.layers.kernels.matching import KEPT, least

MOST = 400  # bids per row


@njit(cache=True, nogil=True)
def bid_into(indptr, heads, costs, column_costs, row_costs, order, step, partner, column_duals):  # type: ignore[no-untyped-def]
    """Fill `partner` and `column_duals` with the outcome of an auction; the other arguments are those of `match_into`.

    A row looks at its KEPT best columns. Those left out were no better than the last of them when it looked at all, and
    have become no better since, so it looks at all again only once its second best is worse than that. At most MOST
    bids per row, each O(KEPT), and some passes over the arcs.
    """
    rows = row_costs.shape[0]
    columns = column_costs.shape[0]
    owner = np.full(columns, -1, np.int64)
    stack = np.empty(rows, np.int64)
    sizes = np.full(rows, -1, np.int64)  # −1: it has not looked yet
    outside = np.empty(rows)  # a lower bound of θ_uv − π_v over the columns left out
    kept_heads = np.empty(rows * KEPT, np.uint32)
    kept_costs = np.empty(rows * KEPT)
    values = np.empty(KEPT)
    buffer = np.empty(columns)
    for v in range(columns):
        column_duals[v] = column_costs[v]
    for i in range(rows):
        partner[i] = -1
        stack[rows - 1 - i] = order[i]
    waiting = rows
    for _ in range(MOST * rows):
        if waiting == 0:
            return
        u = stack[waiting - 1]
        while True:
            best = second = row_costs[u]
            place = np.int64(-1)
            for k in range(u * KEPT, u * KEPT + sizes[u]):
                value = kept_costs[k] - column_duals[kept_heads[k]]
                if value < best:
                    second = best
                    best = value
                    place = k
                elif value < second:
                    second = value
            if sizes[u] >= 0 and second <= outside[u]:
                break
            sizes[u] = least(
                heads[indptr[u] : indptr[u + 1]], costs[indptr[u] : indptr[u + 1]], column_duals, row_costs[u],
                KEPT, u * KEPT, kept_heads, kept_costs, values, buffer,
            )  # fmt: skip
            outside[u] = values[KEPT - 1] if sizes[u] == KEPT else np.inf
        waiting -= 1
        if place < 0:
            continue
        v = kept_heads[place]
        column_duals[v] -= second - best + step
        before = owner[v]
        owner[v] = u
        partner[u] = np.int64(v)
        if before >= 0:
            partner[before] = -1
            stack[waiting] = before
            waiting += 1
