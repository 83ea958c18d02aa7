"""The feature matrix of an instance of 1 | r_j | Σ C_j, in O(n log n).

The rows follow the table in `colayer.problems.single_machine.features`, which holds names and formulas. Ranks are
integers here, see `counting`. Divisions follow IEEE (no check for a zero divisor each time): where the divisor may
be 0, `_put` looks at it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import njit
from colayer.problems.single_machine.kernels.counting import (
    arrivals_while_running,
    count_earlier,
    queue_at_release,
    ranks,
)
from colayer.problems.single_machine.kernels.lookahead import dispatch_lookahead
from colayer.problems.single_machine.kernels.schedule import (
    aprtf,
    completion_times,
    dispatch_ect,
    dispatch_shortest,
    piece_statistics,
    srpt_pieces,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Features are cut off here (only absurd data comes near), so that their squares stay finite in float32.
LARGEST = 1e12
#: Data are scaled to a maximum in [1/2, 1); what is smaller than this is lost, so that no ratio overflows.
SMALLEST = 1e-300


@njit(cache=True, nogil=True, error_model="numpy")
def feature_matrix(r: Floats, p: Floats, d: int) -> NDArray[np.float32]:
    """The first d features, d = 27 or 66, as a C-contiguous float32 array of shape (d, n); O(n log n).

    Computed in float64 on data scaled by a power of two (exact, and no feature depends on the unit of time), rounded at
    the end.
    """
    r, p = _scaled(r, p)
    n = len(r)
    out = np.empty((d, n), np.float32)
    job, begin, end, left_at = srpt_pieces(r, p)
    start, completion, mean_busy, left, preemptor, preemptions = piece_statistics(n, job, begin, end, left_at)
    rp = r + p
    rank_p = ranks(p)
    rank_r = ranks(r)
    rank_rp = ranks(rp)
    rank_c = ranks(completion)
    sum_r = r.sum()
    sum_p = p.sum()
    row = 0
    for rank in (rank_p, rank_r, rank_rp):
        row = _put(out, row, rank.astype(np.float64), n)
    row = _put_share(out, row, r / p)
    inverse = np.zeros(n)
    for j in range(n):
        if r[j] > 0.0:
            inverse[j] = p[j] / r[j]
    row = _put_share(out, row, inverse)
    for value in (r, p, rp):
        for total in (sum_r, sum_p, sum_r + sum_p):
            row = _put(out, row, value, total)
    over_preemptor = np.zeros(n)
    for j in range(n):
        if preemptor[j] >= 0:
            over_preemptor[j] = left[j] / p[preemptor[j]]
    for value in (left, over_preemptor, left / p):
        row = _put_share(out, row, value)
    row = _put_decile(out, row, r, rank_r)
    row = _put_decile(out, row, p, rank_p)
    row = _put_share(out, row, preemptions.astype(np.float64))
    row = _put(out, row, rank_c.astype(np.float64), n)
    smaller_p, larger_p = count_earlier(rank_c, rank_p)
    smaller_r, larger_r = count_earlier(rank_c, rank_r)
    for value in (smaller_p, smaller_r, larger_p, larger_r):
        row = _put_share(out, row, value)
    if d == row:
        return out

    makespan = completion.max()
    for value in (start, completion, mean_busy):
        row = _put(out, row, value, makespan)
    waiting = np.maximum(completion - r - p, 0.0)
    row = _put(out, row, waiting, makespan)
    row = _put(out, row, waiting / p, 1.0)
    for value in (r + 0.5 * p, r + 2.0 * p, start, mean_busy):
        row = _put(out, row, ranks(value).astype(np.float64), n)
    sequences = (aprtf(r, p), dispatch_shortest(r, p), dispatch_ect(r, p))
    for sequence in (*sequences, dispatch_lookahead(r, p)):
        position = np.empty(n)
        for i in range(n):
            position[sequence[i]] = i + 1
        row = _put(out, row, position, n)
    for sequence in sequences:
        row = _put(out, row, completion_times(sequence, r, p), makespan)
    share_p = rank_p / n
    share_r = rank_r / n
    share_c = rank_c / n
    for value in (
        share_p * share_r,
        share_p * share_c,
        share_r * share_c,
        share_p * share_p,
        share_r * share_r,
        share_c * share_c,
    ):
        row = _put(out, row, value, 1.0)
    length, work, shorter = queue_at_release(r, p, rank_p, job, begin, end, left_at)
    row = _put(out, row, length, n)
    row = _put(out, row, work, sum_p)
    row = _put(out, row, shorter, n)
    length, work, shorter = arrivals_while_running(r, p, rp, rank_p, rank_rp)
    row = _put(out, row, length, n)
    row = _put(out, row, work, sum_p)
    row = _put(out, row, shorter, n)
    load = r.max() / sum_p
    for value in (share_p, share_r, share_c, completion / makespan):
        row = _put(out, row, load * value, 1.0)
    row = _put_decile(out, row, rp, rank_rp)
    row = _put_decile(out, row, completion, rank_c)
    row = _put_scaled(out, row, np.log(p))
    row = _put_scaled(out, row, np.log1p(r * (n / sum_p)))
    row = _put_scaled(out, row, np.log(completion))
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def _scaled(r: Floats, p: Floats) -> tuple[Floats, Floats]:
    """r and p times the power of two that brings the largest of them into [1/2, 1)."""
    n = len(r)
    _, exponent = math.frexp(max(r.max(), p.max()))
    scaled_r = np.empty(n)
    scaled_p = np.empty(n)
    for j in range(n):
        x = math.ldexp(r[j], -exponent)
        scaled_r[j] = x if x >= SMALLEST else 0.0
        scaled_p[j] = max(math.ldexp(p[j], -exponent), SMALLEST)
    return scaled_r, scaled_p


@njit(cache=True, nogil=True, error_model="numpy")
def _put(out: NDArray[np.float32], row: int, values: Floats, divisor: float) -> int:
    """Write values / divisor (0 where the divisor is 0), all ≥ 0, as row `row`; returns the next row."""
    if divisor > 0.0:
        for j in range(len(values)):
            value = values[j] / divisor
            out[row, j] = value if value < LARGEST else LARGEST
    else:
        out[row] = 0.0
    return row + 1


@njit(cache=True, nogil=True, error_model="numpy")
def _put_share(out: NDArray[np.float32], row: int, values: Floats) -> int:
    """Write the values over their sum."""
    return _put(out, row, values, values.sum())


@njit(cache=True, nogil=True, error_model="numpy")
def _put_decile(out: NDArray[np.float32], row: int, values: Floats, rank: Ints) -> int:
    """Write the decile 0..9 of the values, ⌊10 (rank - 1) / n⌋, and value / (decile + 1) over its sum: two rows."""
    n = len(values)
    quotient = np.empty(n)
    for j in range(n):
        decile = 10 * (rank[j] - 1) // n
        out[row, j] = decile
        quotient[j] = values[j] / (decile + 1)
    return _put_share(out, row + 1, quotient)


@njit(cache=True, nogil=True, error_model="numpy")
def _put_scaled(out: NDArray[np.float32], row: int, values: Floats) -> int:
    """Write the values moved and scaled to [0, 1] over the jobs."""
    low = values.min()
    return _put(out, row, values - low, values.max() - low)
