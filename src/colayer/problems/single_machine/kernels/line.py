"""The cost of the layer's sequence along a line of θ: neighbours swap one pair at a time, and the cost follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.compiled import njit
from colayer.layers.kernels.kinetic import next_place, swap, sweep_from

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def costs_along(a: Floats, b: Floats, r: Floats, p: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Σ C_j of the order of a + t·b for t from low to high: (moments, costs), costs[k] between moments k − 1 and k.

    `done` holds the completion times by place. A swap at place k changes them from k on, up to the first place after
    both jobs that is reached at the same time as before: mostly the next idle time, or the pair itself. The total
    follows by differences: exact for whole numbers, else up to rounding. Swaps that leave the cost as it is, and all
    but the last of one moment, leave no trace. O(log n) per swap, plus the places that move.
    """
    n = len(a)
    order, coming = sweep_from(a, b, low)
    done = np.empty(n)
    t, total = 0.0, 0.0
    for k in range(n):
        t = max(t, r[order[k]]) + p[order[k]]
        done[k] = t
        total += t
    room = 256
    moments, costs = np.empty(room), np.empty(room + 1)
    costs[0] = total
    count = 0
    while coming[1] < high:
        now = coming[1]
        place = next_place(coming)
        swap(a, b, order, coming, place)
        t = done[place - 1] if place > 0 else 0.0
        change = 0.0
        for k in range(place, n):
            t = max(t, r[order[k]]) + p[order[k]]
            if k > place and t == done[k]:
                break
            change += t - done[k]
            done[k] = t
        if change == 0.0:
            continue
        total += change
        if now > (moments[count - 1] if count else low):
            if count == room:
                moments, costs = np.append(moments, np.empty(room)), np.append(costs, np.empty(room))
                room *= 2
            moments[count] = now
            count += 1
        costs[count] = total
    return moments[:count].copy(), costs[: count + 1].copy()
