"""The layer: prizes, those that must go, the embedding, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.dynamic_routing.layer import embed, layer, target
from colayer.problems.dynamic_routing.search import Budget
from colayer.problems.dynamic_routing.state import numbered
from support.errors import rejects
from support.routing_days import small, states


def test_prizes_buy_service_and_must_is_must() -> None:
    for state in states(small(0)):
        n = len(state.open)
        none = layer(np.full(n, -5.0), state, Budget(100))
        assert {i for route in none for i in route} == set(np.flatnonzero(state.must).tolist())
        everything = layer(np.full(n, 1e6), state, Budget(100))
        assert sorted(i for route in everything for i in route) == list(range(n))


def test_the_embedding_counts_what_is_served() -> None:
    state = next(iter(states(small(0, per_epoch=6))))
    routes = layer(0.5 * state.trip, state, Budget(200))
    served = {i for route in routes for i in route}
    assert embed(routes, state).tolist() == [-1.0 if i in served else 0.0 for i in range(len(state.open))]
    assert np.array_equal(target(numbered(routes, state), state), embed(routes, state))


@pytest.mark.parametrize("theta", [np.zeros(0), np.array([np.nan] * 6), np.zeros((6, 1))])
def test_a_theta_of_another_shape_or_not_finite_is_refused(theta: np.ndarray) -> None:
    state = next(iter(states(small(0, per_epoch=6))))
    with rejects(InputError, where="theta"):
        layer(theta, state, Budget(10))
