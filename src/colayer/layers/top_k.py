"""The k smallest entries of θ: argmin of ⟨θ, y⟩ over 0/1 vectors with k ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.errors import InputError
from colayer.layers.layer import costs_of, indicator, whole


def top_k(theta: ArrayLike, k: int) -> Ints:
    """Return the indices of the k smallest entries.

    Parameters:
        theta: Finite numbers, shape (n,).
        k: How many to choose, at most n.

    Returns:
        Increasing indices; of equal entries those with smaller indices.

    >>> top_k([0.3, 0.1, 0.3, 0.2], 3).tolist()
    [0, 1, 3]
    """
    values, k = costs_of(theta), whole(k, "k", 0)
    if k > len(values):
        raise InputError(f"{k} is out of range, expected 0 to {len(values)}", where="k")
    chosen = np.empty(k, dtype=np.int64)
    if k:
        # numpy selects the k-th smallest value; smaller values are in, equal ones by index
        take_into(values, np.partition(values, k - 1)[k - 1], chosen)
    return chosen


@dataclass(frozen=True)
class TopK:
    """The layer that chooses exactly k entries: y is 1 where chosen.

    Parameters:
        k: How many to choose.

    >>> TopK(2)([0.3, 0.1, 0.3, 0.2]).tolist()
    [0.0, 1.0, 0.0, 1.0]
    """

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "k", 0))

    @property
    def size(self) -> None:
        """Return None: θ may have any length from k on."""
        return

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the k smallest entries, ties by index."""
        values = costs_of(theta)
        return indicator(top_k(values, self.k), len(values))


@njit(cache=True, nogil=True)
def take_into(values, threshold, chosen):  # type: ignore[no-untyped-def]
    """Fill `chosen`, k indices: all values below the k-th smallest, `threshold`, and the first that equal it. O(n)."""
    equal = np.int64(chosen.shape[0])
    for i in range(values.shape[0]):
        equal -= np.int64(values[i] < threshold)
    count = 0
    for i in range(values.shape[0]):
        if values[i] < threshold:
            chosen[count] = i
            count += 1
        elif values[i] == threshold and equal > 0:
            chosen[count] = i
            count += 1
            equal -= 1
