"""Losses of many weight vectors on a range of instances: features → θ → sort → LS → cost, nothing stored between."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from colayer.layers.sorting import order_into
from colayer.models import accumulate
from colayer.problems.single_machine.kernels.descent import descend
from colayer.problems.single_machine.kernels.schedule import sequence_cost

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TILE = 16  # weight vectors at a time: their θ of 3000 jobs stay in the second-level cache


@njit(cache=True, nogil=True)
def losses_into(
    weights: Floats,
    features: NDArray[np.float32],
    first: Ints,
    r: Floats,
    p: Floats,
    integral: NDArray[np.bool_],
    scales: Floats,
    ls: bool,
    low: int,
    high: int,
    out: Floats,
) -> None:
    """out[k, x] = cost / scale of instance x in low..high − 1 under weights[k], raw units, after LS if `ls`.

    The jobs of instance x are first[x]..first[x + 1] − 1 of r and p; its features are the (d, n) matrix that begins
    at d·first[x] of `features`. Each out[k, x] is computed by the same operations in the same order whatever the
    other rows and columns are. O(d) per job and weight vector for θ, O(1) expected for the sort, plus LS.
    """
    count, d = weights.shape
    most = 0
    for x in range(low, high):
        most = max(most, first[x + 1] - first[x])
    theta = np.empty((min(count, _TILE), most))
    keys = np.empty(most)
    order = np.empty(most, np.int64)
    work = np.empty(2 * most + 1, np.int64)
    for x in range(low, high):
        begin = first[x]
        n = first[x + 1] - begin
        matrix = features[d * begin : d * (begin + n)].reshape((d, n))
        r_x = r[begin : begin + n]
        p_x = p[begin : begin + n]
        for tile in range(0, count, _TILE):
            stop = min(tile + _TILE, count)
            # a flat slice, reshaped: rows of length n that lie side by side
            rows = theta.ravel()[: (stop - tile) * n].reshape((stop - tile, n))
            accumulate(matrix, weights[tile:stop], rows)
            for k in range(tile, stop):
                order_into(rows[k - tile], order[:n], keys[:n], work[: 2 * n + 1])
                if ls:
                    descend(order[:n], r_x, p_x, integral[x])
                out[k, x] = sequence_cost(order[:n], r_x, p_x) / scales[x]
