"""Prize-collecting routing: our own ruin and recreate, or PyVRP's search; by iterations, or by the clock.

By iterations the answers are the same on every run and machine; by seconds they are not.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.clock import clock
from colayer.problems.dynamic_routing.city import RoutingCity
from colayer.problems.dynamic_routing.kernels.insertion import build_into
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, OPENING, PLACE, RELEASE, SERVICE
from colayer.problems.dynamic_routing.kernels.ruin import improve_into

SOLVERS = ("own", "pyvrp")
#: The temperatures of the search, relative to the mean trip: first and last.
_HOT, _COLD = 0.15, 0.0005
#: Neighbours of a request; an hour between windows counts as a part of an hour of driving.
_NEIGHBOURS, _WAITING = 40, 0.2
#: What a second from the depot counts beside one of the window, where requests are put first.
_FAR = 4
#: Iterations between looks at the clock.
_CHUNK = 500
#: Iterations of a descent: a longer search is several, each from the first routes with numbers of its own.
_DESCENT = 250_000

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
        n, place = len(requests), requests[:, PLACE]
        self.city, self.requests, self.required = city, requests, required
        self.prizes = np.maximum(np.rint(prizes), 0.0)
        places = np.append(place, 0)
        after = city.travel[np.ix_(places, places)]
        after[:n] += requests[:, SERVICE, None]
        after = after.astype(np.int32)
        # a route and the depot twice, in as many stops as the lightest requests that a vehicle takes
        width = 2 + int((np.cumsum(np.sort(requests[:, DEMAND])) <= city.capacity).sum())
        beside = np.stack([after.T, after], axis=2)
        self._data = after.ravel(), beside.ravel(), requests.astype(np.int32).ravel(), city.capacity, city.closing
        far = city.travel[0, place]
        width_of_window = requests[:, CLOSING] - np.maximum(requests[:, OPENING], requests[:, RELEASE] + far)
        self._order = np.argsort(width_of_window - _FAR * far, kind="stable").astype(np.int32)
        table = [np.zeros((n + 1) * width, np.int32) for _ in range(4)]
        self._tables = width, *table, np.zeros(4 * (n + 1), np.int64), np.full(n, -1, np.int32)
        #: Route r of the best solution visits visits[ends[r]] … visits[ends[r + 1] − 1].
        self.visits, self.ends = np.zeros(n, np.int64), np.zeros(n + 2, np.int64)
        value = self._build(self.visits, self.ends)
        self.values = np.array([value, value], dtype=np.float64)
        self._near = _neighbours(city, requests)
        self._trip = max(1.0, float((city.travel[0, place] + city.travel[place, 0]).mean()))

    @property
    def best_routes(self) -> Routes:
        """Return the best routes found."""
        return [self.visits[begin:end].tolist() for begin, end in pairwise(self.ends) if begin < end]

    def improve(self, iterations: int, seed: int = 0, seconds: float | None = None) -> None:
        """Search for some iterations or, if given, seconds; the best routes of all descents stay."""
        if seconds is not None:
            self._improve_for(seconds, seed)
            return
        descents = max(1, iterations // _DESCENT)
        for k in range(descents):
            random = self._begin(seed, k)
            self._go_on(iterations * (k + 1) // descents - iterations * k // descents, 0.0, 1.0, random)

    def _improve_for(self, seconds: float, seed: int) -> None:
        """Search by the clock: the first iterations say how many descents there is time for."""
        begin, random = clock(), self._begin(seed, 0)
        self._go_on(_CHUNK, 0.0, 0.0, random)
        chunk = clock() - begin
        descents = max(1, int(seconds / chunk * _CHUNK / _DESCENT))
        for k in range(descents):
            if k > 0:
                random = self._begin(seed, k)
            # a chunk is not begun where it would end too late
            while (gone := (clock() - begin + chunk) / seconds * descents - k) < 1.0:
                now = clock()
                self._go_on(_CHUNK, max(0.0, gone), max(0.0, gone), random)
                chunk = clock() - now

    def _begin(self, seed: int, descent: int) -> NDArray[np.uint64]:
        """Return the random numbers of a descent; all but the first start anew from the first routes."""
        if descent > 0:
            self.values[0] = self._build(self.visits.copy(), self.ends.copy())
        return np.array([2 * (seed + 1000 * descent) + 88172645463325253], dtype=np.uint64)

    def _build(self, visits: Ints, ends: Ints) -> float:
        """Put every request, the far and narrow ones first, where it costs least; return the driving time."""
        return float(build_into(*self._data, self._tables[0], self._order, *self._tables[1:], visits, ends))

    def _go_on(self, iterations: int, begin: float, end: float, random: NDArray[np.uint64]) -> None:
        """Search from one part of the schedule, 0 to 1, to another."""
        hot, cold = (self._trip * _HOT * (_COLD / _HOT) ** part for part in (begin, end))
        improve_into(
            *self._data, self.prizes, self.required, self._near, iterations, hot, cold, random,
            *self._tables, self.visits, self.ends, self.values,
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


def _neighbours(city: RoutingCity, requests: Ints) -> Ints:
    """Return for each request those near it in place and time, nearest first."""
    place, count = requests[:, PLACE], min(_NEIGHBOURS, len(requests) - 1)
    if count < 1:
        return np.empty((len(requests), 0), dtype=np.int32)
    times = city.travel[np.ix_(place, place)]
    between = requests[:, OPENING, None] - requests[None, :, CLOSING]
    far = np.minimum(times, times.T) + _WAITING * np.maximum(np.maximum(between, between.T), 0)
    np.fill_diagonal(far, np.inf)
    nearest = np.argpartition(far, count - 1, axis=1)[:, :count]
    order = np.argsort(np.take_along_axis(far, nearest, axis=1), axis=1, kind="stable")
    return np.take_along_axis(nearest, order, axis=1).astype(np.int32)
