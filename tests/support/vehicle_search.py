"""Vehicle scheduling as the kernels of the searches want it: arrays kept up to date, and duals with what they give."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.enumeration import enumerate_routes, new_walk
from colayer.problems.vehicle_scheduling.kernels.labels import longest_rest, new_labels, price, rest_bounds
from colayer.problems.vehicle_scheduling.kernels.routes import refresh
from colayer.problems.vehicle_scheduling.kernels.windows import cut, window_costs
from support import plain_vehicles as plain


class State:
    """A solution with the arrays of the kernels."""

    def __init__(self, x: Instance, successor) -> None:
        self.x, self.successor = x, successor.copy()
        self.order = np.argsort(x.begin, kind="stable")
        self.predecessor = np.full(x.tasks, -2, dtype=np.int64)
        self.slack, self.late, self.base = (np.empty((x.tasks, x.scenarios)) for _ in range(3))
        self.arrays = self.order, self.successor, self.predecessor, self.slack, self.late
        self.total = refresh(x.times, *self.arrays)

    def window(self, low: float, high: float, price: float):
        gaps, pieces, now = cut(self.x.times, self.successor, self.predecessor, low, high)
        costs = self.slack, self.late, self.base, price
        return gaps, pieces, now, *window_costs(self.x.times, self.successor, gaps, pieces, now, *costs)


class Pricing:
    """An instance, duals, and what the kernels need of them."""

    def __init__(self, x: Instance, duals) -> None:
        self.x, self.duals = x, duals
        self.order = np.argsort(x.begin, kind="stable")
        self.arc_costs = x.delay_cost * x.mean_delay
        self.rest = rest_bounds(self.order, *x.arcs, self.arc_costs, duals)
        self.costs = x.vehicle_cost, x.delay_cost
        self.reduced = {r: plain.route_cost(x, r) - duals[list(r)].sum() for r in plain.all_routes(x)}

    def price(self, width: int, size: int = 10_000):
        x = self.x
        labels, ends = new_labels(x.tasks, x.scenarios, size), np.full(x.tasks, -1)
        steps = longest_rest(self.order, *x.arcs)
        parts = itertools.pairwise([0, x.tasks // 2, x.tasks])  # in two chunks, as the clock would have it
        for low, high in parts:
            rule = *x.arcs, self.arc_costs, self.duals, self.rest, steps, *self.costs, width, labels, ends
            price(x.times, self.order, low, high, *rule)
        return labels, ends

    def enumerate(self, limit: float, budget: int, most: int = 100_000):
        x = self.x
        walk = new_walk(x.tasks, x.scenarios, most)
        rule = *x.arcs, self.arc_costs, self.duals, self.rest, *self.costs, limit, budget, walk
        calls, done = 1, enumerate_routes(x.times, *rule)
        while done == 0:
            calls, done = calls + 1, enumerate_routes(x.times, *rule)
        ends = walk.indptr[: walk.found[0] + 1].tolist()
        routes = {tuple(walk.tasks[a:b].tolist()): walk.delays[i] for i, (a, b) in enumerate(itertools.pairwise(ends))}
        return done, calls, routes


def pricings(count: int) -> Iterator[Pricing]:
    """Small instances of both forms under random duals."""
    rng = np.random.default_rng(7)
    for seed in range(count):
        x = plain.hurried(seed, 13, 4)
        x = plain.explicit(x) if seed % 3 == 0 else x
        yield Pricing(x, rng.uniform(-20.0, 120.0, size=13))
