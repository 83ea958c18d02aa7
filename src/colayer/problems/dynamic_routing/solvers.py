"""Rules: what one decides without learning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from colayer.problems.dynamic_routing.features import views_of_futures
from colayer.problems.dynamic_routing.search import collect
from colayer.problems.dynamic_routing.state import RoutingState, numbered
from colayer.problems.dynamic_vehicle_scheduling.state import Decision

if TYPE_CHECKING:
    from colayer.problems.dynamic_routing.problem import DynamicRouting

#: c of *prize = c·trip*; c of *prize = c·trip·vote*, the safe weights; the share of futures above which `look-ahead`
#: sends a request. Best on days of the training files of the competition.
PRIZE, VOTED_PRIZE, VOTES = 0.15, 0.4, 0.3


def greedy(problem: DynamicRouting, state: RoutingState) -> Decision:
    """Send everything now."""
    return serve(problem, state, np.ones(len(state.open), dtype=np.bool_))


def lazy(problem: DynamicRouting, state: RoutingState) -> Decision:
    """Send what must go."""
    return serve(problem, state, state.must)


def prize(problem: DynamicRouting, state: RoutingState, factor: float = PRIZE) -> Decision:
    """Collect the prizes factor·trip."""
    return problem.decode(problem.layer(factor * state.trip, state), state)


def look_ahead(problem: DynamicRouting, state: RoutingState) -> Decision:
    """Send what enough drawn futures send now, and what must go; routes that can wait do."""
    vote, _, _ = views_of_futures(state, problem.futures, problem.future_iterations)
    return problem.decode(_routes(problem, state, state.must | (vote > VOTES)), state)


def serve(problem: DynamicRouting, state: RoutingState, chosen: NDArray[np.bool_]) -> Decision:
    """Return routes of little driving time that serve the chosen requests and no others."""
    return numbered(_routes(problem, state, chosen), state)


def _routes(problem: DynamicRouting, state: RoutingState, chosen: NDArray[np.bool_]) -> list[list[int]]:
    own = np.flatnonzero(chosen)
    zeros, required = np.zeros(len(own)), np.ones(len(own), dtype=np.bool_)
    found = collect(state.day.city, state.requests[own], zeros, required, state.leave, problem.budget)
    return [[int(own[i]) for i in route] for route in found]


BASELINES: Mapping[str, Callable[..., Decision]] = {
    "greedy": greedy,
    "lazy": lazy,
    "prize": prize,
    "look-ahead": look_ahead,
}
