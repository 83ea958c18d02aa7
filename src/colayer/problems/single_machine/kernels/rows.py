"""Many θ of one instance: sequences, costs, and mixtures of embedded sequences."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.layers.sorting import order_into
from colayer.problems.single_machine.kernels.descent import descend
from colayer.problems.single_machine.kernels.schedule import sequence_cost


@njit(cache=True, nogil=True)
def rows_into(thetas: Floats, r: Floats, p: Floats, integral: bool, ls: bool, orders: Ints, costs: Floats) -> None:
    """Compute orders[k], the jobs by thetas[k], and costs[k], its cost, after LS if `ls`. O(K n log n) beside LS."""
    n = thetas.shape[1]
    keys, work, decoded = np.empty(n), np.empty(2 * n + 1, np.int64), np.empty(n, np.int64)
    for k in range(len(thetas)):
        order_into(thetas[k], orders[k], keys, work)
        decoded[:] = orders[k]
        if ls:
            descend(decoded, r, p, integral)
        costs[k] = sequence_cost(decoded, r, p)


@njit(cache=True, nogil=True)
def mix_into(orders: Ints, coefficients: Floats, out: Floats) -> None:
    """Compute out[j] = Σ_k coefficients[k]·(n − position of j in orders[k]), in the order of k. O(K n)."""
    n = orders.shape[1]
    out[:] = 0.0
    for k in range(len(orders)):
        for i in range(n):
            out[orders[k, i]] += coefficients[k] * (n - i)
