"""Exact column generation: routes are priced in as a linear master asks for them, then an integer master decides.

Master: min Σ_P c_P x_P such that every task lies on exactly one route. For any duals π, with r_v the least reduced cost
of a route that ends at v, every solution costs at least

    Σ π + the sum of the K least of min(0, r_v),

since each of its routes ends at another task and a solution better than the best one known has at most K routes. The
layer under the safe weights gives duals to begin with: there no reduced cost is negative, and the bound is the layer's.
Duals are smoothed towards those of the best bound so far (Wentges, International Transactions in Operational Research
4, 1997). Once the linear master is solved, every route of a solution better than the best one known has a reduced cost
below the gap: all such routes are enumerated, and the integer master over them is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.clock import clock
from colayer.layers.path_cover import path_cover_into
from colayer.problems.vehicle_scheduling.cost import bound
from colayer.problems.vehicle_scheduling.decoder import improve
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.delay import route_total, solution_cost
from colayer.problems.vehicle_scheduling.kernels.enumeration import enumerate_routes, new_walk
from colayer.problems.vehicle_scheduling.kernels.labels import (
    longest_rest,
    new_labels,
    price,
    rest_bounds,
    route_of,
)
from colayer.problems.vehicle_scheduling.layer import safe_theta
from colayer.problems.vehicle_scheduling.solution import checked, routes_of

if TYPE_CHECKING:
    from colayer.problems.vehicle_scheduling.master import Master

Progress = Callable[[float, float], None]

#: The most labels times scenarios in memory (320 MB), and how many count as few, so that none need be given up.
_ROOM, _FEW = 40_000_000, 4_000_000
#: Labels kept at a task to begin with, and the factor by which they grow.
_WIDTH, _WIDER = 25, 8
#: The most routes of the integer master.
_ROUTES = 400_000
#: Weight of the duals of the best bound in those that are priced, to begin with.
_SMOOTHING = 0.9
#: The linear master is solved when bound and value are so close, relatively; "proved" is up to the last number.
_CLOSE, _EQUAL = 1e-7, 1e-9
#: Steps along arcs, times scenarios, between two checks of the clock.
_BUDGET = 50_000_000


def exact(
    instance: Instance,
    time_limit: float | None = None,
    progress: Progress | None = None,
    start: Ints | None = None,
) -> tuple[Ints, float, bool]:
    """Run column generation; return (best solution, lower bound on the optimal cost, whether it is proved optimal).

    It starts from the better of `start` and the safe solution, after local search. It ends with a proof, after
    `time_limit` seconds, or when there are more routes to keep than there is room for; the bound is valid in each case,
    and at least that of the layer. `progress` is called with (bound, best cost). "Optimal" is up to 1e-9 of the cost.
    """
    _compile()
    search = _Search(instance, time_limit, progress)
    search.begin(start)
    search.generate()
    if not search.over():
        search.offer_integer(search.master.columns())
    if not search.over():
        search.finish()
    return search.best, search.lower, search.closed


@cache
def _compile() -> None:
    """Take all steps once on two tasks, so that the clock does not count the compiler's time."""
    times = [0.0, 2.0], [1.0, 3.0], [[0.0, 2.0]], [[1.0, 3.0]]
    search = _Search(Instance(1.0, 1.0, *times, np.ones((2, 2)), np.ones((1, 2, 2))), None, None)  # type: ignore[arg-type]
    search.begin(None)
    search.price(search.centre + 1.0, 1)
    search.finish()


class _Search:
    """The state of the search: best solution, bound, and the routes priced in so far."""

    def __init__(self, instance: Instance, time_limit: float | None, progress: Progress | None) -> None:
        from colayer.problems.vehicle_scheduling.master import Master

        self.instance = instance
        self.deadline = np.inf if time_limit is None else clock() + time_limit
        self.progress = progress
        self.order = instance.latest_first[::-1].copy()
        self.arcs = instance.arcs
        self.arc_costs = instance.delay_cost * instance.mean_delay
        self.steps = longest_rest(self.order, *self.arcs)
        self.master: Master = Master(instance.tasks)
        self.bound = -np.inf
        self.cost = np.inf
        self.best: Ints
        self.centre: Floats

    @property
    def closed(self) -> bool:
        """Bound and cost meet."""
        return bool(self.bound >= self.cost - _EQUAL * abs(self.cost))

    @property
    def lower(self) -> float:
        """Return the bound to report: the cost itself once they meet."""
        return self.cost if self.closed else self.bound

    def left(self) -> float:
        """Return the seconds left."""
        return self.deadline - clock()

    def over(self) -> bool:
        """Return whether the solution is proved optimal or the time is over."""
        return self.closed or self.left() <= 0.0

    def tell(self) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(self.lower, self.cost)

    def begin(self, start: Ints | None) -> None:
        """Take the layer's solution, duals and bound; then run local search."""
        instance = self.instance
        n, arcs = instance.tasks, len(self.arcs[1])
        theta = safe_theta(instance)
        safe, out_duals, in_duals = np.empty(n, np.int64), np.empty(n), np.empty(n)
        costs = theta[:arcs], theta[arcs : arcs + n], theta[arcs + n :]
        path_cover_into(*self.arcs, *costs, instance.latest_first, safe, out_duals, in_duals)
        self.centre = out_duals + in_duals
        self.bound = bound(instance)  # the sum of the duals, but for rounding
        for v in range(n):
            self.add(np.array([v]))
        starts = [safe] if start is None else [safe, checked(start, instance)]
        for solution in starts:
            self.offer(solution)
            self.tell()
        self.offer(improve(self.best, instance, stop=lambda: self.left() <= 0.0))
        self.tell()

    def add(self, route: Ints) -> bool:
        """Give a route to the master; False if it is there."""
        instance = self.instance
        delay = float(route_total(instance.times, route)) / instance.scenarios
        return self.master.add(route, instance.vehicle_cost + instance.delay_cost * delay)

    def offer(self, solution: Ints) -> None:
        """Keep a solution that is better than the best one, and its routes in any case."""
        instance = self.instance
        cost = float(solution_cost(instance.times, solution, instance.vehicle_cost, instance.delay_cost))
        if cost < self.cost:
            self.best, self.cost = solution, cost
        for route in routes_of(solution):
            self.add(np.array(route))

    def offer_routes(self, routes: list[Ints]) -> None:
        """Offer a solution given as routes, improved by local search if it beats the best one."""
        solution = np.full(self.instance.tasks, -1, dtype=np.int64)
        for route in routes:
            solution[route[:-1]] = route[1:]
        before = self.cost
        self.offer(solution)
        if self.cost < before:
            self.offer(improve(self.best, self.instance, stop=lambda: self.left() <= 0.0))

    def generate(self) -> None:
        """Solve the linear master; the bound grows on the way."""
        smoothing, width = _SMOOTHING, _WIDTH
        while not self.over():
            value, duals, routes = self.master.relax(self.left())
            if routes is not None:
                self.offer_routes(routes)
            if self.bound >= value - _CLOSE * abs(value):
                return
            tried = smoothing * self.centre + (1.0 - smoothing) * duals
            priced = self.price(tried, width)
            if priced is None:
                return
            added, lower, labels, lost = priced
            if lower > self.bound:
                self.bound, self.centre = lower, tried
            self.tell()
            if lost and labels * self.instance.scenarios < _FEW:
                width *= _WIDER
            elif added == 0:
                # first price the master's own duals, then with more labels, until nothing is given up
                if smoothing > 0.0:
                    smoothing = smoothing / 2 if smoothing > 0.1 else 0.0
                elif lost and labels * self.instance.scenarios < _ROOM // 2:
                    smoothing, width = _SMOOTHING / 2, _WIDER * width
                else:
                    return

    def price(self, duals: Floats, width: int) -> tuple[int, float, int, bool] | None:
        """Return (routes added, bound, labels, whether some were given up) under `duals`; None if the time is over."""
        instance = self.instance
        n, scenarios = instance.tasks, instance.scenarios
        costs = instance.vehicle_cost, instance.delay_cost
        rest = rest_bounds(self.order, *self.arcs, self.arc_costs, duals)
        labels = new_labels(n, scenarios, max(2 * n, _ROOM // scenarios))
        ends = np.full(n, -1, dtype=np.int64)
        chunk = max(1, n // 50)
        for low in range(0, n, chunk):
            part = low, min(low + chunk, n), *self.arcs, self.arc_costs, duals, rest, self.steps, *costs
            price(instance.times, self.order, *part, width, labels, ends)
            if self.left() <= 0.0:
                return None
        best = np.where(ends >= 0, labels.value[ends], 0.0)
        added = sum(self.add(route_of(labels, ends[v])) for v in np.flatnonzero(best < -_EQUAL * abs(self.cost)))
        lost = float(labels.lost[0])
        vehicles = n if costs[0] == 0.0 else min(n, int(self.cost / costs[0]))
        least = np.sort(np.minimum(np.minimum(best, lost), 0.0))[:vehicles]
        # what is summed up is exact to rounding
        lower = float(duals.sum() + least.sum()) - 1e-12 * float(np.abs(duals).sum())
        return added, lower, int(labels.used[0]), lost < 0.0

    def finish(self) -> None:
        """Enumerate all routes of reduced cost up to the gap and solve the integer master over them."""
        instance = self.instance
        limit = self.cost - self.bound + _EQUAL * abs(self.cost)
        rest = rest_bounds(self.order, *self.arcs, self.arc_costs, self.centre)
        walk = new_walk(instance.tasks, instance.scenarios, _ROUTES)
        costs = instance.vehicle_cost, instance.delay_cost
        done = 0
        while done == 0 and self.left() > 0.0:
            budget = max(1000, _BUDGET // instance.scenarios)
            done = enumerate_routes(
                instance.times, *self.arcs, self.arc_costs, self.centre, rest, *costs, limit, budget, walk
            )
        if done == 1:
            found = int(walk.found[0])
            size = int(walk.indptr[found])
            prices = instance.vehicle_cost + instance.delay_cost * walk.delays[:found]
            lower = self.offer_integer((prices, walk.indptr[: found + 1], walk.tasks[:size]))
            self.bound = max(self.bound, min(lower, self.cost))
            self.tell()

    def offer_integer(self, columns: tuple[Floats, Ints, NDArray[np.int32]]) -> float:
        """Solve the integer master over the columns; returns its bound."""
        routes, lower = self.master.integer(columns, self.cost, self.left())
        if routes is not None:
            self.offer_routes(routes)
        return lower
