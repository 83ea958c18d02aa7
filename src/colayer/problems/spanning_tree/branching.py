"""Branch and bound on the Lagrangian relaxation: closes the gap that the relaxation leaves, on graphs of any size.

The relaxation is tight up to a few multiples of 1/S, so the tree of subproblems is small; each begins from the prices
of the one it came from.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from contextlib import closing

import numpy as np

from colayer._runtime.arrays import Ints
from colayer._runtime.clock import clock
from colayer.layers.spanning_tree import kruskal_into
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.lagrangian import ascend, compile_kernels, relative_gap
from colayer.problems.spanning_tree.relaxation import Relaxation
from colayer.problems.spanning_tree.rounding import Incumbent
from colayer.problems.spanning_tree.solution import Solution

ITERATIONS = 1000  # of the first relaxation
FACTOR = 0.25  # step factor at which it ends, and with which the others begin: their prices are good already
SHORTEST = 0.05  # and with which they end
PRECISION = 1e-9  # relative gap that counts as none, where costs are not whole
MEMORY = 2**28  # bytes of prices kept; the search ends when it is full


def branch_and_bound(
    instance: Instance,
    time_limit: float | None = None,
    progress: Callable[[float, float], None] | None = None,
    start: Solution | None = None,
    tolerance: float = 0.0,
    subproblems: int = 0,
    workers: int | None = None,
) -> tuple[Solution, float]:
    """Return (best solution, lower bound on the cost of any); `progress` is called with (bound, best cost).

    The search takes the best bound first and branches on the edge whose fraction is nearest to one half. It ends when
    the bound meets the cost (up to a relative gap of 1e-9 if costs are not whole); when their relative gap is at most
    `tolerance` and `subproblems` have been searched; after `time_limit` seconds; or when its memory is full. The bound
    is valid in each case. The result depends on `workers` only if the time limit cuts it short.
    """
    search = _Search(instance, time_limit, progress, start, workers)
    with closing(search.relaxation):
        return search.run(tolerance, subproblems)


class _Search:
    def __init__(
        self,
        instance: Instance,
        time_limit: float | None,
        progress: Callable[[float, float], None] | None,
        start: Solution | None,
        workers: int | None,
    ) -> None:
        compile_kernels()
        self.deadline = None if time_limit is None else clock() + time_limit
        self.progress = progress
        self.precision = 0.0 if instance.integral else PRECISION
        self.relaxation = Relaxation(instance, workers)
        self.incumbent = Incumbent(instance, self.relaxation.edges, start)
        self.best = -math.inf  # bound of all that is not searched yet

    def run(self, tolerance: float, subproblems: int) -> tuple[Solution, float]:
        """Run the search of `branch_and_bound`."""
        relaxation, incumbent = self.relaxation, self.incumbent
        largest = MEMORY // max(1, relaxation.price.nbytes)
        # (bound, number, candidates fixed, prices to begin from); the number breaks ties
        waiting: list[tuple[float, int, dict[int, int], Ints]] = [(-math.inf, 0, {}, relaxation.price)]
        searched = number = 0
        lowest = math.inf  # bound of what is done with
        while waiting:
            self.best = waiting[0][0]
            good = searched >= subproblems and relative_gap(incumbent.cost, self.best) <= tolerance
            if searched and (good or self._closed(self.best) or self._late() or len(waiting) > largest):
                break
            known, _, fixed, price = heapq.heappop(waiting)
            bound, solved = self._search(fixed, price, known)
            searched += 1
            if solved or self._closed(bound):
                lowest = min(lowest, bound)
                continue
            distance = np.abs(incumbent.fraction - 0.5)
            distance[list(fixed)] = np.inf
            j = int(np.argmin(distance))
            price = relaxation.price
            for inside in (0, 1):
                child = {**fixed, j: inside}
                if not inside or self._forest(child):
                    number += 1
                    heapq.heappush(waiting, (bound, number, child, price))
        if waiting:
            lowest = min(lowest, waiting[0][0])
        return incumbent.solution, min(lowest, incumbent.cost)

    def _search(self, fixed: dict[int, int], price: Ints, known: float) -> tuple[float, bool]:
        """Return the bound of a subproblem, and whether its optimum was found; the relaxation keeps the last prices."""
        self.relaxation.reset(price, fixed)
        self.incumbent.forget()
        bounds = [known]

        def done(bound: float) -> bool:
            bounds.append(max(bounds[-1], bound))
            if self.progress is not None:
                bound_of_all = self.best if fixed else bounds[-1]
                self.progress(min(bound_of_all, self.incumbent.cost), self.incumbent.cost)
            return self._closed(bounds[-1]) or self._late()

        steps = (FACTOR, SHORTEST) if fixed else (1.0, FACTOR)
        agreed = ascend(self.relaxation, self.incumbent, ITERATIONS, done, *steps)
        return bounds[-1], agreed

    def _closed(self, bound: float) -> bool:
        return relative_gap(self.incumbent.cost, bound) <= self.precision

    def _late(self) -> bool:
        return self.deadline is not None and clock() >= self.deadline

    def _forest(self, fixed: dict[int, int]) -> bool:
        """Return whether the edges fixed in the first stage close no cycle."""
        chosen = np.array([j for j, inside in fixed.items() if inside], dtype=np.int64)
        parent = np.full(self.relaxation.nodes, -1, dtype=np.int32)
        taken = kruskal_into(self.relaxation.heads, self.relaxation.tails, chosen, parent, np.empty_like(chosen))
        return bool(taken == len(chosen))
