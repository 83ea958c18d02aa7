"""The layer against brute force over all decisions, with prizes of requests and of arcs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.dynamic_vehicle_scheduling.layer import embed, layer, target
from colayer.problems.dynamic_vehicle_scheduling.state import State, routes, step, violation
from support.dynamic_days import decisions, small, states
from support.errors import rejects


def value(decision: object, theta: np.ndarray, state: State) -> float:
    """Travel less the prizes of requests and arcs."""
    n = len(state.open)
    place = {int(r): i for i, r in enumerate(state.open)}
    indptr, heads, _ = state.arcs
    total = step(state, decision)[0]
    for route in decision:
        total -= sum(theta[place[r]] for r in route)
        if len(theta) > n:
            for u, v in pairwise(route):
                k = indptr[place[u]] + np.searchsorted(heads[indptr[place[u]] : indptr[place[u] + 1]], place[v])
                total -= theta[n + k]
    return float(total)


@pytest.mark.parametrize("arcs", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_layer_is_the_best_decision(seed: int, arcs: bool) -> None:
    rng = np.random.default_rng(seed)
    for state in states(small(seed, per_epoch=2)):
        size = len(state.open) + (len(state.arcs[1]) if arcs else 0)
        theta = rng.uniform(-500.0, 3000.0, size)
        if arcs:
            theta[len(state.open) :] *= 0.3
        found = routes(layer(theta, state), state)
        assert violation(found, state) is None
        best = min(value(one, theta, state) for one in decisions(state))
        assert value(found, theta, state) == pytest.approx(best)


def test_the_embedding_gives_the_prizes() -> None:
    for state in states(small(1)):
        theta = np.random.default_rng(0).uniform(0.0, 2000.0, len(state.open))
        y = layer(theta, state)
        decision = routes(y, state)
        assert step(state, decision)[0] + theta @ embed(y, state) == pytest.approx(value(decision, theta, state))
        assert target(decision, state).tolist() == embed(y, state).tolist()


def test_a_wrong_theta_is_refused() -> None:
    state = next(states(small(1)))
    with rejects(InputError, "theta: an array of shape"):
        layer(np.zeros(len(state.open) + 10**6), state)
    with rejects(InputError, "theta: not finite"):
        layer(np.full(len(state.open), np.nan), state)
