"""The inputs of networks for each row, in float32: features, and neighbours in an order.

Kernels use `error_model="numpy"` because division that is checked for 0 does not vectorise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.compiled import inner, njit

_PART = 512  # numbers that are squashed at once
_LARGEST = np.float32(1e18)  # its square is a float32
_ROOT, _LOG_ROOT, _LOG_TWO = np.float32(math.sqrt(2.0)), np.float32(0.5 * math.log(2.0)), np.float32(math.log(2.0))
_THIRD, _FIFTH, _SEVENTH = np.float32(1 / 3), np.float32(1 / 5), np.float32(1 / 7)


@njit(cache=True, nogil=True, error_model="numpy")
def scale_into(features: NDArray[Any], scale: Floats, center: Floats, most: float, out: Singles) -> None:
    """Compute out[k, i] = features[k, i]/scale[k] − center[k], clipped to ±most."""
    for k in range(len(scale)):
        row, target, size, middle = features[k], out[k], scale[k], center[k]
        for i in range(len(row)):
            target[i] = min(max(row[i] / size - middle, -most), most)


@njit(cache=True, nogil=True)
def order_inputs_into(
    features: Singles, positions: Floats, sizes: Floats, sequence: Ints, shifts: Ints, out: Singles
) -> None:
    """Write what a network sees of rows in an order; all arrays are (·, rows).

    Features come first. Then come, squashed: the positions after the first, less the first; the sizes; and for the
    neighbour at each shift its positions less the row's own first one, and its sizes less the row's own. Beyond an end
    stands the last row. Inputs hold rows by their numbers, out holds them in the order of the sequence.
    """
    n, first, d = len(sequence), len(positions), len(features)
    for k in range(d):
        row, target = features[k], out[k]
        for i in range(n):
            target[i] = row[sequence[i]]
    columns = np.empty((first + len(sizes), n))
    for k in range(len(columns)):
        column, source = columns[k], positions[k] if k < first else sizes[k - first]
        for i in range(n):
            column[i] = source[sequence[i]]
    at = d
    for k in range(len(columns)):
        if k == 0 < first:
            continue
        _difference(columns[k], columns[0], 0, k < first, out[at])
        at += 1
    for shift in shifts:
        for k in range(len(columns)):
            _difference(columns[k], columns[0] if k < first else columns[k], shift, True, out[at])
            at += 1
    squash_all(out[d:at])


@inner(cache=True, nogil=True)
def _difference(column: Floats, own: Floats, shift: int, less: bool, out: Singles) -> None:
    """Compute out[i] = column[i + shift] − own[i], without own if not `less`; the end row repeats beyond an end."""
    n, share = len(column), 1.0 if less else 0.0
    low, high = min(max(-shift, 0), n), max(min(n - shift, n), 0)
    for i in range(low):
        out[i] = column[0] - share * own[i]
    for i in range(high, n):
        out[i] = column[n - 1] - share * own[i]
    if low < high:
        source, here, target = column[low + shift : high + shift], own[low:high], out[low:high]
        for i in range(len(target)):
            target[i] = source[i] - share * here[i]


@njit(cache=True, nogil=True)
def squash_all(values: Singles) -> None:
    """Replace x by arsinh x in a C-contiguous array."""
    squash(values.ravel())


@inner(cache=True, nogil=True, error_model="numpy")
def squash(values: Singles) -> None:
    """Replace x by arsinh x = ±log(|x| + √(x² + 1)), to 3e-7, in loops over the bits that compilers vectorise.

    log of y = 2^e·m, 1 ≤ m < 2, is e·log 2 + log √2 + 2·artanh t with t = (m − √2)/(m + √2), |t| < 0.172: four terms.
    """
    one, two, zero = np.float32(1.0), np.float32(2.0), np.float32(0.0)
    y, m, e = np.empty(_PART, np.float32), np.empty(_PART, np.float32), np.empty(_PART, np.float32)
    bits, mantissa = y.view(np.int32), m.view(np.int32)
    for start in range(0, len(values), _PART):
        x = values[start : start + _PART]
        count = len(x)
        for i in range(count):
            a = min(abs(x[i]), _LARGEST)
            y[i] = a + np.sqrt(a * a + one)
        for i in range(count):
            mantissa[i] = (bits[i] & 0x7FFFFF) | 0x3F800000
        for i in range(count):
            e[i] = np.float32(np.int32((bits[i] >> 23) - 127))  # without int32 it would be twice as wide
        for i in range(count):
            t = (m[i] - _ROOT) / (m[i] + _ROOT)
            s = t * t
            log = e[i] * _LOG_TWO + (_LOG_ROOT + two * t * (one + s * (_THIRD + s * (_FIFTH + s * _SEVENTH))))
            x[i] = log if x[i] >= zero else -log
