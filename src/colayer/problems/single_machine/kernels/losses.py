"""Losses of many weight vectors on a range of instances: features → θ → sort → decoder → cost, nothing stored between.

The jobs of instance x are first[x]..first[x + 1] − 1 of r and p; its features are the (d, n) matrix that begins at
d·first[x] of `features`. Each out[k, x] is computed by the same operations in the same order whatever the other rows
and columns are. O(d) per job and weight vector for θ, O(1) expected for the sort, plus the decoder.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.compiled import copy_into, njit
from colayer.layers.sorting import order_into
from colayer.models.thetas import accumulate
from colayer.problems.single_machine.kernels.descent import descend
from colayer.problems.single_machine.kernels.rdi import rdi
from colayer.problems.single_machine.kernels.recombine import decode_rdi
from colayer.problems.single_machine.kernels.schedule import sequence_cost

TILE = 16  # weight vectors at a time: their θ of 3000 jobs stay in the second-level cache


@njit(cache=True, nogil=True)
def losses_into(
    weights: Floats,
    features: Singles,
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
    """Compute out[k, x] = cost / scale of instance x in low..high − 1 under weights[k], raw units, after LS if `ls`."""
    theta, orders, keys, work = scratch(first, low, high)
    for x in range(low, high):
        n = first[x + 1] - first[x]
        r_x = r[first[x] : first[x + 1]]
        p_x = p[first[x] : first[x + 1]]
        for tile in range(0, len(weights), TILE):
            rows = weights[tile : tile + TILE]
            sort_tile(rows, features, first[x], n, theta, orders, keys, work)
            for k in range(len(rows)):
                order = orders[k, :n]
                if ls:
                    descend(order, r_x, p_x, integral[x])
                out[tile + k, x] = sequence_cost(order, r_x, p_x) / scales[x]


@njit(cache=True, nogil=True)
def losses_rdi_into(
    weights: Floats,
    features: Singles,
    first: Ints,
    r: Floats,
    p: Floats,
    integral: NDArray[np.bool_],
    scales: Floats,
    low: int,
    high: int,
    out: Floats,
) -> None:
    """Compute losses as `losses_into` does, after LS and RDI; RDI from the true dates runs once for all weights.

    It is a kernel of its own so that the others need not wait for its compilation.
    """
    theta, orders, keys, work = scratch(first, low, high)
    for x in range(low, high):
        n = first[x + 1] - first[x]
        r_x = r[first[x] : first[x + 1]]
        p_x = p[first[x] : first[x + 1]]
        true = rdi(r_x, r_x, p_x)
        for tile in range(0, len(weights), TILE):
            rows = weights[tile : tile + TILE]
            sort_tile(rows, features, first[x], n, theta, orders, keys, work)
            for k in range(len(rows)):
                out[tile + k, x] = decode_rdi(orders[k, :n], r_x, p_x, integral[x], true) / scales[x]


@njit(cache=True, nogil=True)
def scratch(first: Ints, low: int, high: int) -> tuple[Floats, Ints, Floats, Ints]:
    """Return room for the largest instance of low..high − 1: θ and sequences of a tile, and what sorting needs."""
    most = 0
    for x in range(low, high):
        most = max(most, first[x + 1] - first[x])
    return np.empty(TILE * most), np.empty((TILE, most), np.int64), np.empty(most), np.empty(2 * most + 1, np.int64)


@njit(cache=True, nogil=True)
def sort_tile(
    weights: Floats,
    features: Singles,
    begin: int,
    n: int,
    theta: Floats,
    orders: Ints,
    keys: Floats,
    work: Ints,
) -> None:
    """Compute orders[k, :n], the layer's sequence under weights[k], of the instance whose n jobs begin at `begin`."""
    count, d = weights.shape
    rows = theta[: count * n].reshape((count, n))
    accumulate(features[d * begin : d * (begin + n)].reshape((d, n)), weights, rows)
    for k in range(count):
        order_into(rows[k], orders[k, :n], keys[:n], work[: 2 * n + 1])


@njit(cache=True, nogil=True)
def rows_into(thetas: Floats, r: Floats, p: Floats, integral: bool, ls: bool, orders: Ints, costs: Floats) -> None:
    """Compute orders[k], the jobs by thetas[k], and costs[k], its cost, after LS if `ls`. O(K n log n) beside LS."""
    n = thetas.shape[1]
    keys, work, decoded = np.empty(n), np.empty(2 * n + 1, np.int64), np.empty(n, np.int64)
    for k in range(len(thetas)):
        order_into(thetas[k], orders[k], keys, work)
        copy_into(orders[k], decoded)
        if ls:
            descend(decoded, r, p, integral)
        costs[k] = sequence_cost(decoded, r, p)


@njit(cache=True, nogil=True)
def mix(orders: Ints, coefficients: Floats) -> Floats:
    """Return Σ_k coefficients[k]·(n − position of j in orders[k]) by job j, in the order of k. O(K n)."""
    n = orders.shape[1]
    out = np.zeros(n)
    for k in range(len(orders)):
        for i in range(n):
            out[orders[k, i]] += coefficients[k] * (n - i)
    return out
