"""What moving one job does to the cost, for all jobs and all near places: the gradient of the smoothed cost."""

from __future__ import annotations

import math

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner, njit

_ROOT = math.sqrt(2.0 * math.pi)


@njit(cache=True, nogil=True)
def slopes_into(
    order: Ints, theta: Floats, drawn: Floats, r: Floats, p: Floats, sigma: float, window: int, out: Floats
) -> None:
    """Compute out[i] = Σ_j (C_i(θ'_j + 0) − C_i(θ'_j − 0))·φ((θ'_j − θ_i)/σ)/σ, where `order` sorts θ' = `drawn`.

    C_i(t) is the cost of the order once the priority of job i is t: a step function that jumps where i passes j. So
    out[i] is the derivative in θ_i of its mean over a Gaussian around θ_i, exact but for moves by more than `window`
    places; its mean over θ' = θ + σZ is that of E C(θ + σZ). A move changes C_j from the first place moved to the place
    from which the schedule is unchanged: O(n·window·(window + that distance)).
    """
    n = len(order)
    done = np.empty(n + 1)  # completion of the job before each place
    done[0] = 0.0
    for k in range(n):
        j = order[k]
        done[k + 1] = max(done[k], r[j]) + p[j]
    for a in range(n):
        i = order[a]
        total = 0.0
        before = 0.0  # change of the cost once the job has moved so far
        for b in range(a + 1, min(a + window, n - 1) + 1):  # later: it passes the job at place b
            change = moved_later(order, r, p, done, a, b)
            total += (change - before) * weight(drawn[order[b]], theta[i], sigma)
            before = change
        before = 0.0
        for b in range(a - 1, max(a - window, 0) - 1, -1):  # earlier
            change = moved_earlier(order, r, p, done, a, b)
            total += (before - change) * weight(drawn[order[b]], theta[i], sigma)
            before = change
        out[i] = total


@inner(cache=True, nogil=True)
def weight(other: float, own: float, sigma: float) -> float:
    """Return φ((other − own)/σ)/σ, φ being the standard Gaussian density."""
    distance = (other - own) / sigma
    return math.exp(-0.5 * distance * distance) / (sigma * _ROOT)


@inner(cache=True, nogil=True)
def moved_later(order: Ints, r: Floats, p: Floats, done: Floats, a: int, b: int) -> float:
    """Return the change of Σ C_j if the job at place a moves behind that at place b > a."""
    t, change = done[a], 0.0
    for k in range(a, b):
        j = order[k + 1]
        t = max(t, r[j]) + p[j]
        change += t - done[k + 1]
    j = order[a]
    t = max(t, r[j]) + p[j]
    change += t - done[b + 1]
    return change + later_change(order, r, p, done, b + 1, t)


@inner(cache=True, nogil=True)
def moved_earlier(order: Ints, r: Floats, p: Floats, done: Floats, a: int, b: int) -> float:
    """Return the change of Σ C_j if the job at place a moves before that at place b < a."""
    j = order[a]
    t = max(done[b], r[j]) + p[j]
    change = t - done[b + 1]
    for k in range(b, a):
        j = order[k]
        t = max(t, r[j]) + p[j]
        change += t - done[k + 2]
    return change + later_change(order, r, p, done, a + 1, t)


@inner(cache=True, nogil=True)
def later_change(order: Ints, r: Floats, p: Floats, done: Floats, k: int, t: float) -> float:
    """Return the remaining change of Σ C_j from place k on if the machine is free at t; stop where nothing changes."""
    change = 0.0
    while k < len(order) and t != done[k]:
        j = order[k]
        t = max(t, r[j]) + p[j]
        change += t - done[k + 1]
        k += 1
    return change
