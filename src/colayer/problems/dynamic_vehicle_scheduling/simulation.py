"""A decision by simulation: some decisions around that of a policy, each costed with the rest of drawn days."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.seeds import generator
from colayer.models.thetas import thetas
from colayer.problems.dynamic_vehicle_scheduling.decoder import decode
from colayer.problems.dynamic_vehicle_scheduling.features import features
from colayer.problems.dynamic_vehicle_scheduling.kernels.days import rests_into
from colayer.problems.dynamic_vehicle_scheduling.layer import layer
from colayer.problems.dynamic_vehicle_scheduling.state import Decision, State, future, step

#: Decisions tried at most, days drawn, and the standard deviation of the prizes' noise, relative to the trip.
CANDIDATES, FUTURES, NOISE = 60, 60, 0.15


def simulated(
    state: State, weights: Floats, candidates: int = CANDIDATES, futures: int = FUTURES, seed: int = 0
) -> Decision:
    """Return the candidate of least cost now plus mean cost of the rest of drawn days under `weights` (raw units).

    The first candidate is the decision of `weights`; for the others θ_i gets normal noise, NOISE times the trip of i.
    All have the same days to face, drawn from the seed. Routes that can wait do. Ties go to the earlier candidate.
    """
    tried = _candidates(state, weights, candidates, seed)
    if len(tried) == 1:
        return tried[0]
    now = np.array([step(state, decision)[0] for decision in tried])
    gone = np.zeros((len(tried), len(state.open)), dtype=np.bool_)
    place = {int(request): i for i, request in enumerate(state.open)}
    for row, decision in zip(gone, tried, strict=True):
        row[[place[request] for route in decision for request in route]] = True
    later, out = np.zeros(len(tried)), np.empty(len(tried))
    city = state.day.city
    for k in range(futures):
        day = future(state, seed + k)
        served = np.zeros((len(tried), day.requests), dtype=np.bool_)
        served[:, : len(state.open)] = gone
        requests = (np.array(values) for values in (day.epoch, day.location, day.start, day.duration))
        rests_into(
            np.ascontiguousarray(weights[None]), city.times, city.near, *requests, state.epoch + 1, city.epochs, True,
            served, out,
        )  # fmt: skip
        later += out
    return tried[int(np.argmin(now + later / futures))]


def _candidates(state: State, weights: Floats, count: int, seed: int) -> list[Decision]:
    """Return distinct decisions, that of the weights first."""
    rows = features(state)
    (theta,) = thetas(rows, weights[None])
    found = {decode(layer(theta, state), state): None}
    if state.must.any() and not state.must.all():
        rng = generator(seed, state.epoch, 1)
        for _ in range(count - 1):
            noise = NOISE * rows[:, 0] * rng.normal(size=len(rows))
            found[decode(layer(theta + noise, state), state)] = None
    return list(found)
