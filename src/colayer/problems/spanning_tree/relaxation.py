"""The Lagrangian relaxation of an instance: its prices, the bound they give, a step to better ones, fixed edges.

The kernels, and the formulas, are in `kernels.lagrangian`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.threads import Threads
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels import lagrangian as kernels
from colayer.problems.spanning_tree.kernels.trees import bottlenecks

MOMENTUM = 0.7

_THREADED = 20_000  # edges of all scenarios: below, threads cost more than they bring
_COARSE = 21  # bits of the range of whole costs in units,
_STEPS = 12  # or that many more than the costs have
_FINE = 40  # bits where costs are not whole
_WORD = 58  # bits of a sum; prices stay within some times the range of costs


def candidates(instance: Instance, bottleneck: Floats | None = None) -> tuple[Ints, Floats]:
    """Return the edges that an optimal first stage can be made of, and D_es of all edges (see `kernels.lagrangian`).

    Pass D as `bottleneck` if you have it already.
    """
    u, v, first, second = instance.arrays
    if bottleneck is None:
        bottleneck = bottlenecks(u, v, instance.scenario_trees, second)
    saved = bottleneck.sum(axis=0)
    slack = 0.0 if instance.integral else 1e-12 * (np.abs(bottleneck).sum(axis=0) + instance.scenarios * np.abs(first))
    return np.flatnonzero(instance.scenarios * first < saved + slack), bottleneck


class Relaxation:
    """Prices of the candidates in each scenario, in whole multiples of a unit above the smallest cost.

    Whole costs are whole multiples of the unit, others are rounded down to it: the bound is valid as it is.
    """

    def __init__(self, instance: Instance, workers: int | None = None, bottleneck: Floats | None = None) -> None:
        u, v, first, second = instance.arrays
        trees = instance.scenario_trees
        self.integral, self.scenarios, self.nodes = instance.integral, instance.scenarios, instance.nodes
        self.base = float(min(first.min(), second.min()))
        spread = instance.cost_range
        bits = math.frexp(spread)[1] if spread > 0 else 0
        room = _WORD - instance.nodes.bit_length()  # bits: no sum over a tree overflows
        fine = max(_COARSE - bits, _STEPS) if self.integral else _FINE - bits
        self.unit = math.ldexp(1.0, -min(fine, room - bits))
        # what rounding may have added on the way to units and back
        largest = float(max(np.abs(first).max(), np.abs(second).max()))
        self.slack = 0.0 if self.integral else 8 * math.ulp(largest) * instance.nodes
        self.edges, bottleneck = candidates(instance, bottleneck)
        self.heads, self.tails = u[self.edges], v[self.edges]
        self.ends = np.stack([u[trees], v[trees]]).astype(np.int32)
        self.costs = self._units(np.take_along_axis(second, trees.astype(np.int64), axis=1))
        self.first = self._units(first[self.edges])
        self.limit = self._units(bottleneck[:, self.edges])
        self.price = np.repeat(self.first[None, :], self.scenarios, axis=0)
        self.longest = spread / self.unit  # of a step
        self.taken = np.zeros(self.price.shape, dtype=np.int8)
        self.counts = np.zeros(len(self.edges), dtype=np.int64)
        self.value, self.slope = np.zeros(self.scenarios, dtype=np.int64), np.zeros(self.scenarios)
        self.reset(self.price, {})
        self._threads = Threads(workers if self.price.size + self.costs.size >= _THREADED else 1)

    def reset(self, price: Ints, fixed: dict[int, int]) -> None:
        """Start anew from these prices, with the candidates `fixed` out of (0) or in (1) the first stage.

        A fixed edge is free of Σ_s μ_es = S·c_e: L(μ) gains c_e − mean_s μ_es if it is in, and nothing if it is out.
        Its price is such that every scenario takes it, or none.
        """
        self.price = price.copy()
        self.offset = 0
        for j, inside in fixed.items():
            self.price[:, j] = -int(self.longest) if inside else int(self.limit.max()) + 1
            self.offset += self.scenarios * int(self.first[j] + int(self.longest)) if inside else 0
        self.direction = np.zeros(self.price.shape)
        self.squared = 0.0  # |direction|²

    def solve(self) -> tuple[int, float]:
        """Find one tree per scenario; return (S·L(μ) in units, |x − mean x|²). `taken` holds x, `counts` Σ_s x_s."""
        data = (self.ends, self.costs, self.heads, self.tails, self.limit, self.price, self.direction)
        out = (self.taken, self.value, self.slope)
        self._each(self.scenarios, lambda low, high: kernels.relaxed_trees(low, high, *data, *out))
        norm = float(kernels.first_stage_counts(self.taken, self.counts))
        return sum(self.value.tolist()) + self.offset, norm

    def step(self, room: float, norm: float) -> None:
        """Move the prices by a Polyak step, `room` being the distance to the bound aimed at.

        The step is restricted by 1 − momentum, which is what keeps it safe along a direction that is a mean of the
        last ones (Brännlund 1993; step: Polyak 1969).
        """
        turn = 1 - MOMENTUM
        # Σ_s of a direction is 0 for each edge, so ⟨direction, x − mean x⟩ = ⟨direction, x⟩
        new = MOMENTUM**2 * self.squared + 2 * MOMENTUM * turn * float(self.slope.sum()) + turn**2 * norm
        self.squared = max(new, turn**2 * norm)
        step = min(turn * room * self.scenarios / self.squared / self.unit, self.longest)
        data = (self.taken, self.counts, MOMENTUM, step, self.direction, self.price)
        self._each(len(self.edges), lambda low, high: kernels.move(low, high, *data))

    def exact_bound(self, value: int) -> float:
        """Return L(μ) as a lower bound on costs, from S·L(μ) in units."""
        return value * self.unit / self.scenarios + self.base * (self.nodes - 1) - self.slack

    def bound(self, value: int) -> float:
        """Return `exact_bound`, rounded up to a multiple of 1/S if all costs are whole."""
        if not self.integral:
            return self.exact_bound(value)
        whole = -(-value // round(1 / self.unit)) + round(self.base) * (self.nodes - 1) * self.scenarios
        return whole / self.scenarios

    def close(self) -> None:
        """Stop the threads."""
        self._threads.close()

    def _units(self, values: Floats) -> Ints:
        units: Ints = np.floor((values - self.base) / self.unit).astype(np.int64)
        return units

    def _each(self, count: int, work: Callable[[int, int], None]) -> None:
        """Run `work(low, high)` over a range, split between the threads."""
        parts = self._threads.workers
        self._threads.spans(work, [count * k // parts for k in range(parts + 1)])
