"""Prize-collecting routing: our own ruin and recreate, or PyVRP's search; by iterations, or by the clock.

By iterations the answers are the same on every run and machine; by seconds they are not.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.clock import clock
from colayer.problems.dynamic_routing.city import RoutingCity
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, PLACE
from colayer.problems.dynamic_routing.kernels.ruin import build_into, improve_into
from colayer.problems.dynamic_routing.kernels.tour import ROUTE_COLUMNS, TOUR_COLUMNS, lists_into, near_into

SOLVERS = ("own", "pyvrp")
#: The temperatures of the search, relative to the mean trip: first and last.
_HOT, _COLD = 0.15, 0.0005
#: Requests beside which another is put, on either side, and around which strings are removed; a part of waiting counts.
_PLACES, _NEIGHBOURS, _WAITING = 80, 40, 0.2
#: Iterations between looks at the clock.
_CHUNK = 500

Routes = list[list[int]]


@dataclass(frozen=True)
class Budget:
    """How long a search may take: iterations, or seconds if given; in how many threads, each of its own seed."""

    iterations: int
    seconds: float | None = None
    threads: int = 1
    solver: str = "own"


class RouteSearch:
    """Routes over some requests, and the search that improves them."""

    def __init__(self, city: RoutingCity, requests: Ints, prizes: Floats, required: NDArray[np.bool_]) -> None:
        n = len(requests)
        self.city, self.requests, self.required = city, requests, required
        self.prizes = np.maximum(np.rint(prizes), 0.0)
        places = np.append(requests[:, PLACE], 0)
        times = city.travel[np.ix_(places, places)].astype(np.int32)
        self._times = times, np.ascontiguousarray(times.T)
        self._near = tuple(np.empty((n, count), np.int32) for count in (_PLACES, _PLACES, _NEIGHBOURS))
        near_into(times, requests, _WAITING, *self._near)
        self.tour = np.zeros((n + 1, TOUR_COLUMNS), np.int64), np.zeros((n + 1, ROUTE_COLUMNS), np.int64)
        order = np.argsort(requests[:, CLOSING], kind="stable")
        value = build_into(*self._times, requests, city.capacity, city.closing, *self._near[:2], order, *self.tour)
        self.values = np.array([value, value], dtype=np.float64)
        self.best = self.tour[0].copy(), self.tour[1].copy()
        self._trip = max(1.0, float((times[:n, n] + times[n, :n].astype(np.float64)).mean()))

    @property
    def best_routes(self) -> Routes:
        """Return the best routes found."""
        order, length = self.lists()
        return [part.tolist() for part in np.split(order[: length.sum()], np.cumsum(length)[:-1]) if len(part)]

    def lists(self) -> tuple[Ints, Ints]:
        """Return the requests of the best routes, one after the other, and how many each has."""
        order, length = np.empty(len(self.requests), np.int64), np.empty(len(self.requests) + 1, np.int64)
        lists_into(*self.best, order, length)
        return order, length

    def improve(self, iterations: int, seed: int = 0, seconds: float | None = None) -> None:
        """Search for some iterations or, if given, seconds."""
        random = np.array([2 * seed + 88172645463325253], dtype=np.uint64)
        if seconds is None:
            self._go_on(iterations, 0.0, 1.0, random)
            return
        begin, gone = clock(), 0.0
        while gone < 1.0:
            now = clock()
            self._go_on(_CHUNK, gone, gone, random)
            gone = (2.0 * clock() - now - begin) / seconds  # not begun where it would end too late
            gone = gone if gone >= 1.0 else (clock() - begin) / seconds

    def _go_on(self, iterations: int, begin: float, end: float, random: NDArray[np.uint64]) -> None:
        """Search from one part of the schedule, 0 to 1, to another."""
        hot, cold = (self._trip * _HOT * (_COLD / _HOT) ** part for part in (begin, end))
        improve_into(
            *self._times, self.requests, self.city.capacity, *self._near, self.prizes, self.required,
            iterations, hot, cold, random, *self.tour, *self.best, self.values,
        )  # fmt: skip


def collect(
    city: RoutingCity, requests: Ints, prizes: Floats, required: NDArray[np.bool_], begin: int, budget: Budget
) -> Routes:
    """Return routes of little driving time less prizes that serve all that is required, and others if they pay.

    Times count from `begin`, before which no vehicle leaves. Each request must be feasible on a route of its own.
    """
    if len(requests) == 0:
        return []
    if budget.threads > 1:
        one = replace(budget, threads=1)
        with ThreadPoolExecutor(budget.threads) as pool:
            found = pool.map(
                lambda seed: _one(city, requests, prizes, required, begin, one, seed), range(budget.threads)
            )
            return min(found, key=lambda pair: pair[0])[1]
    return _one(city, requests, prizes, required, begin, budget, 0)[1]


def _one(
    city: RoutingCity,
    requests: Ints,
    prizes: Floats,
    required: NDArray[np.bool_],
    begin: int,
    budget: Budget,
    seed: int,
) -> tuple[float, Routes]:
    """Return the value and the routes of one search."""
    search = RouteSearch(city, requests, prizes, required)
    if budget.solver == "pyvrp":
        from colayer.problems.dynamic_routing.vrp import improved

        return improved(search, begin, budget, seed)
    search.improve(budget.iterations, seed, budget.seconds)
    return float(search.values[1]), search.best_routes
