"""List schedules of 1 | r_j | Σ C_j by simple rules. Jobs are compared as in `schedule`, by release positions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner
from colayer.layers.sorting import sort
from colayer.problems.single_machine.kernels.heap import pop_by_key, push_by_key


def dispatch_shortest(r: Floats, p: Floats) -> Ints:
    """List schedule: whenever the machine is free, start the shortest released job (ties: r, then index).

    If none is released, wait for the next release. Returns the sequence; O(n log n).
    """
    return _dispatched(r, p, math.inf, False)


def dispatch_ect(r: Floats, p: Floats) -> Ints:
    """List schedule: always take the job that can complete first, argmin max(t, r_j) + p_j (ties: r, then index).

    The job may be one to wait for. Returns the sequence; O(n log n): among released jobs the rule is the shortest,
    among the others the order by r + p is fixed.
    """
    return _dispatched(r, p, 1.0, False)


def aprtf(r: Floats, p: Floats) -> Ints:
    """List schedule by Chu's alternative priority rule for total flow time; returns the sequence; O(n log n).

    Chu (1992), "Efficient heuristics to minimize total flow time with release dates", Operations Research Letters 12.
    With R_j = max(t, r_j), α has the least priority 2 R_j + p_j and β the least start R_j (ties: p); other ties go to
    the smaller r, then the smaller index. If R_α ≤ R_β, α is next. Else α is next if and only if

        F_βα - F_αβ ≥ μ · min(R_α - R_β, C_αβ - τ),

    where F_αβ is the total flow time of α then β from t, F_βα of β then α, C_αβ the end of α then β, μ the number of
    the other unscheduled jobs and τ their earliest release: what α first gains on the two against what it can cost the
    others. Otherwise β is next. With R_α > R_β, the least priority means p_β > p_α + 2 (R_α - R_β), so that
    F_βα - F_αβ = p_β - p_α - 2 (R_α - R_β).
    """
    return _dispatched(r, p, 2.0, True)


def _dispatched(r: Floats, p: Floats, c: float, look_ahead: bool) -> Ints:
    """Take argmin c·max(t, r_j) + p_j, or, with `look_ahead`, the earliest start where Chu's test says so."""
    order = sort(r)
    rs, ps = r[order], p[order]
    fixed = order if c == math.inf else sort(c * rs + ps)  # at c = ∞ no job is worth waiting for
    heap, positions = np.empty((2, len(r)), np.int64)
    dispatch_into(rs, ps, c, look_ahead, fixed, heap, np.zeros(len(r), np.bool_), positions)
    sequence: Ints = order[positions]
    return sequence


@inner(cache=True, nogil=True)
def dispatch_into(
    rs: Floats,
    ps: Floats,
    c: float,
    look_ahead: bool,
    fixed: Ints,
    heap: Ints,
    done: NDArray[np.bool_],
    sequence: Ints,
) -> None:
    """Compute the result of `_dispatched` in release positions.

    Invariant: the heap holds the released jobs, by (p, r, index); the others, all unscheduled, are the release
    positions k, k+1, …; their best is the first of them in the fixed order by c·r + p.
    """
    n = len(rs)
    size = 0
    k = 0  # next release
    f = 0  # first of `fixed` that may not be released
    t = 0.0
    for i in range(n):
        while True:
            if size == 0 and k < n:
                t = rs[k] if t < rs[k] else t  # nothing can start earlier
            while k < n and rs[k] <= t:
                if not done[k]:
                    push_by_key(heap, size, k, ps)
                    size += 1
                k += 1
            if size > 0:
                break
        while f < n and fixed[f] < k:
            f += 1
        beta = heap[0]
        wait = False
        if f < n:
            alpha = fixed[f]
            delay = rs[alpha] - t
            gain = ps[beta] - ps[alpha] - c * delay
            wait = gain > 0.0
            if wait and look_ahead and n - i > 2:
                loss = delay
                if size == 1:  # the others are not released: the earliest of them
                    tau = rs[k] if k != alpha else rs[k + 1]
                    later = rs[alpha] + ps[alpha] + ps[beta] - tau
                    loss = later if later < loss else loss
                wait = gain >= (n - i - 2) * loss
        if wait:
            sequence[i] = alpha
            done[alpha] = True
            t = rs[alpha] + ps[alpha]
        else:
            sequence[i] = pop_by_key(heap, size, ps)
            size -= 1
            t += ps[beta]
