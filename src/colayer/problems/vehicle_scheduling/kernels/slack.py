"""The slack of an arc, ξ_begin[v] − (ξ_end[u] + ξ_travel[u, v]), over the scenarios, and its features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.compiled import inner, njit
from colayer.problems.vehicle_scheduling.kernels.travel import Times, hour, nominal_travel

#: Arcs that are sorted side by side: many, since each step of the sort is a loop over the lanes of a few rows.
LANES = 128


@inner(cache=True, nogil=True)
def slack_into(times: Times, u: int, v: int, out: Floats) -> None:
    """Compute the slack of the arc (u, v) in every scenario; O(S).

    Each form has its loop in a kernel of its own: side by side in one, they take half as long again.
    """
    if times.explicit:
        _by_table(times, u, v, out)
    else:
        _in_city(times, u, v, nominal_travel(times, u, v), out)


@inner(cache=True, nogil=True)
def _by_table(times: Times, u: int, v: int, out: Floats) -> None:
    """Entries are read one by one: a view of a row counts references, which takes as long as the loop."""
    begin, end, travel = times.begin, times.end, times.table
    for s in range(len(out)):
        out[s] = begin[v, s] - (end[u, s] + travel[u, v, s])


@inner(cache=True, nogil=True)
def _in_city(times: Times, u: int, v: int, nominal: float, out: Floats) -> None:
    begin, end, leave, district, zone = times.begin, times.end, times.leave, times.district, times.zone[v]
    for s in range(len(out)):
        minute = leave[u, s] + nominal
        out[s] = begin[v, s] - (end[u, s] + ((minute + district[zone, hour(minute), s]) - end[u, s]))


@njit(cache=True, nogil=True)
def slacks_into(times: Times, tails: Ints, heads: Ints, out: Floats) -> None:
    """Compute the slack of the arcs (tails[k], heads[k]) in every scenario, a row of `out` each; O(arcs · S)."""
    for k in range(len(tails)):
        slack_into(times, tails[k], heads[k], out[k])


@inner(cache=True, nogil=True)
def mean_slack_and_delay(slack: Floats) -> tuple[float, float]:
    """Return (mean slack, mean delay E[max(−slack, 0)]); four partial sums each do not wait for one another."""
    scenarios = len(slack)
    m0 = m1 = m2 = m3 = 0.0
    d0 = d1 = d2 = d3 = 0.0
    whole = scenarios - scenarios % 4
    for s in range(0, whole, 4):
        m0 += slack[s]
        m1 += slack[s + 1]
        m2 += slack[s + 2]
        m3 += slack[s + 3]
        d0 += max(-slack[s], 0.0)
        d1 += max(-slack[s + 1], 0.0)
        d2 += max(-slack[s + 2], 0.0)
        d3 += max(-slack[s + 3], 0.0)
    for s in range(whole, scenarios):
        m0 += slack[s]
        d0 += max(-slack[s], 0.0)
    return ((m0 + m1) + (m2 + m3)) / scenarios, ((d0 + d1) + (d2 + d3)) / scenarios


@inner(cache=True, nogil=True)
def least_slack(slack: Floats) -> float:
    """Return the least slack; four partial minima do not wait for one another."""
    a = b = c = d = slack[0]
    whole = len(slack) - len(slack) % 4
    for s in range(0, whole, 4):
        a = min(a, slack[s])
        b = min(b, slack[s + 1])
        c = min(c, slack[s + 2])
        d = min(d, slack[s + 3])
    for s in range(whole, len(slack)):
        a = min(a, slack[s])
    return min(min(a, b), min(c, d))


@njit(cache=True, nogil=True)
def summaries_into(
    times: Times,
    indptr: Ints,
    heads: NDArray[np.int32],
    low: int,
    high: int,
    mean: Singles,
    least: Singles,
    delays: Floats,
) -> None:
    """Compute mean slack, least slack and E[max(−slack, 0)] of the arcs with tails low … high − 1; O(arcs · S)."""
    slack = np.empty(times.begin.shape[1])
    for u in range(low, high):
        for k in range(indptr[u], indptr[u + 1]):
            slack_into(times, u, np.int64(heads[k]), slack)
            mean[k], delays[k] = mean_slack_and_delay(slack)
            least[k] = least_slack(slack)


@inner(cache=True, nogil=True)
def sort_lanes(values: Singles, rows: int) -> None:
    """Sort the LANES columns of `values`, `rows` × LANES in row-major order, each by itself; O(rows · log² rows).

    Batcher's odd-even merge sort: which entries are compared does not depend on the data, so that all lanes move
    together, without a branch, in vector instructions. A stage (p, k) compares row i with row i + k, for runs of k
    consecutive i, that is for k·LANES consecutive numbers. Rows beyond the end count as infinite: their comparisons are
    left out. (Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M.)
    """
    p = 1
    while p < rows:
        k = p
        while k >= 1:
            start = 0 if k == p else k
            while start + k < rows:
                if k == p or (start + k) % (2 * p) != 0:  # a run lies within one pair of sorted stretches or across
                    count = min(k, rows - k - start) * LANES
                    lower = values[start * LANES : start * LANES + count]
                    upper = values[(start + k) * LANES : (start + k) * LANES + count]
                    for i in range(count):
                        x = lower[i]
                        y = upper[i]
                        lower[i] = x if x < y else y
                        upper[i] = y if x < y else x
                start += 2 * k
            k //= 2
        p *= 2


@njit(cache=True, nogil=True)
def features_into(
    times: Times,
    indptr: Ints,
    heads: NDArray[np.int32],
    delay_cost: float,
    levels: Floats,
    points: Floats,
    low: int,
    high: int,
    delays: Floats,
    out: Singles,
) -> None:
    """Compute the features of the arcs with tails low … high − 1, one column of `out` per arc, in the order of the
    table.

    Rows: travel time; vehicle cost (left alone); mean slack; quantiles of the slack at `levels`, by linear
    interpolation; share of scenarios with slack ≤ each of `points`; delay_cost · E[max(−slack, 0)], which goes to
    `delays` as well, without the factor, in float64. The quantiles are those of the slacks rounded to float32. O(arcs ·
    S · log² S), sorting LANES arcs side by side.
    """
    scenarios = times.begin.shape[1]
    slack = np.empty(scenarios)
    values = np.empty(scenarios * LANES, np.float32)
    for i in range(len(values)):
        values[i] = 0.0
    shares = np.empty(scenarios + 1)
    for s in range(scenarios + 1):
        shares[s] = s / scenarios
    u = low
    for first in range(indptr[low], indptr[high], LANES):
        count = min(LANES, indptr[high] - first)
        for lane in range(count):
            k = first + lane
            while k >= indptr[u + 1]:
                u += 1
            v = np.int64(heads[k])  # one type of task: the kernel is compiled once
            slack_into(times, u, v, slack)
            mean, delay = mean_slack_and_delay(slack)
            for q in range(len(points)):
                below = 0
                for s in range(scenarios):
                    below += slack[s] <= points[q]
                out[3 + len(levels) + q, k] = shares[below]
            for s in range(scenarios):
                values[s * LANES + lane] = slack[s]
            out[0, k] = nominal_travel(times, u, v)
            out[2, k] = mean
            out[3 + len(levels) + len(points), k] = delay_cost * delay
            delays[k] = delay
        sort_lanes(values, scenarios)
        for q in range(len(levels)):
            position = levels[q] * (scenarios - 1)
            below = int(position)
            weight = position - below
            above = min(below + 1, scenarios - 1)
            for lane in range(count):
                x = float(values[below * LANES + lane])
                y = float(values[above * LANES + lane])
                out[3 + q, first + lane] = x + (y - x) * weight
