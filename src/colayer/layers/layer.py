"""One interface for all layers: an object holds what is fixed, and maps θ to y = argmin over y of ⟨θ, y⟩.

    layer = TopK(3)
    y = layer(theta)        # a vector of θ's length: 0/1, or whatever the layer's y are made of
    value = theta @ y       # g(y, θ), the least value

The result is a function of θ and of what the object holds, never of earlier calls; θ is checked and left alone. The
objects can be pickled (process pools) and called from several threads at once. Each wraps a function on arrays,
which returns the compact form of y (mostly indices); call that function directly if this is all you need.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer._runtime.text import short
from colayer.errors import InputError

_LARGEST = float(np.finfo(np.float64).max)


@runtime_checkable
class Layer(Protocol):
    """An easy problem in which everything is fixed but the costs θ."""

    @property
    def size(self) -> int | None:
        """Return the length of θ, or None if any length will do."""
        ...

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the y, as long as θ, that minimises ⟨θ, y⟩; ties are broken by index or by another fixed rule."""
        ...


def costs_of(theta: ArrayLike, size: int | None = None, where: str = "theta") -> Floats:
    """Check that θ holds `size` finite numbers; return it as a contiguous float64 vector, copied only if necessary."""
    try:
        given = np.asarray(theta)
        numbers = given.dtype.kind in "biufO"
        values = np.require(given if numbers else (), np.float64, ["C", "W"])  # the type that kernels are compiled for
    except (TypeError, ValueError, OverflowError):
        numbers = False
    if not numbers:
        raise InputError(f"{short(theta)}, expected real numbers", where=where)
    if values.ndim != 1:
        raise InputError(f"an array of {values.ndim} dimensions, expected one", where=where)
    if size is not None and len(values) != size:
        raise InputError(f"{len(values)} numbers, expected {size}", where=where)
    i = first_beyond(values, _LARGEST)
    if i >= 0:
        raise InputError(f"{values[i]}, expected a finite number", where=f"{where}[{i}]")
    return values


def rows_of(thetas: ArrayLike, size: int) -> Floats:
    """Check that θ are rows of `size` finite numbers; return them as a contiguous float64 matrix."""
    given = np.asarray(thetas)
    if given.ndim != 2:
        raise InputError(f"an array of {given.ndim} dimensions, expected rows of θ", where="thetas")
    if given.shape[1] != size:
        raise InputError(f"rows of {given.shape[1]} numbers, expected {size}", where="thetas")
    return costs_of(given.ravel(), where="thetas").reshape(given.shape)


def whole(value: Any, where: str, least: int) -> int:
    """Check that `value` is a whole number ≥ `least`; return it as an int."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise InputError(f"{short(value)} is not a whole number, expected {least} or more", where=where)
    if number < least:
        raise InputError(f"{number} is out of range, expected at least {least}", where=where)
    return number


@njit(cache=True, nogil=True)
def first_beyond(values, largest):  # type: ignore[no-untyped-def]
    """Return the position of the first value that is NaN or beyond ±largest, −1 if there is none."""
    for i in range(values.shape[0]):
        if not abs(values[i]) <= largest:
            return i
    return -1


def indicator(chosen: Ints, size: int) -> Floats:
    """Return a vector with 1 at the chosen indices and 0 elsewhere."""
    vector = np.zeros(size)
    vector[chosen] = 1.0
    return vector


def node_pairs(pairs: ArrayLike, nodes: int, where: str) -> Ints:
    """Check that these are pairs of nodes 0 … nodes − 1; return them as a new array of two columns."""
    try:
        ends = np.array(pairs)
    except ValueError:  # rows of several lengths
        ends = np.empty(1)
    if ends.shape == (0,):
        ends = np.empty((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
        raise InputError("expected pairs of nodes", where=where)
    if len(ends) and not (ends.min() >= 0 and ends.max() < nodes):
        raise InputError(f"a node out of range, expected 0 to {nodes - 1}", where=where)
    return ends.astype(np.int64)


def log_pairs(log_count: float) -> float:
    """Return the logarithm of how many pairs exp(log_count) things have: for `log_comparisons` of a problem.

    A sort compares pairs of rows, the best of S solutions is found by comparing pairs of them.

    >>> round(math.exp(log_pairs(math.log(5))))
    10
    """
    return 2.0 * log_count + math.log1p(-math.exp(-log_count)) - math.log(2.0) if log_count > 0.0 else -math.inf
