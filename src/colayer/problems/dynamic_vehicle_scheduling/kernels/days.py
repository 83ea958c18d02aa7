"""Whole days, compiled: the total cost of a day under many weight vectors, by the kernels of single epochs."""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.models.thetas import accumulate
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import (
    FEATURES,
    HOUR,
    driven,
    features_into,
    layer_into,
    must_into,
    wait_into,
)


@njit(cache=True, nogil=True)
def day_costs_into(weights, travel, near, epoch, location, start, duration, later, first, epochs, wait, out):  # type: ignore[no-untyped-def]
    """Compute out[k], the cost of the day under row k of the weights (raw units).

    The requests are those of a `Day`, in order of their epochs, later[r, e] what request r would cost after epoch e.
    The day lasts from epoch `first` to epochs − 1. If `wait`, routes wait as `wait_into` says. O(n²) for each epoch
    with n open requests, beside the layer.
    """
    served = np.empty(len(epoch), np.bool_)
    for k in range(len(weights)):
        served[:] = False
        out[k] = rest_cost(
            weights[k : k + 1], travel, near, epoch, location, start, duration, later, first, epochs, wait, served
        )


@njit(cache=True, nogil=True)
def rests_into(weights, travel, near, epoch, location, start, duration, later, first, epochs, wait, served, out):  # type: ignore[no-untyped-def]
    """Compute out[c], the cost of the epochs from `first` on where the requests served[c] are gone before.

    The other arguments are those of `day_costs_into`, `weights` with one row.
    """
    for c in range(len(served)):
        out[c] = rest_cost(
            weights, travel, near, epoch, location, start, duration, later, first, epochs, wait, served[c].copy()
        )


@inner(cache=True, nogil=True)
def rest_cost(weights, travel, near, epoch, location, start, duration, later, first, epochs, wait, served):  # type: ignore[no-untyped-def]
    """Return the cost of the epochs from `first` on under the one row of `weights`; `served` marks what is gone."""
    total = 0.0
    known = np.empty(len(epoch), np.int64)
    for e in range(first, epochs):
        n = 0
        for r in range(len(epoch)):
            if epoch[r] > e:
                break
            if not served[r]:
                known[n] = r
                n += 1
        if n == 0:
            continue
        places, starts, durations = location[known[:n]], start[known[:n]], duration[known[:n]]
        leave = HOUR * (e + 1)
        must, successor = np.empty(n, np.bool_), np.empty(n, np.int64)
        must_into(places, starts, travel, leave, e == epochs - 1, must)
        if wait and not must.any():
            continue
        features, theta = np.empty((FEATURES, n)), np.empty((1, n))
        features_into(places, starts, durations, later[known[:n], e], travel, near, leave, epochs - 1 - e, features)
        accumulate(features, weights, theta)
        layer_into(theta[0], places, starts, durations, must, travel, successor)
        if wait:
            wait_into(must, successor)
        total += driven(places, travel, successor)
        for i in range(n):
            if successor[i] != i:
                served[known[i]] = True
    return total
