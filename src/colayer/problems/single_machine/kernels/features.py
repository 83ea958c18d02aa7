"""The feature matrix of an instance of 1 | r_j | Σ C_j, in O(n log n).

The rows follow the table in `colayer.problems.single_machine.features`, which holds names and formulas. Ranks are
integers here, see `counting`. What numpy does as well is left to it: compiling takes longer than it gains.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.compiled import njit
from colayer.problems.single_machine.kernels.counting import (
    arrivals_while_running,
    count_earlier,
    queue_at_release,
    ranks,
)
from colayer.problems.single_machine.kernels.dispatch import aprtf, dispatch_ect, dispatch_shortest
from colayer.problems.single_machine.kernels.lookahead import dispatch_lookahead
from colayer.problems.single_machine.kernels.schedule import completion_times, piece_statistics, srpt_pieces

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Features are cut off here (only absurd data comes near), so that their squares stay finite in float32.
LARGEST = 1e12
#: Data are scaled to a maximum in [1/2, 1); what is smaller than this is lost, so that no ratio overflows.
SMALLEST = 1e-300
#: Divisors that stand for the sum of the row, and for what scales its log(x) or log(1 + x) to [0, 1].
_SHARE, _LOG, _LOG1P = -1.0, -2.0, -3.0


def feature_matrix(r: Floats, p: Floats, d: int) -> NDArray[np.float32]:
    """The first d features, d = 27 or 66, as a C-contiguous float32 array of shape (d, n); O(n log n).

    Computed in float64 on data scaled by a power of two (exact, and no feature depends on the unit of time), rounded at
    the end.
    """
    r, p = _scaled(r, p)
    n = len(r)
    rows = _Rows(d, n)
    pieces = srpt_pieces(r, p)
    start, completion, mean_busy, left, preemptor, preemptions = piece_statistics(n, *pieces)
    rp = r + p
    rank_p, rank_r, rank_rp, rank_c = ranks(p), ranks(r), ranks(rp), ranks(completion)
    sum_r, sum_p = _sum(r), _sum(p)
    rows.put(n, rank_p, rank_r, rank_rp)
    rows.shares(r / p, np.divide(p, r, out=np.zeros(n), where=r > 0.0))
    for value in (r, p, rp):
        for total in (sum_r, sum_p, sum_r + sum_p):
            rows.put(total, value)
    preempted = preemptor >= 0
    rows.shares(left, np.divide(left, p[preemptor], out=np.zeros(n), where=preempted), left / p)
    rows.decile(r, rank_r)
    rows.decile(p, rank_p)
    rows.shares(preemptions)
    rows.put(n, rank_c)
    smaller_p, larger_p = count_earlier(rank_c, rank_p)
    smaller_r, larger_r = count_earlier(rank_c, rank_r)
    rows.shares(smaller_p, smaller_r, larger_p, larger_r)
    if d == len(rows):
        return rows.matrix()

    makespan = float(completion.max())
    waiting = np.maximum(completion - r - p, 0.0)
    rows.put(makespan, start, completion, mean_busy, waiting)
    rows.put(1.0, waiting / p)
    rows.put(n, *(ranks(value) for value in (r + 0.5 * p, r + 2.0 * p, start, mean_busy)))
    sequences = (aprtf(r, p), dispatch_shortest(r, p), dispatch_ect(r, p))
    for sequence in (*sequences, dispatch_lookahead(r, p)):
        position = np.empty(n)
        position[sequence] = np.arange(1, n + 1)
        rows.put(n, position)
    rows.put(makespan, *(completion_times(sequence, r, p) for sequence in sequences))
    share_p, share_r, share_c = rank_p / n, rank_r / n, rank_c / n
    rows.put(1.0, share_p * share_r, share_p * share_c, share_r * share_c)
    rows.put(1.0, share_p * share_p, share_r * share_r, share_c * share_c)
    for length, work, shorter in (
        queue_at_release(r, p, rank_p, *pieces),
        arrivals_while_running(r, p, rp, rank_p, rank_rp),
    ):
        rows.put(n, length)
        rows.put(sum_p, work)
        rows.put(n, shorter)
    load = r.max() / sum_p
    rows.put(1.0, load * share_p, load * share_r, load * share_c, load * (completion / makespan))
    rows.decile(rp, rank_rp)
    rows.decile(completion, rank_c)
    rows.put(_LOG, p)
    rows.put(_LOG1P, r * (n / sum_p))
    rows.put(_LOG, completion)
    return rows.matrix()


class _Rows:
    """Rows of values ≥ 0 and what they are divided by, filled one after the other."""

    def __init__(self, d: int, n: int) -> None:
        self._values = np.empty((d, n))
        self._divisors: list[float] = []

    def __len__(self) -> int:
        return len(self._divisors)

    def put(self, divisor: float, *values: NDArray[Any]) -> None:
        """The values over the divisor, a row each; 0 where it is 0."""
        for row in values:
            self._values[len(self._divisors)] = row
            self._divisors.append(divisor)

    def shares(self, *values: NDArray[Any]) -> None:
        """The values over their sum."""
        self.put(_SHARE, *values)

    def decile(self, values: Floats, rank: Ints) -> None:
        """The decile 0..9 of the values, ⌊10 (rank - 1) / n⌋, and value / (decile + 1) over its sum: two rows."""
        decile = 10 * (rank - 1) // len(values)
        self.put(1.0, decile)
        self.shares(values / (decile + 1))

    def matrix(self) -> NDArray[np.float32]:
        """All rows."""
        out = np.empty(self._values.shape, np.float32)
        _finish_into(self._values, np.array(self._divisors), out)
        return out


@njit(cache=True, nogil=True, error_model="numpy")
def _finish_into(values: Floats, divisors: Floats, out: NDArray[np.float32]) -> None:
    """out[k] = values[k] / divisors[k], or their share, or their logarithm in [0, 1]; 0 where the divisor is 0.

    Sums go from the first job to the last, and logarithms are those of the C library: numpy's may differ in the last
    bit from machine to machine.
    """
    d, n = values.shape
    for k in range(d):
        divisor = divisors[k]
        if divisor == _SHARE:
            divisor = 0.0
            for j in range(n):
                divisor += values[k, j]
        elif divisor < 0.0:
            low = np.inf
            high = -np.inf
            for j in range(n):
                value = math.log(values[k, j]) if divisor == _LOG else math.log1p(values[k, j])
                values[k, j] = value
                if value < low:
                    low = value
                if value > high:
                    high = value
            divisor = high - low
            for j in range(n):
                values[k, j] -= low
        for j in range(n):
            value = values[k, j] / divisor if divisor > 0.0 else 0.0
            out[k, j] = value if value < LARGEST else LARGEST


def _scaled(r: Floats, p: Floats) -> tuple[Floats, Floats]:
    """r and p times the power of two that brings the largest of them into [1/2, 1)."""
    _, exponent = math.frexp(max(r.max(), p.max()))
    scaled_r, scaled_p = np.ldexp(r, -exponent), np.ldexp(p, -exponent)
    return np.where(scaled_r >= SMALLEST, scaled_r, 0.0), np.maximum(scaled_p, SMALLEST)


@njit(cache=True, nogil=True)
def _sum(values: Floats) -> float:
    """Σ from the first to the last."""
    total = 0.0
    for value in values:
        total += value
    return total
