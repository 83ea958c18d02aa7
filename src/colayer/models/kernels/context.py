"""The forward pass of networks that see context, in float32: channels by rows, sums in a fixed order.

Rows are the last axis, so every inner loop runs over rows side by side and no sum is reordered: the bits depend neither
on the number of cores nor on a BLAS. Multiplications and additions may be fused. Everything works on tiles of 64
rows, which are contiguous and fit the first-level cache.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.compiled import inner, njit
from colayer.models.kernels.product import TILE, tile_product


@inner(cache=True, nogil=True)
def take_tile(x: Singles, start: int, tile: Singles) -> int:
    """Copy the rows from `start` on into a flat tile, padded with 0; return how many there are."""
    inputs, n = x.shape
    count = min(TILE, n - start)
    for k in range(inputs):
        source, target = x[k, start : start + count], tile[k * TILE : (k + 1) * TILE]
        for i in range(count):
            target[i] = source[i]
        for i in range(count, TILE):
            target[i] = 0.0
    return count


@njit(cache=True, nogil=True)
def product_into(matrix: Singles, bias: Singles, x: Singles, out: Singles, positive: bool) -> None:
    """Compute out = matrix·x + bias, or max(0, ·) of it; matrix as in `tile_product`, x (inputs, n), out (·, n)."""
    u, z = np.empty(len(x) * TILE, np.float32), np.empty(len(bias) * TILE, np.float32)
    least = np.float32(0.0 if positive else -np.inf)
    for start in range(0, x.shape[1], TILE):
        count = take_tile(x, start, u)
        tile_product(matrix, bias, u, z)
        for o in range(out.shape[0]):
            target, source = out[o, start : start + count], z[o * TILE : (o + 1) * TILE]
            for i in range(count):
                target[i] = max(source[i], least)


@njit(cache=True, nogil=True)
def blocks_add(
    matrices: Singles, biases: Singles, taps: Singles, dilations: Ints, x: Singles, h: Singles, spare: Singles
) -> None:
    """Apply block after block h += a·s(b), with (a, b) = matrix·x + bias split in halves; O(rows·channels²) a block.

    With taps, `shifts_into` adds to x first. With several blocks pass the same array as x and h; each block reads the
    previous output.
    """
    channels, n = h.shape
    u, z = np.empty(channels * TILE, np.float32), np.empty(biases.shape[1] * TILE, np.float32)
    for k in range(len(dilations)):
        if taps.shape[1]:
            shifts_into(x, h, taps[k], dilations[k], spare)
        for start in range(0, n, TILE):
            count = take_tile(spare if taps.shape[1] else x, start, u)
            tile_product(matrices[k], biases[k], u, z)
            gate_add(z, start, count, h)


@inner(cache=True, nogil=True, error_model="numpy")  # division checked for 0 does not vectorise
def gate_add(z: Singles, start: int, count: int, h: Singles) -> None:
    """Add a·s(b) to h for the rows of a tile, s(b) = (1 + b/(1 + |b|))/2; a is the first half of z, b the second."""
    second = len(z) // 2
    half, one = np.float32(0.5), np.float32(1.0)
    for c in range(len(h)):
        target = h[c, start : start + count]
        a, b = z[c * TILE : (c + 1) * TILE], z[second + c * TILE : second + (c + 1) * TILE]
        for i in range(count):
            target[i] += a[i] * (half + half * b[i] / (one + abs(b[i])))


@inner(cache=True, nogil=True)
def shifts_into(x: Singles, h: Singles, taps: Singles, dilation: int, out: Singles) -> None:
    """Add to x the neighbours in the order, δ = dilation places away; beyond an end stands 0.

    out[c, i] = x[c, i] + taps[c, 0]·h[c, i − δ] + taps[c, 1]·h[c, i] + taps[c, 2]·h[c, i + δ].
    """
    channels, n = h.shape
    inside = max(n - 2 * dilation, 0)
    for c in range(channels):
        before, here, after = taps[c, 0], taps[c, 1], taps[c, 2]
        source, own, target = h[c], x[c], out[c]
        for i in range(min(dilation, n)):
            target[i] = own[i] + here * source[i]
            if i + dilation < n:
                target[i] += after * source[i + dilation]
        for i in range(max(n - dilation, dilation), n):
            target[i] = own[i] + (before * source[i - dilation] + here * source[i])
        if inside:
            early, middle, late = source[:inside], source[dilation : n - dilation], source[2 * dilation :]
            known, changed = own[dilation : n - dilation], target[dilation : n - dilation]
            for i in range(inside):
                changed[i] = known[i] + (before * early[i] + here * middle[i] + after * late[i])


@njit(cache=True, nogil=True)
def theta_into(outputs: Singles, positions: Floats, theta_offsets: Floats, sequence: Ints, out: Floats) -> None:
    """Compute θ from the outputs of a network: out[j] = t_0j + outputs[0, i] + Σ_k outputs[k, i]·o_kj.

    j is the row at place i of the sequence, or i if there is none. t are the positions; o_k are the positions after the
    first less the first, then the θ offsets, as many of them as the network has outputs for.
    """
    others, sizes = (max(len(positions), 1), len(theta_offsets)) if len(outputs) > 1 else (1, 0)
    for i in range(len(out)):
        j = sequence[i] if len(sequence) else i
        first = positions[0, j] if len(positions) else 0.0
        value = np.float64(outputs[0, i])
        for k in range(1, others):
            value += outputs[k, i] * (positions[k, j] - first)
        for k in range(sizes):
            value += outputs[others + k, i] * theta_offsets[k, j]
        out[j] = value + first


@njit(cache=True, nogil=True)
def pool_into(h: Singles, labels: Ints, count: Ints, out: Singles) -> None:
    """Store the mean and the maximum over the rows of each cell, out (2·channels, cells); 0 for empty cells."""
    channels, n = h.shape
    cells = len(count)
    for c in range(channels):
        source, total, most = h[c], out[c], out[channels + c]
        total[:] = 0.0
        most[:] = -np.inf
        for i in range(n):
            cell = labels[i]
            total[cell] += source[i]
            most[cell] = max(most[cell], source[i])
        for cell in range(cells):
            if count[cell] == 0:
                most[cell] = 0.0
            else:
                total[cell] /= np.float32(count[cell])


@njit(cache=True, nogil=True)
def gather_add(cells: Singles, labels: Ints, x: Singles) -> None:
    """Add the values of each row's cell: x[c, i] += cells[c, labels[i]]."""
    channels, n = x.shape
    for c in range(channels):
        source, target = cells[c], x[c]
        for i in range(n):
            target[i] += source[labels[i]]
