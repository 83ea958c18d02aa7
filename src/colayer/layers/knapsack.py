"""0–1 knapsack: argmin of ⟨θ, y⟩ over 0/1 vectors with Σ_i weight_i·y_i ≤ capacity, for whole weights.

To maximise a value, pass its negative as θ; items with θ ≥ 0 stay out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.errors import InputError
from colayer.layers.layer import costs_of, indicator, rows_of, whole
from colayer.layers.sorting import order_into

#: The most cells of the dynamic program's table, one byte each; use `LinearProgram` for larger knapsacks.
MOST_CELLS = 1 << 31
#: The sum of all weights stays below this, so that it fits into 64 bits.
MOST = 1 << 62


def knapsack(theta: ArrayLike, weights: ArrayLike, capacity: int) -> Ints:
    """Return the items of a cheapest set that fits into the knapsack.

    The linear relaxation decides most items; a dynamic program decides the rest. It takes time proportional to their
    number times the capacity left.

    Parameters:
        theta: Cost of each item; items with θ ≥ 0 stay out.
        weights: Whole numbers ≥ 0, one per item.
        capacity: The most that the chosen items may weigh.

    Returns:
        Increasing indices; of equally good sets the one with the smallest indices.

    >>> knapsack([-6.0, -10.0, -12.0, 1.0], weights=[1, 2, 3, 1], capacity=5).tolist()
    [1, 2]
    """
    sizes = _whole(weights, "weights")
    return np.flatnonzero(_choose(costs_of(theta, len(sizes)), sizes, _capacity(capacity)))


class Knapsack:
    """The layer of item sets that fit into a knapsack: y is 1 for the items chosen.

    Parameters:
        weights: Whole numbers ≥ 0, one per item.
        capacity: The most that the chosen items may weigh.

    >>> Knapsack(weights=[1, 2, 3, 1], capacity=5)([-6.0, -10.0, -12.0, 1.0]).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """

    def __init__(self, weights: ArrayLike, capacity: int) -> None:
        self.weights = _whole(weights, "weights")
        self.capacity = _capacity(capacity)

    @property
    def size(self) -> int:
        """Return the number of items."""
        return len(self.weights)

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the best set, ties by index."""
        chosen = _choose(costs_of(theta, self.size), self.weights, self.capacity)
        return indicator(np.flatnonzero(chosen), self.size)

    def many(self, thetas: ArrayLike) -> Floats:
        """Return the best set of each row of θ, in one call."""
        rows = rows_of(thetas, self.size)
        out = np.empty(rows.shape)
        row = choose_rows(rows, self.weights, min(self.capacity, MOST), MOST_CELLS, out)
        return out if row < 0 else np.array([self(theta) for theta in rows])


def _choose(theta: Floats, weights: Ints, capacity: int) -> NDArray[np.uint8]:
    """Return 1 for the items chosen, 0 for the others."""
    state: NDArray[np.uint8]
    state, core, room, rate, budget = reduce(theta, weights, min(capacity, MOST))
    if len(core) * (room + 1) > MOST_CELLS:
        large = f"{len(core)} items in doubt and a capacity of {room} left for them: too large for the dynamic program"
        raise InputError(f"{large}, expected coarser weights (or a LinearProgram)", where="capacity")
    fill(theta, weights, core, room, rate, budget, state)
    return state


def _whole(values: ArrayLike, where: str) -> Ints:
    """Return `values` as a vector of whole numbers ≥ 0 whose sum fits into 64 bits."""
    try:
        numbers = np.asarray(values)
    except ValueError:  # rows of several lengths
        raise InputError("expected a vector of whole numbers", where=where) from None
    if numbers.ndim != 1:
        raise InputError(f"an array of {numbers.ndim} dimensions, expected one", where=where)
    if numbers.dtype.kind not in "iuf":  # among them whole numbers beyond 64 bits
        numbers = np.array([whole(value, f"{where}[{i}]", 0) for i, value in enumerate(numbers)], dtype=object)
    else:
        wrong = ~((numbers >= 0) & (numbers == np.floor(numbers)))
        if wrong.any():
            i = int(np.argmax(wrong))
            raise InputError(f"{numbers[i]}, expected a whole number, 0 or more", where=f"{where}[{i}]")
    large = numbers >= MOST // max(len(numbers), 1)
    if large.any():
        i = int(np.argmax(large))
        raise InputError(f"{numbers[i]} is too large, expected coarser {where}", where=f"{where}[{i}]")
    return numbers.astype(np.int64)


def _capacity(value: int) -> int:
    number = int(value) if isinstance(value, float | np.floating) and value.is_integer() else value
    try:
        return whole(number, "capacity", 0)
    except InputError:
        raise InputError(f"{value}, expected a whole number, 0 or more", where="capacity") from None


@njit(cache=True, nogil=True)
def reduce(theta, weights, capacity):  # type: ignore[no-untyped-def]
    """Return (state, core, room, λ, budget): items decided (1 in, 0 out), the open ones by index, capacity for them.

    With p = −θ and any λ ≥ 0 no choice is worth more than U = λ·capacity + Σ_i max(p_i − λ·w_i, 0), and none that
    decides against the sign of p_j − λ·w_j is worth more than U − |p_j − λ·w_j|. Where that is below the value of a
    greedy choice, by more than rounding, every optimum decides item j the same way. λ is the efficiency at which the
    greedy choice first fails, so that U is the linear relaxation; `budget` is U less that value, and rounding.
    O(n log n).
    """
    n = theta.shape[0]
    state = np.zeros(n, np.uint8)
    items = np.empty(n, np.int64)
    m = 0
    total = np.int64(0)
    for i in range(n):
        if theta[i] < 0.0 and weights[i] == 0:
            state[i] = 1
        elif theta[i] < 0.0 and weights[i] <= capacity:
            items[m] = i
            m += 1
            total += weights[i]
    items = items[:m]
    if total <= capacity:
        for i in items:
            state[i] = 1
        return state, items[:0], np.int64(0), 0.0, 0.0
    keys = np.empty(m)
    for k in range(m):
        keys[k] = theta[items[k]] / weights[items[k]]
    order = np.empty(m, np.int64)
    order_into(keys, order, np.empty(m), np.empty(2 * m + 1, np.int64))
    left = np.int64(capacity)  # of the greedy choice
    value = 0.0
    rate = 0.0
    for place in order:
        i = items[place]
        if weights[i] <= left:
            left -= weights[i]
            value -= theta[i]
        elif rate == 0.0:
            rate = -keys[place]
    upper = rate * capacity
    for i in items:
        upper += max(-theta[i] - rate * weights[i], 0.0)
    slack = 1e-9 * upper
    room = np.int64(capacity)
    size = 0
    for k in range(m):
        i = items[k]
        gain = -theta[i] - rate * weights[i]
        if upper - abs(gain) < value - slack:
            if gain > 0.0:
                state[i] = 1
                room -= weights[i]
        else:
            items[size] = i
            size += 1
    return state, items[:size], room, rate, upper - value + slack


@njit(cache=True, nogil=True)
def fill(theta, weights, core, room, rate, budget, state):  # type: ignore[no-untyped-def]
    """Settle the items of `core` in `state` for the capacity `room`, by dynamic programming.

    best_k(c) = max(best_{k+1}(c), p_k + best_{k+1}(c − w_k)) from the last item to the first, and back: an item is
    taken where that is as good, so the smallest indices win. best_k is needed from room − Σ_{j<k} w_j on alone.
    O(items · room) time and bytes, with weights and room divided by their common divisor.
    """
    m = core.shape[0]
    if m == 0:
        return
    divisor = np.int64(0)
    for i in core:
        a = weights[i]
        while a:
            divisor, a = a, divisor % a
    capacity = room // divisor
    if enumerate_into(theta, weights, core, room, rate, budget, state, m * (capacity + 1) // 4):
        return
    before = np.empty(m, np.int64)  # Σ_{j<k} w_j, up to the capacity
    reach = np.int64(0)
    for k in range(m):
        before[k] = min(reach, capacity)
        reach += weights[core[k]] // divisor
    best = np.zeros(capacity + 1)
    other = np.empty(capacity + 1)
    taken = np.zeros((m, capacity + 1), np.uint8)
    for k in range(m - 1, -1, -1):
        _stage(best, other, taken[k], -theta[core[k]], weights[core[k]] // divisor, capacity - before[k])
        best, other = other, best
    c = capacity
    for k in range(m):
        if taken[k, c]:
            state[core[k]] = 1
            c -= weights[core[k]] // divisor


@njit(cache=True, nogil=True)
def enumerate_into(theta, weights, core, room, rate, budget, state, most):  # type: ignore[no-untyped-def]
    """Do what `fill` does by the choices that may be optimal alone, where they are few; return False for over `most`.

    Level k holds the choices among the first k items, each with the capacity left and what it gave up so far: |p_j −
    λ·w_j| for each item decided against that sign. What gave up more than `budget` is worse than the greedy choice
    (see `reduce`), and is dropped. Values go back from the last level by the recursion of `fill`, the same sums in the
    same order, so the answer is the same, ties included. O(choices).
    """
    m = core.shape[0]
    length = min(most, np.int64(1 << 12)) + 2
    starts = np.empty(m + 2, np.int64)
    left = np.empty(length, np.int64)
    spent = np.empty(length)
    with_item = np.empty(length, np.int64)  # the choice one level on, −1 where it was dropped
    without = np.empty(length, np.int64)
    starts[0] = 0
    starts[1] = 1
    left[0] = room
    spent[0] = 0.0
    size = 1
    for k in range(m):
        weight = weights[core[k]]
        gain = -theta[core[k]] - rate * weight
        for e in range(starts[k], starts[k + 1]):
            if size + 2 > length:
                return False
            without[e] = with_item[e] = -1
            if spent[e] + max(gain, 0.0) <= budget:
                without[e] = size
                left[size] = left[e]
                spent[size] = spent[e] + max(gain, 0.0)
                size += 1
            if weight <= left[e] and spent[e] + max(-gain, 0.0) <= budget:
                with_item[e] = size
                left[size] = left[e] - weight
                spent[size] = spent[e] + max(-gain, 0.0)
                size += 1
        starts[k + 2] = size
    best = np.zeros(size)
    for k in range(m - 1, -1, -1):
        value = -theta[core[k]]
        for e in range(starts[k], starts[k + 1]):
            best[e] = best[without[e]] if without[e] >= 0 else -np.inf
            if with_item[e] >= 0:
                more = value + best[with_item[e]]
                if more >= best[e] and more > -np.inf:
                    best[e] = more
                else:
                    with_item[e] = -1
    place = starts[0]
    for k in range(m):
        if with_item[place] >= 0:
            state[core[k]] = 1
            place = with_item[place]
        else:
            place = without[place]
    return True


@njit(cache=True, nogil=True)
def choose_rows(thetas, weights, capacity, most, out):  # type: ignore[no-untyped-def]
    """Set the rows of `out` to the sets of the rows of θ; return the first whose table would be too large, or −1."""
    for r in range(thetas.shape[0]):
        state, core, room, rate, budget = reduce(thetas[r], weights, capacity)
        if core.shape[0] * (room + 1) > most:
            return r
        fill(thetas[r], weights, core, room, rate, budget, state)
        for i in range(state.shape[0]):
            out[r, i] = state[i]
    return -1


@njit(cache=True, nogil=True)
def _stage(best, new, taken, value, weight, first):  # type: ignore[no-untyped-def]
    """Run the step of `fill` for one item, for capacities from `first` on."""
    last = best.shape[0]
    for c in range(first, min(weight, last)):
        new[c] = best[c]
    first = max(first, weight)
    for j in range(last - first):
        with_it = value + best[first - weight + j]
        without = best[first + j]
        new[first + j] = max(with_it, without)
        taken[first + j] = np.uint8(with_it >= without)
