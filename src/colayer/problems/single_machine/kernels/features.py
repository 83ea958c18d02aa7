"""The feature matrix of an instance of 1 | r_j | Σ C_j, in O(n log n).

The rows follow the table in `colayer.problems.single_machine.features`, which holds names and formulas. Ranks are
integers here, see `counting`. All is one kernel of plain loops over arrays that it is handed: such code is quick to
compile, and a small instance is done before Python could have called a second kernel.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.compiled import njit
from colayer.layers.sorting import order_into
from colayer.problems.single_machine.kernels.counting import queue_into, ranks_into, released_into, sweep_into
from colayer.problems.single_machine.kernels.dispatch import dispatch_into
from colayer.problems.single_machine.kernels.lookahead import blocks_into, lookahead_into
from colayer.problems.single_machine.kernels.schedule import srpt_pieces_into, statistics_into

#: Features are cut off here (only absurd data comes near), so that their squares stay finite in float32.
LARGEST = 1e12
#: Data are scaled to a maximum in [1/2, 1); what is smaller than this is lost, so that no ratio overflows.
SMALLEST = 1e-300

#: What rows are divided by: totals, or the sum of the row, or what scales its log(x) or log(1 + x) to [0, 1].
_ONE, _N, _R, _P, _RP, _END, _SHARE, _LOG, _LOG1P = range(9)
#: The same by row.
_OVER = np.array(
    [_N] * 3 + [_SHARE] * 2 + [_R, _P, _RP] * 3 + [_SHARE] * 3 + [_ONE, _SHARE] * 2 + [_SHARE, _N] + [_SHARE] * 4
    + [_END] * 4 + [_ONE] + [_N] * 8 + [_END] * 3 + [_ONE] * 6 + [_N, _P, _N] * 2 + [_ONE] * 4 + [_ONE, _SHARE] * 2
    + [_LOG, _LOG1P, _LOG],
)  # fmt: skip
_FIRST = 27  # rows of the smaller feature set

#: Rows of what is sorted: r, p, r + p, r + p/2, r + 2p, then C, S and M of SRPT, then what APRTF and ECT look at.
_SORTED = 10
_BY_R, _BY_P, _BY_RP, _BY_C, _BY_S, _BY_M, _APRTF, _ECT = 0, 1, 2, 5, 6, 7, 8, 9


def feature_matrix(r: Floats, p: Floats, d: int) -> tuple[Singles, Ints, Floats, Floats]:
    """Compute the first d features, d = 27 or 66, as a C-contiguous float32 array of shape (d, n); O(n log n).

    Return with them the jobs by release date, and start and completion under SRPT.

    Features are computed in float64 on data scaled by a power of two (exact, and no feature depends on the unit of
    time), then rounded.
    """
    n = len(r)
    out = np.empty((d, n), np.float32)
    values, reals, pieces = np.empty((d, n)), np.empty((_SORTED + 5, n)), np.empty((3, 2 * n))
    ints, job, work = np.empty((2 * _SORTED + 6, n), np.int64), np.empty(2 * n, np.int64), np.empty(2 * n + 1, np.int64)
    tree, done = np.empty(n + 2, np.int64), np.empty(n, np.bool_)
    by_release, (start, completion) = np.empty(n, np.int64), np.empty((2, n))
    _features_into(r, p, values, reals, pieces, ints, job, work, tree, done, by_release, start, completion, out)
    return out, by_release, start, completion


@njit(cache=True, nogil=True, error_model="numpy")
def _features_into(
    release: Floats,
    processing: Floats,
    values: Floats,
    reals: Floats,
    pieces: Floats,
    ints: Ints,
    job: Ints,
    work: Ints,
    tree: Ints,
    done: NDArray[np.bool_],
    by_release: Ints,
    started: Floats,
    completed: Floats,
    out: Singles,
) -> None:
    """Write the results of `feature_matrix` to the last four arguments; all others but the first two are scratch.

    Orders are shared: SRPT, the list schedules, the queues and the arrivals use that by r, the counts those by p and C.
    `values` holds the rows before they are divided; a row whose divisor is 0 is 0. Sums go from the first job to the
    last, and logarithms are those of the C library: numpy's may differ in the last bit between machines.
    """
    d, n = values.shape
    more = d > _FIRST
    orders = ints[:_SORTED]
    ranks = ints[_SORTED : 2 * _SORTED]
    r = reals[_BY_R]
    p = reals[_BY_P]
    rp = reals[_BY_RP]
    completion = reals[_BY_C]
    rank_p = ranks[_BY_P]
    rank_c = ranks[_BY_C]
    by_r = orders[_BY_R]
    low = ints[2 * _SORTED]
    high = ints[2 * _SORTED + 1]
    place = ints[2 * _SORTED + 2]
    heap = ints[2 * _SORTED + 3]
    preemptor = ints[2 * _SORTED + 4]
    preemptions = ints[2 * _SORTED + 5]
    keys = reals[_SORTED]
    left = reals[_SORTED + 1]
    date = reals[_SORTED + 2]  # r and p by release
    key = reals[_SORTED + 3]
    spare = reals[_SORTED + 4]

    largest = 0.0
    for j in range(n):
        largest = max(largest, release[j], processing[j])
    _, exponent = math.frexp(largest)
    sum_r = 0.0
    sum_p = 0.0
    largest = 0.0
    for j in range(n):
        x = math.ldexp(release[j], -exponent)
        r[j] = x if x >= SMALLEST else 0.0
        p[j] = max(math.ldexp(processing[j], -exponent), SMALLEST)
        rp[j] = r[j] + p[j]
        reals[3, j] = r[j] + 0.5 * p[j]
        reals[4, j] = r[j] + 2.0 * p[j]
        sum_r += r[j]
        sum_p += p[j]
        largest = max(largest, r[j])
    begin = pieces[0]
    end = pieces[1]
    left_at = pieces[2]
    for k in range(_SORTED):
        if k == _BY_C:
            for i in range(n):
                date[i] = r[by_r[i]]
                key[i] = p[by_r[i]]
                spare[i] = key[i]
                reals[_APRTF, i] = 2.0 * date[i] + key[i]
                reals[_ECT, i] = date[i] + key[i]
            count = srpt_pieces_into(by_r, r, spare, heap, job, begin, end, left_at)
            job = job[:count]
            start = reals[_BY_S]
            busy = reals[_BY_M]
            statistics_into(
                job, begin, end, left_at, start, completion, busy, spare, left, preemptor, preemptions
            )  # fmt: skip
            most = math.ldexp(1.0, exponent // 2)  # the unit of time again, in two steps: 2^exponent may be infinite
            rest = math.ldexp(1.0, exponent - exponent // 2)
            for j in range(n):
                by_release[j] = by_r[j]
                started[j] = start[j] * most * rest
                completed[j] = completion[j] * most * rest
        if more or k <= _BY_RP or k == _BY_C:
            order_into(reals[k], orders[k], keys, work)
            ranks_into(reals[k], orders[k], ranks[k])
    makespan = 0.0
    for j in range(n):
        makespan = max(makespan, completion[j])
        values[0, j] = rank_p[j]
        values[1, j] = ranks[_BY_R, j]
        values[2, j] = ranks[_BY_RP, j]
        values[3, j] = r[j] / p[j]
        values[4, j] = p[j] / r[j] if r[j] > 0.0 else 0.0
        for k in range(3):
            values[5 + k, j] = r[j]
            values[8 + k, j] = p[j]
            values[11 + k, j] = rp[j]
        values[14, j] = left[j]
        values[15, j] = left[j] / p[preemptor[j]] if preemptor[j] >= 0 else 0.0
        values[16, j] = left[j] / p[j]
        values[21, j] = preemptions[j]
        values[22, j] = rank_c[j]
    for k in range(2):
        rank = ranks[_BY_P - k]  # p, then r
        for j in range(n):
            low[j] = rank[j] - 1
        sweep_into(orders[_BY_C], rank_c, rank, low, rank, tree, values[23 + k], spare, values[25 + k])
    for k in range(4 if more else 2):  # deciles of r, p, r + p and C
        i = k if k < 3 else _BY_C
        row = 17 + 2 * k if k < 2 else 55 + 2 * k
        for j in range(n):
            decile = 10 * (ranks[i, j] - 1) // n
            values[row, j] = decile
            values[row + 1, j] = reals[i, j] / (decile + 1)
    if more:
        load = largest / sum_p
        scale = n / sum_p
        for j in range(n):
            values[27, j] = reals[_BY_S, j]
            values[28, j] = completion[j]
            values[29, j] = reals[_BY_M, j]
            waiting = max(completion[j] - r[j] - p[j], 0.0)
            values[30, j] = waiting
            values[31, j] = waiting / p[j]
            values[32, j] = ranks[3, j]
            values[33, j] = ranks[4, j]
            values[34, j] = ranks[_BY_S, j]
            values[35, j] = ranks[_BY_M, j]
            share_p = rank_p[j] / n
            share_r = ranks[_BY_R, j] / n
            share_c = rank_c[j] / n
            values[43, j] = share_p * share_r
            values[44, j] = share_p * share_c
            values[45, j] = share_r * share_c
            values[46, j] = share_p * share_p
            values[47, j] = share_r * share_r
            values[48, j] = share_c * share_c
            values[55, j] = load * share_p
            values[56, j] = load * share_r
            values[57, j] = load * share_c
            values[58, j] = load * (completion[j] / makespan)
            values[63, j] = p[j]
            values[64, j] = r[j] * scale
            values[65, j] = completion[j]
        for j in range(n):
            spare[j] = p[orders[_BY_P, j]]
        queue_into(
            r, p, rank_p, job, begin, end, left_at, by_r, spare, place, tree, values[49], values[50], values[51]
        )  # fmt: skip
        released_into(r, rp, by_r, orders[_BY_RP], place, low, high)
        sweep_into(orders[_BY_P], rank_p, place, low, high, tree, spare, values[54], left)
        before = pieces[0]  # work of the first places of the release order
        before[0] = 0.0
        for i in range(n):
            before[i + 1] = before[i] + key[i]
        for j in range(n):
            some = high[j] - low[j] > 1
            values[52, j] = high[j] - low[j] - 1 if some else 0.0
            values[53, j] = max(before[high[j]] - before[low[j]] - p[j], 0.0) if some else 0.0

        sequence = low  # in release positions
        for k in range(4):  # APRTF, SHORTEST, ECT, LOOKAHEAD
            if k == 3:
                blocks_into(date, key, place, spare)
                lookahead_into(date, key, place, spare, heap, work, sequence)
            else:
                done[:] = False
                c = 2.0 if k == 0 else np.inf if k == 1 else 1.0
                dispatch_into(date, key, c, k == 0, orders[_APRTF if k == 0 else _ECT], heap, done, sequence)
            t = 0.0
            for i in range(n):
                j = by_r[sequence[i]]
                t = max(t, r[j]) + p[j]
                values[36 + k, j] = i + 1
                if k < 3:
                    values[40 + k, j] = t

    for k in range(d):
        over = _OVER[k]
        divisor = 1.0
        if over == _N:
            divisor = n
        elif over == _R:
            divisor = sum_r
        elif over == _P:
            divisor = sum_p
        elif over == _RP:
            divisor = sum_r + sum_p
        elif over == _END:
            divisor = makespan
        elif over == _SHARE:
            divisor = 0.0
            for j in range(n):
                divisor += values[k, j]
        elif over != _ONE:
            least = np.inf
            most = -np.inf
            for j in range(n):
                value = math.log(values[k, j]) if over == _LOG else math.log1p(values[k, j])
                values[k, j] = value
                least = min(least, value)
                most = max(most, value)
            divisor = most - least
            for j in range(n):
                values[k, j] -= least
        for j in range(n):
            value = values[k, j] / divisor if divisor > 0.0 else 0.0
            out[k, j] = value if value < LARGEST else LARGEST
