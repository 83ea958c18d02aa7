"""The cost of an arc between two routes of a solution: the lateness before it and the delays it causes after it.

Take a solution, an arc (u, v), and let the vehicle of u, with its lateness ℓ(u) there, go on with v and all that
follows v. Under each scenario the delay of v is d = max(ℓ(u) − slack(u, v), 0). The delay of the k-th task after v
grows by max(d − b_k, 0) against a vehicle that is in time at v: b_k ≥ 0 is the slack on the way, and b_1 ≤ b_2 ≤ …
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.compiled import njit
from colayer.problems.vehicle_scheduling.kernels.slack import slack_into
from colayer.problems.vehicle_scheduling.kernels.travel import Times

#: How many tasks after v are considered.
DEPTH = 8


def breaks_of(times: Times, successor: Ints, latest_first: Ints) -> Floats:
    """Compute b[v, s, k], the lateness at v from which on the (k + 1)-th task after v is delayed more in s; O(n · S).

    With σ the slack on the way from v to its successor w, a vehicle late by l at v is late by max(l − σ, 0) at w. So w
    is delayed more from max(σ, 0) on, and what is delayed more from b on at w is so from max(σ, 0) + b on if σ ≥ 0, and
    from max(b + σ, 0) on if σ < 0 (w is late by −σ in any case). It is infinite where the route ends.
    """
    breaks: Floats = np.full((*times.begin.shape, DEPTH), np.inf)
    _breaks_into(times, successor, latest_first, breaks)
    return breaks


@njit(cache=True, nogil=True)
def _breaks_into(times: Times, successor: Ints, latest_first: Ints, breaks: Floats) -> None:
    """Compute what `breaks_of` returns, from arrays of infinity."""
    slack = np.empty(times.begin.shape[1])
    for i in range(len(latest_first)):
        v = latest_first[i]
        w = successor[v]
        if w < 0:
            continue
        slack_into(times, v, w, slack)
        for s in range(len(slack)):
            breaks[v, s, 0] = slack[s] if slack[s] > 0.0 else 0.0
            for k in range(1, DEPTH):
                later = breaks[w, s, k - 1] + slack[s]
                breaks[v, s, k] = later if later > 0.0 else 0.0


@njit(cache=True, nogil=True)
def chained_into(
    times: Times,
    indptr: Ints,
    heads: NDArray[np.int32],
    least_slack: Singles,
    late: Floats,
    breaks: Floats,
    low: int,
    high: int,
    delays: Floats,
    chained: Floats,
) -> None:
    """Compute for every arc (u, v) with a tail low … high − 1 the mean delay of v after u, without and with its
    consequences.

    late[u, s] is ℓ(u). delays[arc] = E[d], chained[arc] = E[d + Σ_k max(d − b_k, 0)]. Both are 0 if the least slack of
    the arc (to float32) exceeds all lateness of u: most arcs need no pass over the scenarios. O(arcs · S) at worst.
    """
    scenarios = times.begin.shape[1]
    slack = np.empty(scenarios)
    for u in range(low, high):
        latest = 0.0
        for s in range(scenarios):
            latest = late[u, s] if late[u, s] > latest else latest
        for k in range(indptr[u], indptr[u + 1]):
            delays[k] = 0.0
            chained[k] = 0.0
            least = float(least_slack[k])
            if least - 1e-6 * abs(least) > latest:  # float32 is good to 6e-8
                continue
            v = np.int64(heads[k])
            slack_into(times, u, v, slack)
            own = 0.0
            after = 0.0
            for s in range(scenarios):
                delay = late[u, s] - slack[s]
                if delay > 0.0:
                    own += delay
                    for j in range(DEPTH):
                        more = delay - breaks[v, s, j]
                        if more <= 0.0:
                            break
                        after += more
            delays[k] = own / scenarios
            chained[k] = (own + after) / scenarios
