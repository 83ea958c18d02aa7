"""θ, layer and cost of several weight vectors on one instance, without coming back to Python in between."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.compiled import njit
from colayer.layers.kernels.matching import match_into
from colayer.models.thetas import accumulate
from colayer.problems.vehicle_scheduling.kernels.delay import solution_cost
from colayer.problems.vehicle_scheduling.kernels.travel import Times


@njit(cache=True, nogil=True)
def covers_into(thetas: Floats, indptr: Ints, heads: NDArray[np.int32], order: Ints, successors: Ints) -> bool:
    """Solve the layer for each row of `thetas`; return False if one is not finite."""
    tasks, arcs = successors.shape[1], len(heads)
    out_duals, in_duals = np.empty(tasks), np.empty(tasks)
    for j in range(len(thetas)):
        row = thetas[j]
        for i in range(len(row)):
            if not np.isfinite(row[i]):
                return False
        costs, origin, destination = row[:arcs], row[arcs : arcs + tasks], row[arcs + tasks :]
        match_into(indptr, heads, costs, origin, destination, order, successors[j], out_duals, in_duals)
    return True


@njit(cache=True, nogil=True)
def successors_into(
    weights: Floats,
    features: Singles,
    indptr: Ints,
    heads: NDArray[np.int32],
    order: Ints,
    theta: Floats,
    successors: Ints,
) -> bool:
    """Solve the layer under each row of `weights` (k, d), from features (d, arcs + 2n); return False if θ is not
    finite.

    `theta` is scratch for at least k·(arcs + 2n) numbers. One pass over the features gives θ of all rows.
    """
    rows, length = len(weights), features.shape[1]
    thetas = theta[: rows * length].reshape(rows, length)
    accumulate(features, weights, thetas)
    return covers_into(thetas, indptr, heads, order, successors)


@njit(cache=True, nogil=True)
def costs_into(times: Times, successors: Ints, vehicle_cost: float, delay_cost: float, out: Floats) -> None:
    """Compute the cost of each row of `successors`."""
    for j in range(len(out)):
        out[j] = solution_cost(times, successors[j], vehicle_cost, delay_cost)
