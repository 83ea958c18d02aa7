"""Features: what bends the rule *prize = c·trip*, one row per open request, and what drawn futures say of it."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.seeds import generator
from colayer.problems.dynamic_routing.city import REQUESTS, draw
from colayer.problems.dynamic_routing.kernels.routes import CLOSING, DEMAND, HOUR, PLACE, SERVICE, views_into
from colayer.problems.dynamic_routing.search import RouteSearch
from colayer.problems.dynamic_routing.state import RoutingState
from colayer.problems.feature_table import Feature, FeatureTable

#: Trip: from the depot and back. Vote: share of drawn futures in which the request is best sent now.
COLUMNS = FeatureTable(
    (
        Feature("trip", "trip", "t_0i + t_i0"),
        Feature("trip × vote", "future", "trip · vote"),
        Feature("share", "future", "mean driving time per request of the route of i, over drawn futures"),
        Feature("share × vote", "future", "share · vote"),
        Feature("trip × slack", "trip", "trip · hours until the vehicle of i must leave, at most 4"),
        Feature("trip × epochs left", "trip", "trip · epochs after this one"),
        Feature("trip × must", "trip", "trip · share of the open requests that must go"),
        Feature("near customers", "near", "5 % quantile of the times to all customers"),
        Feature("near requests", "near", "mean time to the nearest three open requests"),
        Feature("extra", "future", "driving time that leaving i out would save, mean over drawn futures"),
        Feature("vote", "future", "1000 · vote"),
        Feature("one", "trip", "1"),
        Feature("trip × vote × slack", "future", "trip · vote · slack"),
        Feature("trip × demand", "trip", "trip · demand / capacity"),
    ),
    safe=("trip × vote",),
)
_NEAREST, _MOST_SLACK, _UNIT = 3, 4.0, 1000.0


def features(state: RoutingState, futures: int, iterations: int) -> Floats:
    """Return one row per open request."""
    city, requests, trip = state.day.city, state.requests, state.trip
    place = requests[:, PLACE]
    latest = np.minimum(requests[:, CLOSING], city.closing - requests[:, SERVICE] - city.travel[place, 0])
    slack = np.minimum((latest - city.travel[0, place] - state.leave) / HOUR, _MOST_SLACK)
    vote, share, extra = views_of_futures(state, futures, iterations)
    must = state.must.mean() if len(place) else 0.0
    one = np.ones(len(place))
    return np.column_stack(
        [
            trip, trip * vote, share, share * vote, trip * slack, trip * state.epochs_left, trip * must,
            city.near[place], _near(state), extra, _UNIT * vote, one, trip * vote * slack,
            trip * requests[:, DEMAND] / city.capacity,
        ]
    )  # fmt: skip


def views_of_futures(state: RoutingState, futures: int, iterations: int) -> tuple[Floats, Floats, Floats]:
    """Return vote, share and extra driving time of each open request, means over drawn futures.

    In each future, routes are searched over all requests, known and to come, each with its release time. Where all
    must go, nothing is drawn: they vote for now, each on a route of its own.
    """
    known = len(state.open)
    if known == 0 or state.must.all():
        return np.ones(known), state.trip.copy(), state.trip.copy()
    city, views = state.day.city, np.zeros((3, known))
    for k in range(futures):
        drawn = draw(city, generator(k, state.epoch), state.day.per_epoch, state.epoch + 1)
        coming = np.stack([drawn[field] for field in REQUESTS], axis=1)
        coming[:, 0] = HOUR * (coming[:, 0] + 1)
        requests = np.concatenate([state.requests, coming])
        search = RouteSearch(city, requests, np.zeros(len(requests)), np.ones(len(requests), dtype=np.bool_))
        search.improve(iterations, seed=k)
        views_into(city.times, requests, city.closing, search.visits, search.ends, state.leave, *views)
    vote, share, extra = views / futures
    return vote, share, extra


def _near(state: RoutingState) -> Floats:
    """Return the mean time to or from the nearest open requests, whichever is less; 0 for a request alone."""
    place = state.requests[:, PLACE]
    times = state.day.city.travel[np.ix_(place, place)].astype(np.float64)
    times = np.minimum(times, times.T)
    count = min(_NEAREST, len(place) - 1)
    if count < 1:
        return np.zeros(len(place))
    np.fill_diagonal(times, np.inf)
    nearest: Floats = np.partition(times, count - 1, axis=1)[:, :count].mean(axis=1)
    return nearest
