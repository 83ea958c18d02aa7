"""θ from features and weights, summed in a fixed order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.compiled import njit
from colayer.errors import InputError

_MOST_NUMBERS = 1 << 25  # in one block of θ: 256 MB
_SMALL = 4096  # numbers that BLAS adds up in one thread


def thetas(features: NDArray[Any], weights: Floats) -> Floats:
    """Return θ (k, n) of the k rows of `weights` (raw units) from the (n, d) features of one instance."""
    if weights.ndim != 2 or weights.shape[1] != features.shape[1]:
        raise InputError(f"weights of shape {weights.shape}, expected rows of {features.shape[1]} numbers")
    rows = np.ascontiguousarray(features.T)
    out = np.empty((len(weights), rows.shape[1]))
    accumulate(rows, np.ascontiguousarray(weights, dtype=np.float64), out)
    return out


def theta_blocks(
    features: NDArray[Any], weights: Floats, correction: Floats | None = None
) -> Iterator[tuple[int, Floats]]:
    """Yield θ for the rows of `weights` as (first row, θ of some rows): all at once where memory allows, else by parts.

    `correction`, where there is one, is added to each θ (`Model.correction` gives it).
    """
    rows = max(1, _MOST_NUMBERS // max(1, len(features)))
    for first in range(0, len(weights), rows):
        block = thetas(features, weights[first : first + rows])
        if correction is not None:
            block = block + correction
        if not _all_finite(block):
            raise InputError("θ is not finite, expected smaller features, or smaller weights")
        yield first, block


def _all_finite(block: Floats) -> bool:
    """Tell whether all numbers are finite; a small block by its sum of squares, which takes a third of the time."""
    if block.size < _SMALL and math.isfinite(np.vdot(block, block)):
        return True
    return bool(np.isfinite(block).all())


def norm(weights: Floats) -> float:
    """Return ‖w‖₂, the unit of perturbations and steps if only the direction of the weights matters."""
    return math.sqrt(float((weights**2).sum()))


@njit(cache=True, nogil=True)
def accumulate(features, weights, out):  # type: ignore[no-untyped-def]
    """Compute out[j, i] = Σ_k weights[j, k]·features[k, i], summed in the order of k from 0, in float64.

    The order of the sum is fixed, so θ does not depend on how many weight vectors or instances are handled at once (a
    BLAS product does not promise that). Rows are taken in blocks whose features stay in cache for all weight vectors;
    four features at a time keep the running sum in registers. O(k·d·n); for k = 1 the limit is the memory bandwidth of
    reading the features once. Zero weights are skipped: adding zero changes nothing.
    """
    d, n = features.shape
    active = np.empty(d, np.int64)
    block = 512
    for start in range(0, n, block):
        stop = min(start + block, n)
        for j in range(weights.shape[0]):
            count = 0
            for k in range(d):
                if weights[j, k] != 0.0:
                    active[count] = k
                    count += 1
            row = out[j, start:stop]
            for i in range(stop - start):
                row[i] = 0.0
            c = 0
            while c + 4 <= count:
                k0, k1, k2, k3 = active[c], active[c + 1], active[c + 2], active[c + 3]
                w0, w1, w2, w3 = weights[j, k0], weights[j, k1], weights[j, k2], weights[j, k3]
                f0 = features[k0, start:stop]
                f1 = features[k1, start:stop]
                f2 = features[k2, start:stop]
                f3 = features[k3, start:stop]
                for i in range(stop - start):
                    row[i] = (((row[i] + w0 * f0[i]) + w1 * f1[i]) + w2 * f2[i]) + w3 * f3[i]
                c += 4
            while c < count:
                w0 = weights[j, active[c]]
                f0 = features[active[c], start:stop]
                for i in range(stop - start):
                    row[i] += w0 * f0[i]
                c += 1
