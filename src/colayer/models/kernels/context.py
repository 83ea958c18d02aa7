"""The forward pass of networks that see context, in float32: channels by rows, sums in a fixed order.

Rows are the last axis, so every inner loop runs over rows side by side and no sum is reordered: the bits depend neither
on the number of cores nor on a BLAS. Multiplications and additions may be fused.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import njit

Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

_BLOCK = 256  # rows at a time: a few channels of them stay in the nearest cache


@njit(cache=True, nogil=True, fastmath={"contract"})
def product_into(matrix: Singles, bias: Singles, x: Singles, out: Singles) -> None:
    """out[o, i] = bias[o] + Σ_k matrix[o, k]·x[k, i], in the order of k; O(outputs·inputs·rows).

    Four outputs and four inputs at a time: each number that is read is used four times.
    """
    outputs, inputs = matrix.shape
    n = x.shape[1]
    zero = np.zeros(_BLOCK, np.float32)
    spare = np.empty((4, _BLOCK), np.float32)
    a = np.empty((4, 4), np.float32)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        count = stop - start
        for o in range(0, outputs, 4):
            rows = min(4, outputs - o)
            r0 = out[o, start:stop]
            r1 = out[o + 1, start:stop] if rows > 1 else spare[1, :count]
            r2 = out[o + 2, start:stop] if rows > 2 else spare[2, :count]
            r3 = out[o + 3, start:stop] if rows > 3 else spare[3, :count]
            r0[:] = bias[o]
            r1[:] = bias[o + 1] if rows > 1 else np.float32(0.0)
            r2[:] = bias[o + 2] if rows > 2 else np.float32(0.0)
            r3[:] = bias[o + 3] if rows > 3 else np.float32(0.0)
            for k in range(0, inputs, 4):
                columns = min(4, inputs - k)
                for i in range(4):
                    for j in range(4):
                        a[i, j] = matrix[o + i, k + j] if i < rows and j < columns else np.float32(0.0)
                a00, a01, a02, a03 = a[0, 0], a[0, 1], a[0, 2], a[0, 3]
                a10, a11, a12, a13 = a[1, 0], a[1, 1], a[1, 2], a[1, 3]
                a20, a21, a22, a23 = a[2, 0], a[2, 1], a[2, 2], a[2, 3]
                a30, a31, a32, a33 = a[3, 0], a[3, 1], a[3, 2], a[3, 3]
                x0 = x[k, start:stop]
                x1 = x[k + 1, start:stop] if columns > 1 else zero[:count]
                x2 = x[k + 2, start:stop] if columns > 2 else zero[:count]
                x3 = x[k + 3, start:stop] if columns > 3 else zero[:count]
                for i in range(count):
                    r0[i] += a00 * x0[i] + a01 * x1[i] + a02 * x2[i] + a03 * x3[i]
                    r1[i] += a10 * x0[i] + a11 * x1[i] + a12 * x2[i] + a13 * x3[i]
                    r2[i] += a20 * x0[i] + a21 * x1[i] + a22 * x2[i] + a23 * x3[i]
                    r3[i] += a30 * x0[i] + a31 * x1[i] + a32 * x2[i] + a33 * x3[i]


@njit(cache=True, nogil=True)
def gated_add(matrix: Singles, bias: Singles, x: Singles, h: Singles) -> None:
    """h += a·s(b) with (a, b) = matrix·x + bias, half of the outputs each, s(b) = (1 + b/(1 + |b|))/2; by blocks."""
    channels, n = h.shape
    z = np.empty((2 * channels, _BLOCK), np.float32)
    half, one = np.float32(0.5), np.float32(1.0)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        count = stop - start
        part = z[:, :count] if count == _BLOCK else np.empty((2 * channels, count), np.float32)
        product_into(matrix, bias, x[:, start:stop], part)
        for c in range(channels):
            target, a, b = h[c, start:stop], part[c], part[channels + c]
            for i in range(count):
                target[i] += a[i] * (half + half * b[i] / (one + abs(b[i])))


@njit(cache=True, nogil=True)
def shifts_add(h: Singles, taps: Singles, dilation: int, x: Singles) -> None:
    """x[c, i] += taps[c, 0]·h[c, i − δ] + taps[c, 1]·h[c, i] + taps[c, 2]·h[c, i + δ], 0 beyond an end; δ: dilation."""
    channels, n = h.shape
    near = max(n - dilation, 0)
    for c in range(channels):
        source, target = h[c], x[c]
        before, here, after = taps[c, 0], taps[c, 1], taps[c, 2]
        for i in range(n):
            target[i] += here * source[i]
        for i in range(near):
            target[i] += after * source[i + dilation]
        for i in range(near):
            target[i + dilation] += before * source[i]


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
