"""Sorting as a layer: argmin over permutations of ⟨θ, embed(y)⟩, that is 1 || Σ C_j with processing times θ (SPT)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.compiled import inner, njit
from colayer.layers.layer import costs_of

_SMALL = 24  # insertion sort alone is fastest up to this length


def sort(theta: ArrayLike) -> NDArray[np.int64]:
    """Return the indices that sort θ, ties by index: `np.argsort(theta, kind="stable")`, several times faster.

    Parameters:
        theta: Finite numbers, shape (n,).

    >>> sort([0.3, 0.1, 0.3, 0.2]).tolist()
    [1, 3, 0, 2]
    """
    values = costs_of(theta)
    order = np.empty(len(values), dtype=np.int64)
    order_into(values, order, np.empty(len(values)), np.empty(2 * len(values) + 1, dtype=np.int64))
    return order


def embed(order: NDArray[np.int64]) -> Floats:
    """Return y as a vector, n − position (0-based) by index; ⟨θ, embed(y)⟩ is the total completion time g(y, θ)."""
    n = len(order)
    vector = np.empty(n)
    vector[order] = np.arange(n, 0, -1)
    return vector


def augmented(theta: Floats, target: Floats) -> tuple[Floats, float]:
    """Return θ′ and a with ⟨θ, y⟩ − Δ(y, ȳ) = ⟨θ′, y⟩ − a, for the hinge loss of a problem that sorts.

    Δ = ½‖y − ȳ‖² is linear in y because all y have the same norm; the Hamming distance is not.

    >>> augmented(np.array([1.0, 0.0]), embed(np.array([0, 1])))
    (array([3., 1.]), 5.0)
    """
    positions = np.arange(1.0, len(theta) + 1.0)
    return theta + target, 0.5 * float((positions**2).sum() + (target**2).sum())


def likelihood(theta: Floats, target: Floats) -> tuple[float, Floats]:
    """Return −log P of the order by decreasing ȳ and its gradient in θ, for `crf`: Plackett–Luce, a surrogate."""
    from colayer.layers.likelihood import plackett_luce  # needed only to learn from examples

    return plackett_luce(theta, sort(-target))


@dataclass(frozen=True)
class Sorting:
    """The layer of permutations: y_i = n − position of i, so ⟨θ, y⟩ is the total completion time of jobs that last θ.

    >>> Sorting()([0.3, 0.1, 0.2]).tolist()
    [1.0, 3.0, 2.0]
    """

    @property
    def size(self) -> None:
        """Return None: θ may have any length."""
        return

    def __call__(self, theta: ArrayLike) -> Floats:
        """Sort θ, ties by index."""
        return embed(sort(theta))


@njit(cache=True, nogil=True)
def order_into(theta, order, keys, work):  # type: ignore[no-untyped-def]
    """Sort θ (finite) stably and write the indices to `order`; scratch: keys of length n, work of length 2n + 1.

    Bucket i holds the θ with floor((θ − min)·(n − 1)/(max − min)) = i. Subtraction and multiplication by a positive
    number are monotone under rounding, so a smaller θ never lands in a later bucket. Entries are scattered in the order
    of their index, and insertion sort with a strict comparison finishes the job and keeps ties in that order. Expected
    O(n) for θ spread like a bounded density. If outliers crowd the others into few buckets, insertion stops after 4n
    moves and a stable merge sort takes over (the state is a stable permutation throughout): O(n log n) always.
    """
    n = theta.shape[0]
    low = theta[0] if n else 0.0
    high = low
    for i in range(n):
        low = theta[i] if theta[i] < low else low
        high = theta[i] if theta[i] > high else high
    width = high - low
    step = (n - 1) / width if width > 0.0 else 0.0
    if n <= _SMALL or not (0.0 < step < np.inf and width < np.inf):
        for i in range(n):
            order[i] = i
            keys[i] = theta[i]
    else:
        counts = work[: n + 1]
        bucket = work[n + 1 :]
        for i in range(n + 1):
            counts[i] = 0
        for i in range(n):
            b = int((theta[i] - low) * step)
            b = b if b < n else n - 1
            bucket[i] = b
            counts[b + 1] += 1
        for b in range(n):
            counts[b + 1] += counts[b]
        for i in range(n):
            place = counts[bucket[i]]
            counts[bucket[i]] += 1
            order[place] = i
            keys[place] = theta[i]
    moves = 4 * n + _SMALL * _SMALL
    for i in range(1, n):
        key = keys[i]
        if key < keys[i - 1]:
            job = order[i]
            j = i
            while j > 0 and key < keys[j - 1]:
                keys[j] = keys[j - 1]
                order[j] = order[j - 1]
                j -= 1
            keys[j] = key
            order[j] = job
            moves -= i - j
            if moves < 0:
                _merge_sort(theta, order, work, i + 1)
                return


@inner(cache=True, nogil=True)
def _merge_sort(theta, order, other, done):  # type: ignore[no-untyped-def]
    """Sort `order` by θ with a stable bottom-up merge sort; the first `done` entries are sorted, `other` is scratch."""
    n = theta.shape[0]
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle = start + width if start + width < n else n
            stop = start + 2 * width if start + 2 * width < n else n
            a = start
            b = middle
            if stop <= done or middle == stop or theta[order[middle - 1]] <= theta[order[middle]]:
                b = stop  # in order already
            for k in range(start, stop):
                if b == stop or (a < middle and theta[order[a]] <= theta[order[b]]):
                    other[k] = order[a]
                    a += 1
                else:
                    other[k] = order[b]
                    b += 1
        for k in range(n):
            order[k] = other[k]
        width *= 2
