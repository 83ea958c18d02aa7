"""Orders along a line: θ_i(t) = a_i + t·b_i is linear in t, so that neighbours in the order cross, a pair at a time.

The state of a sweep from t = low upwards is the order at t and, for each pair of neighbours, the moment at which the
later one overtakes the earlier one:

    t_ij = (a_j − a_i)/(b_i − b_j) where b_i > b_j, else never, and not before the moment of the sweep.

Invariant: between moments the order is that of θ(t), ties by index. Only neighbours can cross, so the next change of
the order is the least of these n − 1 moments, kept in a tournament tree. A pair that has crossed has b_i < b_j and
never crosses again: there are at most n(n − 1)/2 swaps, whatever rounding does to the moments. Each takes O(log n).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.compiled import njit
from colayer.layers.sorting import order_into

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def sweep_from(a: Floats, b: Floats, low: float) -> tuple[Ints, Floats]:
    """The order of θ(low), and the tournament of the moments: leaf size + k is that of places k and k + 1.

    Its inner nodes hold the least moment below them; `size` is the power of two that is half of its length. O(n log n).
    """
    n = len(a)
    order = np.empty(n, np.int64)
    order_into(a + low * b, order, np.empty(n), np.empty(2 * n + 1, np.int64))
    size = 1
    while size < n:
        size *= 2
    moments = np.full(2 * size, np.inf)
    for k in range(n - 1):
        moments[size + k] = crossing(a, b, order[k], order[k + 1], low)
    for node in range(size - 1, 0, -1):
        moments[node] = min(moments[2 * node], moments[2 * node + 1])
    return order, moments


@njit(cache=True, nogil=True)
def crossing(a: Floats, b: Floats, i: int, j: int, now: float) -> float:
    """When j, which comes after i at the moment `now`, overtakes it; ∞ for never."""
    closing = b[i] - b[j]
    if not closing > 0.0:
        return np.inf
    return max(now, (a[j] - a[i]) / closing)


@njit(cache=True, nogil=True)
def next_place(moments: Floats) -> int:
    """The place k whose pair (k, k + 1) crosses next, at moments[1]; of equals the first. O(log n)."""
    size = len(moments) // 2
    node = 1
    while node < size:
        node *= 2
        if moments[node] > moments[node + 1]:
            node += 1
    return node - size


@njit(cache=True, nogil=True)
def swap(a: Floats, b: Floats, order: Ints, moments: Floats, k: int) -> None:
    """Let the entries at places k and k + 1 cross now, at moments[1]: the order and three moments change. O(log n)."""
    now = moments[1]
    order[k], order[k + 1] = order[k + 1], order[k]
    size = len(moments) // 2
    for place in range(max(k - 1, 0), min(k + 2, len(order) - 1)):
        node = size + place
        moments[node] = np.inf if place == k else crossing(a, b, order[place], order[place + 1], now)
    # the leaves lie together: their parents do too, level by level
    left, right = (size + max(k - 1, 0)) // 2, (size + min(k + 1, size - 1)) // 2
    while left > 0:
        for node in range(left, right + 1):
            moments[node] = min(moments[2 * node], moments[2 * node + 1])
        left //= 2
        right //= 2
