"""The forward pass of networks that see context, in float32: channels by rows, sums in a fixed order.

Rows are the last axis, so every inner loop runs over rows side by side and no sum is reordered: the bits depend neither
on the number of cores nor on a BLAS. Multiplications and additions may be fused. Products go through tiles of 64 rows,
which lie in one piece and in the nearest cache: a compiler that sees one array, at distances that it knows, uses the
widest registers there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import inner, njit

Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

_TILE = 64


@inner(cache=True, nogil=True, fastmath={"contract"})
def tile_product(matrix: Singles, bias: Singles, x: Singles, out: Singles) -> None:
    """out[o, i] = bias[o] + Σ_k matrix[o, k]·x[k, i], in the order of k, over one tile of rows i; all arrays are flat.

    Outputs and inputs are multiples of four, and go four by four: each number that is read is used four times.
    O(outputs·inputs).
    """
    outputs, inputs = len(bias), len(x) // _TILE
    for o in range(0, outputs, 4):
        r = out[o * _TILE : (o + 4) * _TILE]
        for j in range(4):
            value = bias[o + j]
            part = r[j * _TILE : (j + 1) * _TILE]
            for i in range(_TILE):
                part[i] = value
        for k in range(0, inputs, 4):
            m = matrix[o * inputs + k : (o + 3) * inputs + k + 4]
            a00, a01, a02, a03 = m[0], m[1], m[2], m[3]
            a10, a11, a12, a13 = m[inputs], m[inputs + 1], m[inputs + 2], m[inputs + 3]
            a20, a21, a22, a23 = m[2 * inputs], m[2 * inputs + 1], m[2 * inputs + 2], m[2 * inputs + 3]
            a30, a31, a32, a33 = m[3 * inputs], m[3 * inputs + 1], m[3 * inputs + 2], m[3 * inputs + 3]
            u = x[k * _TILE : (k + 4) * _TILE]
            for i in range(_TILE):
                x0, x1, x2, x3 = u[i], u[_TILE + i], u[2 * _TILE + i], u[3 * _TILE + i]
                r[i] = (((r[i] + a00 * x0) + a01 * x1) + a02 * x2) + a03 * x3
                r[_TILE + i] = (((r[_TILE + i] + a10 * x0) + a11 * x1) + a12 * x2) + a13 * x3
                r[2 * _TILE + i] = (((r[2 * _TILE + i] + a20 * x0) + a21 * x1) + a22 * x2) + a23 * x3
                r[3 * _TILE + i] = (((r[3 * _TILE + i] + a30 * x0) + a31 * x1) + a32 * x2) + a33 * x3


@inner(cache=True, nogil=True)
def take_tile(x: Singles, start: int, tile: Singles) -> int:
    """Rows from `start` on into a flat tile, 0 where there are no more; how many there are."""
    inputs, n = x.shape
    count = min(_TILE, n - start)
    for k in range(inputs):
        source, target = x[k, start : start + count], tile[k * _TILE : (k + 1) * _TILE]
        for i in range(count):
            target[i] = source[i]
        for i in range(count, _TILE):
            target[i] = 0.0
    return count


@njit(cache=True, nogil=True)
def product_into(matrix: Singles, bias: Singles, x: Singles, out: Singles, positive: bool) -> None:
    """out = matrix·x + bias, or max(0, ·) of it; the matrix is flat, padded to fours; x (inputs, n), out (·, n)."""
    inputs = len(matrix) // len(bias)
    u, z = np.zeros(inputs * _TILE, np.float32), np.empty(len(bias) * _TILE, np.float32)
    least = np.float32(0.0 if positive else -np.inf)
    for start in range(0, x.shape[1], _TILE):
        count = take_tile(x, start, u)
        tile_product(matrix, bias, u, z)
        for o in range(out.shape[0]):
            target, source = out[o, start : start + count], z[o * _TILE : (o + 1) * _TILE]
            for i in range(count):
                target[i] = max(source[i], least)


@njit(cache=True, nogil=True, error_model="numpy")  # a division that looks out for 0 is done one by one
def gated_add(matrix: Singles, bias: Singles, x: Singles, h: Singles) -> None:
    """h += a·s(b) with (a, b) = matrix·x + bias, half of the outputs each, s(b) = (1 + b/(1 + |b|))/2."""
    channels, n = h.shape
    inputs, second = len(matrix) // len(bias), len(bias) // 2
    u, z = np.zeros(inputs * _TILE, np.float32), np.empty(len(bias) * _TILE, np.float32)
    half, one = np.float32(0.5), np.float32(1.0)
    for start in range(0, n, _TILE):
        count = take_tile(x, start, u)
        tile_product(matrix, bias, u, z)
        for c in range(channels):
            target = h[c, start : start + count]
            a, b = z[c * _TILE : (c + 1) * _TILE], z[(second + c) * _TILE : (second + c + 1) * _TILE]
            for i in range(count):
                target[i] += a[i] * (half + half * b[i] / (one + abs(b[i])))


@njit(cache=True, nogil=True, fastmath={"contract"})
def shifts_add(h: Singles, taps: Singles, dilation: int, x: Singles) -> None:
    """x[c, i] += taps[c, 0]·h[c, i − δ] + taps[c, 1]·h[c, i] + taps[c, 2]·h[c, i + δ], 0 beyond an end; δ: dilation."""
    channels, n = h.shape
    inside = max(n - 2 * dilation, 0)
    for c in range(channels):
        before, here, after = taps[c, 0], taps[c, 1], taps[c, 2]
        source, target = h[c], x[c]
        for i in range(min(dilation, n)):
            target[i] += here * source[i]
            if i + dilation < n:
                target[i] += after * source[i + dilation]
        for i in range(max(n - dilation, dilation), n):
            target[i] += before * source[i - dilation] + here * source[i]
        if inside:
            early, middle, late = source[:inside], source[dilation : n - dilation], source[2 * dilation :]
            changed = target[dilation : n - dilation]
            for i in range(inside):
                changed[i] += before * early[i] + here * middle[i] + after * late[i]


@njit(cache=True, nogil=True)
def pool_into(h: Singles, labels: Ints, count: Ints, out: Singles) -> None:
    """out (2·channels, cells): the mean and the maximum over the rows of each cell, 0 where it has none."""
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
    """x[c, i] += cells[c, labels[i]]."""
    channels, n = x.shape
    for c in range(channels):
        source, target = cells[c], x[c]
        for i in range(n):
            target[i] += source[labels[i]]
