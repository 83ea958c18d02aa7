"""The decoder: routes that can wait do, and waiting never costs more in hindsight."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.dynamic_vehicle_scheduling.decoder import decode
from colayer.problems.dynamic_vehicle_scheduling.layer import layer
from colayer.problems.dynamic_vehicle_scheduling.state import step
from support.dynamic_days import best_cost, small, states


def test_only_routes_with_a_request_that_must_go_leave() -> None:
    for state in states(small(3, per_epoch=6)):
        y = layer(np.full(len(state.open), 1e5), state)
        before = y.copy()
        must = {int(r) for r in state.open[state.must]}
        everything, sent = decode(y, state, "none"), decode(y, state, "wait")
        assert sum(map(len, everything)) == len(state.open)
        assert sent == tuple(route for route in everything if must & set(route))
        assert y.tolist() == before.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_waiting_costs_no_more_with_the_best_rest_of_the_day(seed: int) -> None:
    for state in states(small(seed, per_epoch=1)):
        y = layer(np.full(len(state.open), 1e5), state)
        costs = []
        for decoder in ("wait", "none"):
            cost, after = step(state, decode(y, state, decoder))
            costs.append(cost + best_cost(after))
        assert costs[0] <= costs[1] + 1e-9
