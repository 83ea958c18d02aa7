"""The layer: a prize-collecting path cover of the open requests, exact.

It minimises travel − Σ θ_i over the requests i that are served; those that must go are served. θ holds the prizes of
the open requests and may go on with prizes of the arcs between them, in the order of `State.arcs`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import layer_into
from colayer.problems.dynamic_vehicle_scheduling.state import State, successors


def layer(theta: ArrayLike, state: State) -> Ints:
    """Return the successor of each open request, −1 where a route ends, itself where it is left out."""
    prizes = np.require(theta, np.float64, ["C", "W"])
    n = len(state.open)
    if prizes.shape not in ((n,), (n + len(state.arcs[1]),)):
        expected = f"one prize for each of {n} requests, or also of {len(state.arcs[1])} arcs"
        raise InputError(f"an array of shape {prizes.shape}, expected {expected}", where="theta")
    if not np.isfinite(prizes).all():
        raise InputError("not finite", where="theta")
    successor = np.empty(n, dtype=np.int64)
    if n:
        city = state.day.city
        layer_into(prizes, state.location, state.start, state.duration, state.must, city.times, successor)
    return successor


def embed(successor: Ints, state: State) -> Floats:
    """Return −1 for each request that is served, 0 for the others: g(y, θ) = travel + ⟨θ, embed(y)⟩."""
    return np.where(successor == np.arange(len(state.open)), 0.0, -1.0)


def target(decision: tuple[tuple[int, ...], ...], state: State) -> Floats:
    """Return the embedded decision."""
    return embed(successors(decision, state), state)
