"""Losses through the decoder rdi: apart from the others, so that they are not kept waiting for its compilation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.compiled import njit
from colayer.problems.single_machine.kernels.losses import TILE, scratch, sort_tile
from colayer.problems.single_machine.kernels.rdi import rdi
from colayer.problems.single_machine.kernels.recombine import decode_rdi


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
    """Compute losses as `losses_into` does, after LS and RDI; RDI from the true dates runs once for all weights."""
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
