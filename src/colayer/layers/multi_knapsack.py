"""0–1 knapsack in several dimensions: argmin of ⟨θ, y⟩ over 0/1 vectors with W·y ≤ capacity, for whole weights ≥ 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats
from colayer._runtime.compiled import njit
from colayer.errors import InputError
from colayer.layers.layer import costs_of, rows_of

#: The largest sum of weights: whole numbers are exact in float64 up to here.
MOST = float(1 << 53)


class MultiKnapsack:
    """The layer of item sets that fit in every dimension: y is 1 for the items chosen.

    Branch and bound, exact: for some dozens of items; use `LinearProgram` for many more.

    Parameters:
        weights: Whole numbers ≥ 0, a row per dimension, a column per item.
        capacity: The most that the chosen items may weigh in each dimension.

    >>> MultiKnapsack(weights=[[1, 2, 3], [3, 1, 1]], capacity=[4, 4])([-5.0, -4.0, -6.0]).tolist()
    [1.0, 0.0, 1.0]
    """

    def __init__(self, weights: ArrayLike, capacity: ArrayLike) -> None:
        self.weights, self.capacity = (
            _whole(given, name) for given, name in ((weights, "weights"), (capacity, "capacity"))
        )
        if self.weights.ndim != 2:
            raise InputError(f"an array of {self.weights.ndim} dimensions, expected rows", where="weights")
        if self.capacity.shape != self.weights.shape[:1]:
            expected = f"{len(self.weights)} numbers, one per row of the weights"
            raise InputError(f"shape {self.capacity.shape}, expected {expected}", where="capacity")

    @property
    def size(self) -> int:
        """Return the number of items."""
        return int(self.weights.shape[1])

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return a best set."""
        return self.many(costs_of(theta, self.size)[None, :])[0]

    def many(self, thetas: ArrayLike) -> Floats:
        """Return a best set for each row of θ, in one call."""
        rows = rows_of(thetas, self.size)
        out = np.zeros(rows.shape)
        for theta, y in zip(rows, out, strict=True):
            choose_into(theta, self.weights, self.capacity, y)
        return out


def _whole(values: ArrayLike, where: str) -> Floats:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("expected whole numbers", where=where) from None
    if not ((numbers >= 0.0) & (numbers == np.floor(numbers))).all():
        raise InputError("expected whole numbers, 0 or more", where=where)
    if numbers.sum() > MOST:
        raise InputError("too large, expected coarser numbers", where=where)
    return numbers


@njit(cache=True, nogil=True)
def choose_into(theta, weights, capacity, out):  # type: ignore[no-untyped-def]
    """Set `out` to 1 for the items of a best set, by depth-first branch and bound.

    With p = −θ and s_i = Σ_d w_di/capacity_d, every set that fits has Σ s_i·y_i ≤ D, the number of dimensions. Items
    are taken in the order of p/s, ties by index; the fractional filling of what is left of D bounds what a branch can
    still be worth (Dantzig). A branch goes on while its bound is above the best set so far, by more than rounding:
    first with the item, then without. O(2ⁿ·n) at worst.
    """
    dims, n = weights.shape
    items = np.empty(n, np.int64)
    size = np.zeros(n)
    keys = np.empty(n)
    m = 0
    for i in range(n):
        fits = theta[i] < 0.0
        for d in range(dims):
            fits = fits and weights[d, i] <= capacity[d]
            if weights[d, i] > 0.0:
                size[i] += weights[d, i] / max(capacity[d], 1.0)
        if fits:
            if size[i] == 0.0:
                out[i] = 1.0
            else:
                items[m] = i
                keys[m] = theta[i] / size[i]
                m += 1
    order = items[:m][np.argsort(keys[:m], kind="mergesort")]
    left = capacity.copy()
    room = float(dims)
    value = 0.0
    best = 0.0
    taken = np.zeros(m, np.bool_)
    kept = np.zeros(m, np.bool_)
    k = 0
    forward = True
    while True:
        if forward:
            bound = value
            spare = room
            for j in range(k, m):
                i = order[j]
                if size[i] <= spare:
                    spare -= size[i]
                    bound -= theta[i]
                else:
                    bound -= theta[i] * max(spare, 0.0) / size[i]
                    break
            if value > best:
                best = value
                kept[:] = taken
            if k == m or bound <= best + 1e-12 * abs(best):
                forward = False
                continue
            i = order[k]
            fits = True
            for d in range(dims):
                fits = fits and weights[d, i] <= left[d]
            if fits:
                for d in range(dims):
                    left[d] -= weights[d, i]
                room -= size[i]
                value -= theta[i]
                taken[k] = True
            k += 1
        else:
            k -= 1
            while k >= 0 and not taken[k]:
                k -= 1
            if k < 0:
                break
            i = order[k]
            for d in range(dims):
                left[d] += weights[d, i]
            room += size[i]
            value += theta[i]
            taken[k] = False
            k += 1
            forward = True
    for j in range(m):
        if kept[j]:
            out[order[j]] = 1.0
