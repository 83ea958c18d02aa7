"""The layer: routes of least driving time less prizes; those that must go are served."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.problems.dynamic_routing.search import Budget, Routes, collect
from colayer.problems.dynamic_routing.state import RoutingState
from colayer.problems.dynamic_vehicle_scheduling.state import Decision


def layer(theta: ArrayLike, state: RoutingState, budget: Budget) -> Routes:
    """Return routes of positions among the open requests; θ holds their prizes, and a negative one counts as 0."""
    prizes = np.asarray(theta, dtype=np.float64)
    if prizes.shape != (len(state.open),):
        expected = f"one prize for each of {len(state.open)} requests"
        raise InputError(f"an array of shape {prizes.shape}, expected {expected}", where="theta")
    if not np.isfinite(prizes).all():
        raise InputError("not finite", where="theta")
    return collect(state.day.city, state.requests, prizes, state.must, state.leave, budget)


def embed(routes: Routes, state: RoutingState) -> Floats:
    """Return −1 for each request that is served, 0 for the others: g(y, θ) = driving time + ⟨θ, embed(y)⟩."""
    served = np.zeros(len(state.open))
    for route in routes:
        served[route] = -1.0
    return served


def target(decision: Decision, state: RoutingState) -> Floats:
    """Return the embedded decision."""
    gone = [request for route in decision for request in route]
    return np.where(np.isin(state.open, gone), -1.0, 0.0)
