"""The layer by PyVRP: the one file that knows its interface.

PyVRP's iterated local search is started from routes of our own that serve everything, since from scratch it does not
open routes that pay only together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from colayer.errors import MissingExtraError, need_extra
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, OPENING, PLACE, RELEASE, SERVICE

if TYPE_CHECKING:
    from colayer.problems.dynamic_routing.search import Budget, Routes, RouteSearch

#: The releases whose interface this file speaks.
VERSIONS = ("0.14",)
#: Vehicles beside those of the first routes.
_SPARE = 2
#: Solutions that the acceptance of PyVRP's search looks back on: few, since searches are short.
_HISTORY = 10
_LARGEST_PRIZE = 10**9


def need_pyvrp() -> None:
    """Raise an error if PyVRP is missing or of another release than this file was written for."""
    need_extra("pyvrp", "this layer needs PyVRP", "routing")
    from importlib.metadata import version

    found = version("pyvrp")
    if not found.startswith(tuple(f"{known}." for known in VERSIONS)):
        expected = " or ".join(f"{known}.x" for known in VERSIONS)
        raise MissingExtraError(f"PyVRP {found} is installed, expected {expected}: pip install 'colayer[routing]'")


def improved(search: RouteSearch, begin: int, budget: Budget, seed: int) -> tuple[float, Routes]:
    """Return the value and the routes of PyVRP's search; where none is feasible, those that it starts from."""
    need_pyvrp()
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

    routes = search.best_routes
    data = _data(search, begin, len(routes) + _SPARE)
    local = LocalSearch(
        data, RandomNumberGenerator(seed=seed), compute_neighbours(data), PerturbationManager(PerturbationParams())
    )
    for operator in OPERATORS:
        if operator.supports(data):
            local.add_operator(operator(data))
    penalties = PenaltyParams()
    manager = PenaltyManager(penalties.midpoint_penalties(data), penalties)
    judge = manager.max_cost_evaluator()
    given = Solution(data, routes)
    start = min(given, local(given, judge, exhaustive=True), key=judge.penalised_cost)
    stop = MaxIterations(budget.iterations) if budget.seconds is None else MaxRuntime(budget.seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of penalties at their bound: feasible routes are known
        result = IteratedLocalSearch(
            data, manager, local, start, IteratedLocalSearchParams(history_length=_HISTORY)
        ).run(stop, collect_stats=False, display=False)
    value = float(result.cost())
    if not math.isfinite(value):
        return float(search.values[1]), routes
    return value, [[visit.idx for visit in route if visit.is_client()] for route in result.best.routes()]


def _data(search: RouteSearch, begin: int, vehicles: int) -> Any:
    """Return PyVRP's data of the requests; a location per request, since several may be at one place."""
    from pyvrp import Client, Depot, Location, ProblemData, VehicleType

    city, requests = search.city, search.requests
    places = np.concatenate([[0], requests[:, PLACE]])
    travel = city.travel[np.ix_(places, places)]
    prizes = np.minimum(search.prizes, _LARGEST_PRIZE).astype(np.int64).tolist()
    clients = [
        Client(
            location=i + 1,
            delivery=[row[DEMAND]],
            service_duration=row[SERVICE],
            tw_early=max(0, row[OPENING] - begin),
            tw_late=row[CLOSING] - begin,
            release_time=max(0, row[RELEASE] - begin),
            prize=prizes[i],
            required=bool(search.required[i]),
        )
        for i, row in enumerate(requests.tolist())
    ]
    depot = Depot(0, tw_early=0, tw_late=city.closing - begin)
    fleet = VehicleType(vehicles, capacity=[city.capacity])
    return ProblemData([Location(0, 0)] * len(places), clients, [depot], [fleet], [travel], [travel])
