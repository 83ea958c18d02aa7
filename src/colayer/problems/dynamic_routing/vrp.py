"""Prize-collecting routing by PyVRP: the one file that knows its interface.

PyVRP's iterated local search is started from routes of our own that serve everything, since from scratch it does not
open routes that pay only together. By iterations its answers are the same on every run; by seconds they are not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import MissingExtraError, need_extra
from colayer.problems.dynamic_routing.city import RoutingCity
from colayer.problems.dynamic_routing.kernels.routes import (
    CLOSING,
    DEMAND,
    OPENING,
    PLACE,
    RELEASE,
    SERVICE,
    build_into,
)

#: The releases whose interface this file speaks.
VERSIONS = ("0.14",)
#: Vehicles beside those of the first routes.
_SPARE = 2
#: Solutions that the acceptance of PyVRP's search looks back on: few, for short searches. Measured at 500 iterations,
#: 180 requests: 1.9 % less driving with 10 than with the default of 300.
_HISTORY = 10
#: PyVRP's limit of a prize or a penalty is far above this one.
_LARGEST_PRIZE = 10**9

Routes = list[list[int]]


@dataclass(frozen=True)
class Budget:
    """How long a search may take: iterations, or seconds if given; and in how many threads, each of its own seed."""

    iterations: int
    seconds: float | None = None
    threads: int = 1


def need_pyvrp() -> None:
    """Raise an error if PyVRP is missing or of another release than this file was written for."""
    need_extra("pyvrp", "dynamic routing needs PyVRP", "routing")
    from importlib.metadata import version

    found = version("pyvrp")
    if not found.startswith(tuple(f"{known}." for known in VERSIONS)):
        expected = " or ".join(f"{known}.x" for known in VERSIONS)
        raise MissingExtraError(f"PyVRP {found} is installed, expected {expected}: pip install 'colayer[routing]'")


def first_routes(city: RoutingCity, requests: Ints, passes: int = 1) -> Routes:
    """Return feasible routes that serve all requests, by cheapest insertion and relocation."""
    n = len(requests)
    routes, length, extra = np.zeros((n + 1, n), np.int64), np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    order = np.argsort(requests[:, CLOSING], kind="stable")
    count = build_into(city.times, requests, city.capacity, city.closing, order, passes, routes, length, extra)
    return [routes[r, : length[r]].tolist() for r in range(count) if length[r] > 0]


def collect(
    city: RoutingCity, requests: Ints, prizes: Floats, required: NDArray[np.bool_], begin: int, budget: Budget
) -> Routes:
    """Return routes of little driving time less prizes that serve all that is required, and others if they pay.

    Times count from `begin`, before which no vehicle leaves. If the search ends without feasible routes, those that it
    started from are returned.
    """
    if len(requests) == 0:
        return []
    need_pyvrp()
    routes = first_routes(city, requests)
    data = _data(city, requests, prizes, required, begin, len(routes) + _SPARE)
    if budget.threads == 1:
        found = [_search(data, routes, budget, 0)]
    else:
        with ThreadPoolExecutor(budget.threads) as pool:
            found = list(pool.map(lambda seed: _search(data, routes, budget, seed), range(budget.threads)))
    value, best = min(found, key=lambda pair: pair[0])
    return best if math.isfinite(value) else routes


def _data(
    city: RoutingCity, requests: Ints, prizes: Floats, required: NDArray[np.bool_], begin: int, vehicles: int
) -> Any:
    """Return PyVRP's data of the requests; a location per request, since several may be at one place."""
    from pyvrp import Client, Depot, Location, ProblemData, VehicleType

    places = np.concatenate([[0], requests[:, PLACE]])
    travel = city.travel[np.ix_(places, places)]
    collected = np.clip(np.rint(prizes), 0, _LARGEST_PRIZE).astype(np.int64).tolist()
    clients = [
        Client(
            location=i + 1,
            delivery=[row[DEMAND]],
            service_duration=row[SERVICE],
            tw_early=max(0, row[OPENING] - begin),
            tw_late=row[CLOSING] - begin,
            release_time=max(0, row[RELEASE] - begin),
            prize=collected[i],
            required=bool(required[i]),
        )
        for i, row in enumerate(requests.tolist())
    ]
    depot = Depot(0, tw_early=0, tw_late=city.closing - begin)
    fleet = VehicleType(vehicles, capacity=[city.capacity])
    return ProblemData([Location(0, 0)] * len(places), clients, [depot], [fleet], [travel], [travel])


def _search(data: Any, routes: Sequence[Sequence[int]], budget: Budget, seed: int) -> tuple[float, Routes]:
    """Return the value and the routes of the best feasible solution found; the value is infinite if there is none."""
    import warnings

    from pyvrp import (
        IteratedLocalSearch,
        IteratedLocalSearchParams,
        PenaltyManager,
        PenaltyParams,
        RandomNumberGenerator,
        Solution,
    )
    from pyvrp.search import OPERATORS, LocalSearch, PerturbationManager, PerturbationParams, compute_neighbours
    from pyvrp.stop import MaxIterations, MaxRuntime

    search = LocalSearch(
        data, RandomNumberGenerator(seed=seed), compute_neighbours(data), PerturbationManager(PerturbationParams())
    )
    for operator in OPERATORS:
        if operator.supports(data):
            search.add_operator(operator(data))
    penalties = PenaltyParams()
    manager = PenaltyManager(penalties.midpoint_penalties(data), penalties)
    judge = manager.max_cost_evaluator()
    given = Solution(data, [list(route) for route in routes])
    start = min(given, search(given, judge, exhaustive=True), key=judge.penalised_cost)
    stop = MaxIterations(budget.iterations) if budget.seconds is None else MaxRuntime(budget.seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of penalties at their bound: feasible routes are known
        result = IteratedLocalSearch(
            data, manager, search, start, IteratedLocalSearchParams(history_length=_HISTORY)
        ).run(stop, collect_stats=False, display=False)
    best = [[visit.idx for visit in route if visit.is_client()] for route in result.best.routes()]
    return float(result.cost()), best
