"""A decision by simulation: some decisions around that of a policy, each costed with the rest of drawn days."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.models.thetas import thetas
from colayer.problems.dynamic_vehicle_scheduling.decoder import decode
from colayer.problems.dynamic_vehicle_scheduling.drawn import TRIED, drawn_days
from colayer.problems.dynamic_vehicle_scheduling.features import features
from colayer.problems.dynamic_vehicle_scheduling.kernels.days import rests_into
from colayer.problems.dynamic_vehicle_scheduling.layer import layer
from colayer.problems.dynamic_vehicle_scheduling.state import Decision, State, step

#: Decisions tried at most, and the deviation of the prizes' noise, relative to the trip.
CANDIDATES, NOISE = 60, 0.15
#: The days come in so many parts; after each the worse half of the candidates is dropped.
PARTS = 4


def simulated(state: State, weights: Floats, candidates: int = CANDIDATES, futures: int = TRIED) -> Decision:
    """Return the candidate of least cost now plus mean cost of the rest of drawn days under `weights` (raw units).

    The first candidate is the decision of `weights`; for the others θ_i gets normal noise, NOISE times the trip of i.
    All face the same days, the first `futures` that the city draws. Routes that can wait do. Ties go to the earlier
    candidate.
    """
    tried = _candidates(state, weights, candidates)
    now = np.array([step(state, decision)[0] for decision in tried])
    left, later = np.arange(len(tried)), np.zeros(len(tried))
    for part in np.array_split(np.arange(futures), min(PARTS, futures)):
        if len(left) > 1:
            later[left] += _rests(state, weights, [tried[c] for c in left], part.tolist())
            means = now[left] + later[left] / (part[-1] + 1)
            best = np.argsort(means, kind="stable")[: max(1, (len(left) + 1) // 2)]
            left = left[best if part[-1] + 1 < futures else best[:1]]
    return tried[int(left[0])]


def _rests(state: State, weights: Floats, tried: Sequence[Decision], days: Sequence[int]) -> Floats:
    """Return what the rest of these drawn days costs after each decision, summed."""
    place = {int(request): i for i, request in enumerate(state.open)}
    gone = np.zeros((len(tried), len(state.open)), dtype=np.bool_)
    for row, decision in zip(gone, tried, strict=True):
        row[[place[request] for route in decision for request in route]] = True
    day, city = state.day, state.day.city
    drawn = drawn_days(city, day.per_epoch, tried=True)
    known = day.epoch[state.open], state.location, state.start, state.duration, day.later[state.open]
    total, out = np.zeros(len(tried)), np.empty(len(tried))
    for k in days:
        begin, end = drawn.ends[k - 1] if k else 0, drawn.ends[k]
        begin += np.searchsorted(drawn.epoch[begin:end], state.epoch, side="right")
        to_come = drawn.epoch, drawn.location, drawn.start, drawn.duration, drawn.later
        requests = [np.concatenate([one, other[begin:end]]) for one, other in zip(known, to_come, strict=True)]
        served = np.zeros((len(tried), len(requests[0])), dtype=np.bool_)
        served[:, : len(state.open)] = gone
        rests_into(
            weights[None].copy(), city.times, city.near, *requests, state.epoch + 1, city.epochs, True, served, out
        )
        total += out
    return total


def _candidates(state: State, weights: Floats, count: int) -> list[Decision]:
    """Return distinct decisions, that of the weights first."""
    rows = features(state)
    (theta,) = thetas(rows, weights[None])
    found = {decode(layer(theta, state), state): None}
    if state.must.any() and not state.must.all():
        rng = seeds.generator(0, seeds.DRAWN, 2, state.epoch)
        for _ in range(count - 1):
            noise = NOISE * rows[:, 0] * rng.normal(size=len(rows))
            found[decode(layer(theta + noise, state), state)] = None
    return list(found)
