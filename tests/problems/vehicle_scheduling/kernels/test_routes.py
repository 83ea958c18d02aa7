"""Delays along routes, kept up to date as the routes change."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.kernels.routes import refresh
from colayer.problems.vehicle_scheduling.solution import routes_of
from support import plain_vehicles as plain
from support.vehicle_search import State


@pytest.mark.parametrize("form", ["city", "explicit"])
@pytest.mark.parametrize("seed", range(5))
def test_delays_along_routes(seed: int, form: str) -> None:
    """`refresh` against plain Python, also after a change of the solution, where old slacks are kept."""
    x = plain.crowded(seed, 14, 4, form)
    state = State(x, plain.random_solution(x, seed))
    for k in range(3):
        state.successor[:] = plain.random_solution(x, 100 + k)
        total = refresh(x.times, *state.arrays)
        expected = {
            v: [plain.delays(x, r, s)[i] for s in range(4)] for r in routes_of(state.successor) for i, v in enumerate(r)
        }
        assert np.allclose(state.late, [expected[v] for v in range(14)], rtol=1e-12, atol=1e-9)
        assert np.isclose(total, plain.total_delay(x, state.successor))
        assert state.late.max() > 0
