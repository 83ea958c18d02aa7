"""Rules: what one decides without learning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from colayer.problems.dynamic_vehicle_scheduling.decoder import decode
from colayer.problems.dynamic_vehicle_scheduling.hindsight import hindsight
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import layer_into
from colayer.problems.dynamic_vehicle_scheduling.layer import layer
from colayer.problems.dynamic_vehicle_scheduling.state import Decision, State, future, routes

#: c of *prize = c·trip* by decoder, between the best on the learning days of the files (0.38, 0.65) and of the
#: generator (0.30, 0.49), as `benchmarks/dynamic_vehicles.py` tunes it.
PRIZE = {"none": 0.32, "wait": 0.55}
#: Futures that `look-ahead` draws, and their seed.
FUTURES, SEED = 20, 0


def greedy(state: State) -> Decision:
    """Send everything now."""
    return cover(state, np.ones(len(state.open), dtype=np.bool_))


def lazy(state: State) -> Decision:
    """Send what must go."""
    return cover(state, state.must)


def prize(state: State, decoder: str, factor: float | None = None) -> Decision:
    """Collect the prizes factor·trip, by default with the constant of the decoder."""
    travel = state.day.city.travel
    trip = travel[0, state.location] + travel[state.location, 0]
    return decode(layer((PRIZE[decoder] if factor is None else factor) * trip, state), state, decoder)


def look_ahead(state: State) -> Decision:
    """Send what more than half of the hindsight solutions of drawn futures send now, and what must go.

    Futures are drawn until those to come cannot change that.
    """
    if not state.must.any():
        return ()
    votes = np.zeros(len(state.open))
    for k in range(FUTURES):
        undecided = (votes <= FUTURES / 2) & (votes + FUTURES - k > FUTURES / 2)
        if not (undecided & ~state.must).any():
            break
        now = hindsight(future(state, SEED + k))[0]
        votes[[request for route in now for request in route]] += 1.0
    return cover(state, state.must | (votes > FUTURES / 2))


def cover(state: State, chosen: NDArray[np.bool_]) -> Decision:
    """Return the routes of least travel time that serve the chosen requests and no others."""
    own = np.flatnonzero(chosen)
    successor = np.arange(len(state.open))
    if len(own):
        found, zeros = np.empty(len(own), dtype=np.int64), np.zeros(len(own))
        data = state.location[own], state.start[own], state.duration[own]
        layer_into(zeros, *data, np.ones(len(own), dtype=np.bool_), state.day.city.times, found)
        successor[own] = np.where(found < 0, -1, own[found])
    return routes(successor, state)


BASELINES: Mapping[str, Callable[..., Decision]] = {
    "greedy": greedy,
    "lazy": lazy,
    "prize": partial(prize, decoder="none"),
    "prize+wait": partial(prize, decoder="wait"),
    "look-ahead": look_ahead,
}
