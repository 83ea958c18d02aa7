"""Exact matching of least cost in which rows and columns may stay unmatched at a cost; arcs are priced lazily.

Rows u and columns v, arcs (u, v) of cost θ_uv; a row that stays alone costs `row_costs[u]`, a column `column_costs[v]`.
Duals α (rows) and π (columns) stay feasible on the arcs kept so far, within their limits,

    α_u + π_v ≤ θ_uv,   α_u ≤ row_costs[u],   π_v ≤ column_costs[v],

with equality on matched arcs and, once the kept arcs are solved, for every row and column that is alone. Few arcs
matter: a row keeps the KEPT best under π when it is inserted. Then all arcs are priced: a row with violated arcs also
keeps the ADDED worst of them, its dual falls to what they allow, and it is matched anew, as are the columns that lost
their row. When no arc is violated, α and π are feasible for all arcs and prove the matching optimal.

Shortest augmenting paths with duals: Jonker & Volgenant, "A shortest augmenting path algorithm for dense and sparse
linear assignment problems" (1987); pricing around a sparse core: Volgenant, "Linear and semi-assignment problems: a
core oriented approach" (1996). One thread, no randomness: the result is a function of the arguments alone.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.layers.kernels.augment import augment, workspace

KEPT = 16  # arcs of a row that are kept when it is inserted
ADDED = 8  # violated arcs that a round of pricing adds to a row
TOLERANCE = 1e-11  # of a violation, relative to the largest cost that matters; rounding stays well below
_BLOCK = 32  # arcs compared at once


@njit(cache=True, nogil=True)
def match_into(indptr, heads, costs, column_costs, row_costs, order, partner, row_duals, column_duals, again=False):  # type: ignore[no-untyped-def]
    """Fill `partner` (column of each row, −1: alone), `row_duals` (α) and `column_duals` (π) with an optimum.

    indptr int64[rows + 1], heads int32[arcs], costs float64[arcs]: arcs in compressed rows. column_costs
    float64[columns], row_costs float64[rows]; order int64[rows]: the rows in order of insertion. Scratch memory
    O(KEPT·rows + columns). Each round of pricing keeps at least one arc more, so there is a last one; on city graphs
    there are 3 to 9, each a pass over the arcs at memory speed.

    What the last three arrays hold on entry does not matter, unless `again`: then it starts from the matching `partner`
    and the duals `column_duals`, whatever they are. A row keeps its column where their arc is tight,
    θ_uv − π_v = min_w (θ_uw − π_w); all others are inserted. So there is little to do where few arcs have changed, or
    all of them a little.
    """
    rows = row_costs.shape[0]
    columns = column_costs.shape[0]
    if not again:
        for u in range(rows):
            partner[u] = -1
        for v in range(columns):
            column_duals[v] = column_costs[v]
    work = workspace(max(rows, columns))
    owner = np.empty(columns, np.int64)  # row of each column
    firsts = np.empty(rows, np.int64)  # kept arcs of row u: firsts[u] … lasts[u] − 1
    lasts = np.empty(rows, np.int64)
    kept_heads = np.empty(rows * KEPT, np.uint32)  # unsigned: an index that needs no wraparound
    kept_costs = np.empty(rows * KEPT)
    values = np.empty(KEPT)
    buffer = np.empty(columns)
    keys = np.empty(rows * KEPT)
    nodes = np.empty(rows * KEPT, np.uint32)
    tails = nodes  # the kept arcs by column, once there are rounds of pricing
    tail_costs = keys
    column_firsts = np.empty(columns, np.int64)
    column_lasts = np.empty(columns, np.int64)
    scale = 0.0
    for v in range(columns):
        owner[v] = -1
        column_duals[v] = min(column_duals[v], column_costs[v])
        scale = max(scale, abs(column_costs[v]))
    for u in range(rows):
        if partner[u] >= 0:
            owner[partner[u]] = u
        row_duals[u] = row_costs[u]
        scale = max(scale, abs(row_costs[u]))

    for u in range(rows):
        v = partner[u]
        if v < 0:
            continue
        firsts[u] = u * KEPT
        found = least(
            heads[indptr[u] : indptr[u + 1]], costs[indptr[u] : indptr[u + 1]], column_duals, row_costs[u],
            KEPT, firsts[u], kept_heads, kept_costs, values, buffer,
        )  # fmt: skip
        lasts[u] = firsts[u] + found
        partner[u] = -1
        for k in range(firsts[u], lasts[u]):
            scale = max(scale, abs(kept_costs[k]))
            value = kept_costs[k] - column_duals[v]
            if kept_heads[k] == v and value <= values[0] + TOLERANCE * scale:
                partner[u] = v
                row_duals[u] = value
        if partner[u] < 0:
            owner[v] = -1
    lost = False  # whether a column is alone at less than its cost: it is matched, or its dual raised, after a round
    for v in range(columns):
        lost |= owner[v] < 0 and column_duals[v] < column_costs[v]

    new_heads = np.empty(rows * ADDED, np.uint32)
    new_costs = np.empty(rows * ADDED)
    added = np.empty(rows, np.int64)
    insertion = True  # the first round; then rounds of pricing
    while True:
        for position in range(rows):
            u = order[position]
            if insertion and partner[u] >= 0:
                added[u] = 0
            elif insertion:
                first = u * KEPT
                added[u] = least(
                    heads[indptr[u] : indptr[u + 1]], costs[indptr[u] : indptr[u + 1]], column_duals, row_costs[u],
                    KEPT, first, kept_heads, kept_costs, values, buffer,
                )  # fmt: skip
                firsts[u] = first
                lasts[u] = first + added[u]
                for k in range(first, lasts[u]):
                    scale = max(scale, abs(kept_costs[k]))
                if added[u] > 0:
                    row_duals[u] = values[0]
            if added[u] > 0:
                augment(
                    u, firsts, lasts, kept_heads, kept_costs, row_costs, row_duals, column_duals, partner, owner, work,
                    keys, nodes,
                )  # fmt: skip
        if not insertion:
            _transpose_into(firsts, lasts, kept_heads, kept_costs, column_firsts, column_lasts, tails, tail_costs)
            for v in range(columns):
                if owner[v] < 0 and column_duals[v] < column_costs[v]:
                    augment(
                        v, column_firsts, column_lasts, tails, tail_costs, column_costs, column_duals, row_duals, owner,
                        partner, work, keys, nodes,
                    )  # fmt: skip
        insertion = False
        new = 0
        for u in range(rows):
            added[u] = 0
            row_heads = heads[indptr[u] : indptr[u + 1]]
            theta = costs[indptr[u] : indptr[u + 1]]
            limit = row_duals[u] - TOLERANCE * scale
            if _violated(row_heads, theta, column_duals, limit):
                found = least(row_heads, theta, column_duals, limit, ADDED, new, new_heads, new_costs, values, buffer)
                added[u] = _fresh(kept_heads[firsts[u] : lasts[u]], new_heads, new_costs, new, found)
                new += added[u]
            if added[u] > 0:
                row_duals[u] = values[0]
                if partner[u] >= 0:
                    owner[partner[u]] = -1
                    partner[u] = -1
        if new == 0 and not lost:
            return
        lost = False
        total = new
        for u in range(rows):
            total += lasts[u] - firsts[u]
        merged_heads = np.empty(total, np.uint32)
        merged_costs = np.empty(total)
        _merge_into(firsts, lasts, kept_heads, kept_costs, added, new_heads, new_costs, merged_heads, merged_costs)
        kept_heads = merged_heads
        kept_costs = merged_costs
        tails = np.empty(total, np.uint32)
        tail_costs = np.empty(total)
        keys = np.empty(total)
        nodes = np.empty(total, np.uint32)


@inner(cache=True, nogil=True)
def least(heads, costs, column_duals, limit, most, base, kept_heads, kept_costs, values, buffer):  # type: ignore[no-untyped-def]
    """Copy the (at most) `most` arcs of a row with the least θ_v − π_v < limit to `base` onwards, ties by position.

    Return their number; `values` holds their θ_v − π_v, ascending. The differences are computed at once, whole blocks
    that hold nothing new are skipped, and an insertion sort does the rest.
    """
    arcs = heads.shape[0]
    for k in range(arcs):
        buffer[k] = costs[k] - column_duals[np.uint32(heads[k])]
    size = 0
    worst = limit
    for start in range(0, arcs, _BLOCK):
        block = buffer[start : start + _BLOCK] if start + _BLOCK < arcs else buffer[start:arcs]
        below = np.int64(0)
        for k in range(block.shape[0]):
            below += np.int64(block[k] < worst)
        if below == 0:
            continue
        for k in range(block.shape[0]):
            value = block[k]
            if value < worst:
                i = size if size < most else most - 1
                while i > 0 and values[i - 1] > value:
                    values[i] = values[i - 1]
                    kept_heads[base + i] = kept_heads[base + i - 1]
                    kept_costs[base + i] = kept_costs[base + i - 1]
                    i -= 1
                values[i] = value
                kept_heads[base + i] = heads[start + k]
                kept_costs[base + i] = costs[start + k]
                if size < most:
                    size += 1
                if size == most:
                    worst = values[most - 1]
    return size


@inner(cache=True, nogil=True)
def _violated(heads, costs, column_duals, limit):  # type: ignore[no-untyped-def]
    """Count the arcs of a row with θ_v < π_v + limit; counting, unlike searching, vectorises."""
    count = np.int64(0)
    for k in range(heads.shape[0]):
        count += np.int64(costs[k] < column_duals[np.uint32(heads[k])] + limit)
    return count


@inner(cache=True, nogil=True)
def _fresh(kept, new_heads, new_costs, base, found):  # type: ignore[no-untyped-def]
    """Keep those of the `found` arcs at `base` whose head is not in `kept`; return their number."""
    size = 0
    for i in range(base, base + found):
        known = False
        for k in range(kept.shape[0]):
            known |= kept[k] == new_heads[i]
        if not known:
            new_heads[base + size] = new_heads[i]
            new_costs[base + size] = new_costs[i]
            size += 1
    return size


@inner(cache=True, nogil=True)
def _merge_into(firsts, lasts, kept_heads, kept_costs, added, new_heads, new_costs, merged_heads, merged_costs):  # type: ignore[no-untyped-def]
    """Append the `added[u]` new arcs of each row to its kept ones; `firsts` and `lasts` move with them."""
    k = 0
    i = 0
    for u in range(firsts.shape[0]):
        first = k
        for j in range(firsts[u], lasts[u]):
            merged_heads[k] = kept_heads[j]
            merged_costs[k] = kept_costs[j]
            k += 1
        for _ in range(added[u]):
            merged_heads[k] = new_heads[i]
            merged_costs[k] = new_costs[i]
            k += 1
            i += 1
        firsts[u] = first
        lasts[u] = k


@inner(cache=True, nogil=True)
def _transpose_into(firsts, lasts, kept_heads, kept_costs, column_firsts, column_lasts, tails, costs):  # type: ignore[no-untyped-def]
    """Store the kept arcs by column: firsts, lasts, tails (ascending in each column) and costs."""
    for v in range(column_lasts.shape[0]):
        column_lasts[v] = 0
    for k in range(kept_heads.shape[0]):
        column_lasts[kept_heads[k]] += 1
    k = 0
    for v in range(column_lasts.shape[0]):
        column_firsts[v] = k
        k += column_lasts[v]
        column_lasts[v] = column_firsts[v]
    for u in range(firsts.shape[0]):
        for k in range(firsts[u], lasts[u]):
            v = kept_heads[k]
            i = column_lasts[v]
            tails[i] = u
            costs[i] = kept_costs[k]
            column_lasts[v] = i + 1
