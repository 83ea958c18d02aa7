"""The feature matrix of an instance of 1 | r_j | Σ C_j, in O(n log n).

The rows follow the table in `colayer.problems.single_machine.features`, which holds names and formulas. Counts are
taken with Fenwick trees. A *rank* here is an integer: the number of jobs whose value is at most the job's own, so that
value_i < value_j if and only if rank_i < rank_j, and ranks 1..n index the trees. Divisions follow IEEE (no check for a
zero divisor in each of them): where the divisor may be 0, `_put` looks at it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from colayer.problems.single_machine.kernels.lookahead import dispatch_lookahead
from colayer.problems.single_machine.kernels.schedule import (
    aprtf,
    completion_times,
    dispatch_ect,
    dispatch_shortest,
    increasing_order,
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
    smaller_p, larger_p = _count_earlier(rank_c, rank_p)
    smaller_r, larger_r = _count_earlier(rank_c, rank_r)
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
    length, work, shorter = _queue(r, p, rank_p, job, begin, end, left_at)
    row = _put(out, row, length, n)
    row = _put(out, row, work, sum_p)
    row = _put(out, row, shorter, n)
    length, work, shorter = _arrivals(r, p, rp, rank_p, rank_rp)
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
def ranks(values: Floats) -> Ints:
    """By job, the number of jobs whose value is at most its own; O(n log n)."""
    n = len(values)
    order = increasing_order(values)
    rank = np.empty(n, np.int64)
    above = n
    for i in range(n - 1, -1, -1):
        if i < n - 1 and values[order[i]] < values[order[i + 1]]:
            above = i + 1
        rank[order[i]] = above
    return rank


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


@njit(cache=True, nogil=True, error_model="numpy")
def _add(tree: Ints, i: int, amount: int) -> None:
    """Fenwick tree over the places 1..len(tree)-1: add `amount` at place i; O(log n)."""
    while i < len(tree):
        tree[i] += amount
        i += i & -i


@njit(cache=True, nogil=True, error_model="numpy")
def _prefix(tree: Ints, i: int) -> int:
    """Fenwick tree: the sum over the places 1..i; O(log n)."""
    total = 0
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _by_rank(rank: Ints) -> Ints:
    """The jobs in increasing order of rank, then index: a counting sort, O(n)."""
    n = len(rank)
    place = np.zeros(n + 1, np.int64)
    for j in range(n):
        place[rank[j]] += 1
    for k in range(1, n + 1):  # jobs of rank k fill the places k - count .. k - 1
        place[k] = k - place[k]
    order = np.empty(n, np.int64)
    for j in range(n):
        order[place[rank[j]]] = j
        place[rank[j]] += 1
    return order


@njit(cache=True, nogil=True, error_model="numpy")
def _at_most(increasing: Floats, value: float) -> int:
    """How many of the increasing values are at most `value`: bisection, O(log n)."""
    low = 0
    high = len(increasing)
    while low < high:
        middle = (low + high) >> 1
        if increasing[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, error_model="numpy")
def _count_earlier(rank_time: Ints, rank: Ints) -> tuple[Floats, Floats]:
    """By job j, how many jobs of smaller rank_time have a smaller `rank` than j, and how many a larger; O(n log n)."""
    n = len(rank)
    order = _by_rank(rank_time)
    tree = np.zeros(n + 1, np.int64)
    smaller = np.empty(n)
    larger = np.empty(n)
    added = 0
    for j in order:
        while rank_time[order[added]] < rank_time[j]:
            _add(tree, rank[order[added]], 1)
            added += 1
        smaller[j] = _prefix(tree, rank[j] - 1)
        larger[j] = added - _prefix(tree, rank[j])
    return smaller, larger


@njit(cache=True, nogil=True, error_model="numpy")
def _queue(
    r: Floats, p: Floats, rank_p: Ints, job: Ints, begin: Floats, end: Floats, left: Floats
) -> tuple[Floats, Floats, Floats]:
    """By job j, over the jobs released before r_j that SRPT has not completed at r_j: (number, work left, shorter).

    The last four arguments are the pieces of SRPT; `shorter` counts the jobs with less work left than p_j. A sweep over
    the releases: the tree holds the waiting jobs, each at place 1 + (number of processing times ≤ its work left), so
    that the places up to rank_p[j] hold those with less than p_j; the running job is compared by itself. O(n log n).
    """
    n = len(r)
    sorted_p = np.sort(p)
    place = rank_p + 1  # in the tree, by job
    tree = np.zeros(n + 2, np.int64)
    number = np.empty(n)
    work = np.empty(n)
    shorter = np.empty(n)
    order = increasing_order(r)
    waiting = 0
    running = False
    piece = 0
    backlog = 0.0
    k = 0
    while k < n:
        now = r[order[k]]
        while piece < len(job) and begin[piece] < now:
            if not running:
                _add(tree, place[job[piece]], -1)
                waiting -= 1
                running = True
            if end[piece] > now:
                break
            running = False
            if left[piece] > 0.0:  # preempted: it waits again
                place[job[piece]] = 1 + _at_most(sorted_p, left[piece])
                _add(tree, place[job[piece]], 1)
                waiting += 1
            piece += 1
        remaining = left[piece] + (end[piece] - now) if running else 0.0
        if waiting == 0 and not running:
            backlog = 0.0
        first = k
        while k < n and r[order[k]] == now:
            j = order[k]
            number[j] = waiting + running
            work[j] = backlog
            shorter[j] = _prefix(tree, rank_p[j]) + (running and remaining < p[j])
            k += 1
        for i in range(first, k):
            _add(tree, place[order[i]], 1)
            backlog += p[order[i]]
        waiting += k - first
        if k < n:
            backlog = max(backlog - (r[order[k]] - now), 0.0)
    return number, work, shorter


@njit(cache=True, nogil=True, error_model="numpy")
def _arrivals(r: Floats, p: Floats, rp: Floats, rank_p: Ints, rank_rp: Ints) -> tuple[Floats, Floats, Floats]:
    """By job j, over the other jobs released in [r_j, r_j + p_j): (number, their work, those shorter than p_j).

    They are an interval of the release order; the tree over its places holds the jobs shorter than j. O(n log n).
    """
    n = len(r)
    release_order = increasing_order(r)
    place = np.empty(n, np.int64)
    before = np.zeros(n + 1)  # work of the first places of the release order
    low = np.empty(n, np.int64)  # how many jobs are released before r_j
    for i in range(n):
        j = release_order[i]
        place[j] = i + 1
        before[i + 1] = before[i] + p[j]
        low[j] = low[release_order[i - 1]] if i > 0 and r[release_order[i - 1]] == r[j] else i
    high = np.empty(n, np.int64)  # how many are released before r_j + p_j
    released = 0
    for j in _by_rank(rank_rp):
        while released < n and r[release_order[released]] < rp[j]:
            released += 1
        high[j] = released
    order = _by_rank(rank_p)
    tree = np.zeros(n + 1, np.int64)
    number = np.zeros(n)
    work = np.zeros(n)
    shorter = np.zeros(n)
    added = 0
    for j in order:
        while rank_p[order[added]] < rank_p[j]:
            _add(tree, place[order[added]], 1)
            added += 1
        if high[j] - low[j] > 1:
            number[j] = high[j] - low[j] - 1
            work[j] = max(before[high[j]] - before[low[j]] - p[j], 0.0)
            shorter[j] = _prefix(tree, high[j]) - _prefix(tree, low[j])
    return number, work, shorter
