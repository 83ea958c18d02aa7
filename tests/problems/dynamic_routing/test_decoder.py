"""The decoder: routes that can wait do."""

from __future__ import annotations

from colayer.problems.dynamic_routing.decoder import decode
from colayer.problems.dynamic_routing.state import can_wait
from support.routing_days import small, states


def test_routes_that_can_wait_do() -> None:
    for state in states(small(1), "lazy"):
        routes = [[i] for i in range(len(state.open))]
        now = decode(routes, state)
        assert [state.open.tolist().index(r) for (r,) in now] == [i for (i,) in routes if not can_wait([i], state)]
        assert len(decode(routes, state, "none")) == len(routes)
