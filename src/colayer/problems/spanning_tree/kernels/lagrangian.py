"""The Lagrangian relaxation, in whole numbers: prices, one relaxed tree per scenario, one step of the prices.

The first stage is copied into every scenario and the copies are priced: μ_es with Σ_s μ_es = S·c_e (μ = −λ of the usual
multipliers; as a copy is 0 or 1 anyway, this restriction does not lower the best bound). Every such μ gives the bound

    S·L(μ) = Σ_s MST(min(d_s, μ_s)),

and x_es − mean_s x_es, with x_es = 1 where the tree of s takes e at its price, is the direction in which it rises.

Costs and prices are int64 multiples of a small unit: sums are exact, the bound has no rounding error, and nothing
depends on the order of the sums, so on the number of threads. Two facts keep the trees small:

- of the second stage only the edges of T_s, the minimum spanning tree for d_s, can be needed (see `kernels.trees`);
- let D_es be the largest cost on the path between the ends of e in T_s. A copy of price μ_es > D_es is not needed in
  s, and an edge with c_e ≥ mean_s D_es is not needed in the first stage: dropped from it, it is replaced in every
  scenario by an edge of that path. What is left are the *candidates*.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import njit
from colayer.layers.spanning_tree import find, join


@njit(cache=True, nogil=True)
def relaxed_trees(low, high, ends, costs, heads, tails, limit, price, direction, taken, value, slope):  # type: ignore[no-untyped-def]
    """Find the minimum spanning trees of low ≤ s < high over T_s at its costs and candidates at their prices.

    `ends` (2, S, n − 1) and `costs` (S, n − 1) are T_s by increasing cost; `heads`, `tails` (m') the candidates' ends;
    `limit`, `price`, `direction` (S, m') are D, μ and the direction of the last step. Out: taken[s] = x_s, value[s] the
    weight of the tree, slope[s] = ⟨direction_s, x_s⟩. Kruskal's algorithm on two sorted lists; O(n α(n) + m').
    """
    candidates = heads.shape[0]
    nodes = costs.shape[1] + 1
    parent = np.empty(nodes, np.int32)
    order, spare = np.empty(candidates, np.int32), np.empty(candidates, np.int32)
    bins = np.empty(2048, np.int32)
    for s in range(low, high):
        count = 0
        lowest, highest = np.int64(0), np.int64(0)
        for j in range(candidates):
            taken[s, j] = 0
            if price[s, j] <= limit[s, j]:
                lowest = min(lowest, price[s, j]) if count else price[s, j]
                highest = max(highest, price[s, j]) if count else price[s, j]
                order[count] = j
                count += 1
        by_price = _sorted(price[s], order, spare, bins, count, lowest, highest)
        parent[:] = -1
        left = nodes - 1
        total, dot = np.int64(0), 0.0
        i, k = 0, 0
        while left > 0:
            if i < count and (k == nodes - 1 or price[s, by_price[i]] <= costs[s, k]):
                j = by_price[i]
                i += 1
                a, b = find(parent, heads[j]), find(parent, tails[j])
                if a != b:
                    join(parent, a, b)
                    total += price[s, j]
                    dot += direction[s, j]
                    taken[s, j] = 1
                    left -= 1
            else:
                a, b = find(parent, ends[0, s, k]), find(parent, ends[1, s, k])
                if a != b:
                    join(parent, a, b)
                    total += costs[s, k]
                    left -= 1
                k += 1
        value[s] = total
        slope[s] = dot


@njit(cache=True, nogil=True)
def _sorted(price, order, spare, bins, count, lowest, highest):  # type: ignore[no-untyped-def]
    """Sort order[:count] stably by price with a radix sort, O(count) a digit; return `order` or `spare`."""
    digit = 11 if count > 1000 else 8
    mask = (1 << digit) - 1
    shift = 0
    while (highest - lowest) >> shift > 0:
        bins[: mask + 1] = 0
        for i in range(count):
            bins[((price[order[i]] - lowest) >> shift) & mask] += 1
        before = 0
        for b in range(mask + 1):
            here = bins[b]
            bins[b] = before
            before += here
        for i in range(count):
            b = ((price[order[i]] - lowest) >> shift) & mask
            spare[bins[b]] = order[i]
            bins[b] += 1
        order, spare = spare, order
        shift += digit
    return order


@njit(cache=True, nogil=True)
def first_stage_counts(taken, counts):  # type: ignore[no-untyped-def]
    """Compute counts[j] = Σ_s x_js; return Σ_js (x_js − mean_s x_js)², the squared norm of the new direction."""
    scenarios, candidates = taken.shape
    counts[:] = 0
    for s in range(scenarios):
        for j in range(candidates):
            counts[j] += taken[s, j]
    total = np.int64(0)
    for j in range(candidates):
        total += counts[j] * (scenarios - counts[j])
    return total / scenarios


@njit(cache=True, nogil=True)
def move(low, high, taken, counts, momentum, step, direction, price):  # type: ignore[no-untyped-def]
    """Step candidates low ≤ j < high: direction ← momentum·direction + (1 − momentum)·(x − mean x), price += step·it.

    Steps are rounded to units along the scenarios' running sum, which keeps Σ_s price_js exactly as it is.
    """
    scenarios = taken.shape[0]
    running = np.zeros(high - low)
    done = np.zeros(high - low, np.int64)
    for s in range(scenarios):
        last = s == scenarios - 1
        for j in range(low, high):
            turned = momentum * direction[s, j] + (1 - momentum) * (taken[s, j] - counts[j] / scenarios)
            direction[s, j] = turned
            running[j - low] += step * turned
            here = np.int64(0) if last else np.int64(np.floor(running[j - low] + 0.5))
            price[s, j] += here - done[j - low]
            done[j - low] = here
